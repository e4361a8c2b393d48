"""What changes with a setting: the number of nodes, the fanout, stragglers, undetected deaths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from snowcast.report.figures.style import curve, legend_below, marked, panels, shares
from snowcast.report.measured import Interval, Measured, Row, interval, values_of
from snowcast.report.protocols import in_order

_Lines = dict[tuple[str, str], dict[float, Interval]]

SHARE = "event.0.share"
EVERY = "processing.straggler_every"
PLACEMENT = "processing.stragglers"


def over_nodes_and_fanout(measured: Measured) -> Figure | None:
    """The paper's two sweeps: LDT and RMR over n, LDT over k."""
    by_nodes = _lines(measured, "sweep_nodes", lambda row: row["nodes"])
    by_fanout = _lines(measured, "sweep_fanout", lambda row: row["fanout"])
    if not by_nodes and not by_fanout:
        return None
    figure, axes = panels(3)
    _draw(axes[0], by_nodes, "ldt_ms", "LDT (ms)", "nodes, k = 4")
    _draw(axes[1], by_nodes, "rmr_bytes", "RMR (bytes per node)", "nodes, k = 4")
    _draw(axes[2], by_fanout, "ldt_ms", "LDT (ms)", "fanout k, n = 600")
    legend_below(figure, axes[0] if by_nodes else axes[2])
    return figure


def over_stragglers(measured: Measured) -> Figure | None:
    """LDT over the share of stragglers, at aligned places and at random ones."""
    placed = {
        placement: _lines(measured, "stragglers", _share_of(placement))
        for placement in ("aligned", "random")
    }
    if not any(placed.values()):
        return None
    figure, axes = panels(2)
    for panel, (placement, lines) in zip(axes, placed.items(), strict=True):
        _draw(panel, lines, "ldt_ms", "LDT (ms)", f"stragglers, {placement} places (%)")
    top = max(panel.get_ylim()[1] for panel in axes)
    for panel in axes:
        panel.set_ylim(0, top)
    legend_below(figure, axes[0])
    return figure


def over_undetected(measured: Measured) -> Figure | None:
    """Reliability among the living over the share of nodes that died unseen."""

    def dead(row: Row) -> float | None:
        share = values_of(row["variant"]).get(SHARE)
        return None if share is None else 100 * float(share)

    lines = _lines(measured, "undetected", dead)
    if not lines:
        return None
    figure, (axes,) = panels(1)
    _draw(axes, lines, "reliability_live", "Reliability of live nodes", "dead and undetected (%)")
    shares(axes)
    legend_below(figure, axes)
    return figure


def _share_of(placement: str) -> Callable[[Row], float | None]:
    def share(row: Row) -> float | None:
        values = values_of(row["variant"])
        if values.get(PLACEMENT) != placement or EVERY not in values:
            return None
        every = int(values[EVERY])
        return 100 / every if every else 0

    return share


def _lines(measured: Measured, scenario: str, x_of: Callable[[Row], float | None]) -> _Lines:
    """For each protocol and metric, what it was at each setting."""
    lines: _Lines = defaultdict(dict)
    for row in measured.summary:
        if row["scenario"] == scenario and (x := x_of(row)) is not None:
            lines[row["protocol"], row["metric"]][x] = interval(row)
    return dict(lines)


def _draw(axes: Axes, lines: _Lines, metric: str, title: str, label: str) -> None:
    for protocol in in_order({protocol for protocol, _ in lines}):
        points = sorted(lines.get((protocol, metric), {}).items())
        xs, ys = [x for x, _ in points], [y for _, y in points]
        curve(axes, xs, ys, protocol, **marked(protocol))
    axes.set_ylabel(title)
    axes.set_xlabel(label)
    if metric != "reliability_live":
        axes.set_ylim(bottom=0)
