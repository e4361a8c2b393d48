"""How evenly things are spread: when nodes got a message, and how much each of them sent."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from snowcast.report.figures.style import legend_below, panels, titled
from snowcast.report.measured import Measured, Row
from snowcast.report.protocols import in_order, look
from snowcast.report.sizes import of_one_size

RUNS_MAX = 5  # so many lines of one protocol show the spread; more only hide it
POINTS_MAX = 101
LINE: dict[str, Any] = {"linewidth": 1.3, "alpha": 0.75}


def delivery_times(measured: Measured, scenario: str = "stable") -> Figure | None:
    """The share of deliveries made by a time, a line for each run."""
    runs, size = _runs(measured, "delivery_histogram", scenario)
    if not runs:
        return None
    figure, (axes,) = panels(1, height=4)
    titled(figure, size)
    for protocol, rows in runs:
        rows = sorted(rows, key=lambda row: row["to_us"])
        xs = [rows[0]["from_us"] / 1e3, *[row["to_us"] / 1e3 for row in rows]]
        ys = [0.0, *[row["delivered_share"] for row in rows]]
        shown = look(protocol)
        axes.plot(xs, ys, color=shown.colour, label=shown.title, **LINE)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("time since the send (ms)")
    axes.set_ylabel("deliveries made")
    legend_below(figure, axes)
    return figure


def load_per_node(measured: Measured, scenario: str = "stable") -> Figure | None:
    """What each node has sent, from the busiest to the idlest, a line for each run."""
    runs, size = _runs(measured, "node_load", scenario)
    if not runs:
        return None
    figure, (axes,) = panels(1, height=4)
    titled(figure, size)
    for protocol, rows in runs:
        sent = sorted((row["data_bytes_sent"] for row in rows if row["on_roster"]), reverse=True)
        if not sent:
            continue
        shown = look(protocol)
        count = min(len(sent), POINTS_MAX)
        places = [round(k * (len(sent) - 1) / max(1, count - 1)) for k in range(count)]
        shares = [100 * (place + 1) / len(sent) for place in places]
        kilobytes = [sent[place] / 1e3 for place in places]
        axes.plot(shares, kilobytes, color=shown.colour, label=shown.title, **LINE)
    axes.set_xlabel("nodes, the busiest first (%)")
    axes.set_ylabel("sent over the run (kB)")
    axes.set_ylim(bottom=0)
    legend_below(figure, axes)
    return figure


def _runs(measured: Measured, table: str, scenario: str) -> tuple[list[tuple[str, list[Row]]], str]:
    """The rows of each run of a scenario, with its protocol, and the size that they have.

    Not more than RUNS_MAX of each protocol.
    """
    rows, size = of_one_size(row for row in measured.rows(table, scenario) if not row["variant"])
    found: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row["protocol"]][row["run"]].append(row)
    runs = [
        (protocol, found[protocol][run])
        for protocol in in_order(set(found))
        for run in sorted(found[protocol])[:RUNS_MAX]
    ]
    return runs, size
