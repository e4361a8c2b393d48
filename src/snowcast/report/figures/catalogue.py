"""Every figure of a report: its name, what it shows, and who draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from matplotlib.figure import Figure

from snowcast.report.figures.distributions import delivery_times, load_per_node
from snowcast.report.figures.messages import over_messages
from snowcast.report.figures.sweeps import over_nodes_and_fanout, over_stragglers, over_undetected
from snowcast.report.measured import Measured


class Drawn(NamedTuple):
    """One figure, and what stands below it."""

    name: str
    title: str
    caption: str
    figure: Figure


class _Entry(NamedTuple):
    name: str
    title: str
    caption: str
    draw: Callable[[Measured], Figure | None]


_BAND = "Lines are means over runs; where there were five or more, bands are their 95 % intervals."

_CATALOGUE = (
    _Entry(
        "stable",
        "Stable environment",
        f"Nobody joins, leaves or dies. Metrics of each message of a run. {_BAND}",
        partial(over_messages, scenario="stable"),
    ),
    _Entry(
        "churn",
        "Frequent leaving and joining",
        "A node joins before every tenth message and leaves ten messages later. Stable nodes only. "
        f"{_BAND}",
        partial(over_messages, scenario="churn"),
    ),
    _Entry(
        "breakdown",
        "Breakdown",
        "A node falls silent before every tenth message. The dead count as receivers, as in the "
        f"paper. {_BAND}",
        partial(over_messages, scenario="breakdown"),
    ),
    _Entry(
        "sweeps",
        "More nodes, more children",
        f"LDT grows by steps: only a deeper tree takes longer. {_BAND}",
        over_nodes_and_fanout,
    ),
    _Entry(
        "stragglers",
        "Stragglers",
        "The paper's stragglers are aligned: at every so-many-th address, and so never inside one "
        f"of the two trees of Coloring. At random places the gain is smaller. {_BAND}",
        over_stragglers,
    ),
    _Entry(
        "undetected",
        "Deaths that nobody has noticed",
        "The share of the living that get a plain message while so many nodes are dead and no one "
        f"knows. {_BAND}",
        over_undetected,
    ),
    _Entry(
        "load",
        "Load per node",
        "What each node has sent in a stable run, the busiest first; a line for each run. Coloring "
        "puts the leaves of one tree to work in the other.",
        load_per_node,
    ),
    _Entry(
        "delivery",
        "When nodes have the message",
        "The share of all deliveries of a stable run made by a time; a line for each run.",
        delivery_times,
    ),
)


def draw_all(measured: Measured) -> Iterator[Drawn]:
    """Every figure that there are numbers for."""
    for entry in _CATALOGUE:
        figure = entry.draw(measured)
        if figure is not None:
            yield Drawn(entry.name, entry.title, entry.caption, figure)
