"""The paper's curves over the messages of a run: LDT, RMR and reliability, message by message."""

from __future__ import annotations

from collections import defaultdict

from matplotlib.figure import Figure

from snowcast.report.figures.style import curve, legend_below, logarithmic, panels, shares
from snowcast.report.measured import Interval, Measured, interval
from snowcast.report.protocols import in_order

PANELS = (
    ("ldt_ms", "LDT (ms)", logarithmic),
    ("rmr_bytes", "RMR (bytes per node)", None),
    ("reliability", "Reliability", shares),
)


def over_messages(measured: Measured, scenario: str) -> Figure | None:
    """Three panels for one scenario; None if it was not run."""
    lines = _lines(measured, scenario)
    if not lines:
        return None
    figure, all_axes = panels(len(PANELS))
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


def _lines(measured: Measured, scenario: str) -> dict[tuple[str, str], dict[int, Interval]]:
    """For each protocol and metric, what it was at each message."""
    lines: dict[tuple[str, str], dict[int, Interval]] = defaultdict(dict)
    for row in measured.rows("message_summary", scenario):
        if not row["variant"]:
            lines[row["protocol"], row["metric"]][row["number"]] = interval(row)
    return lines
