"""The paper's curves over the messages of a run: LDT, RMR and reliability, message by message."""

from __future__ import annotations

from collections import defaultdict

from matplotlib.figure import Figure

from snowcast.report.figures.style import (
    curve,
    legend_below,
    logarithmic,
    panels,
    shares,
    titled,
)
from snowcast.report.measured import Interval, Measured, Row, interval
from snowcast.report.protocols import in_order
from snowcast.report.sizes import of_one_size

PANELS = (
    ("ldt_ms", "LDT (ms)", logarithmic),
    ("rmr_bytes", "RMR (bytes per node)", None),
    ("reliability", "Reliability", shares),
)


def over_messages(measured: Measured, scenario: str) -> Figure | None:
    """Three panels for one scenario; None if it was not run."""
    rows = [row for row in measured.rows("message_summary", scenario) if not row["variant"]]
    rows, size = of_one_size(rows)
    if not rows:
        return None
    lines = _lines(rows)
    figure, all_axes = panels(len(PANELS))
    titled(figure, size)
    for axes, (metric, title, scale) in zip(all_axes, PANELS, strict=True):
        for protocol in in_order({protocol for protocol, _ in lines}):
            points = sorted(lines.get((protocol, metric), {}).items())
            curve(axes, [x for x, _ in points], [y for _, y in points], protocol)
        if scale is not None:
            scale(axes)
        axes.set_ylabel(title)
        axes.set_xlabel("message")
    legend_below(figure, all_axes[0])
    return figure


def _lines(rows: list[Row]) -> dict[tuple[str, str], dict[int, Interval]]:
    """For each protocol and metric, what it was at each message."""
    lines: dict[tuple[str, str], dict[int, Interval]] = defaultdict(dict)
    for row in rows:
        lines[row["protocol"], row["metric"]][row["number"]] = interval(row)
    return lines
