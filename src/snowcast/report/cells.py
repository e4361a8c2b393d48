"""Everything that was run, whatever it was: a row for each scenario, variant, protocol, n and k."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from snowcast.report.measured import Interval, Measured, Row, interval
from snowcast.report.protocols import in_order

METRICS = ("ldt_ms", "rmr_bytes", "reliability", "reliability_live")

_Key = tuple[str, str, str, int | None, int]


@dataclass(frozen=True)
class CellRow:
    """What runs have come to that differ in their seed only."""

    scenario: str
    variant: str
    protocol: str
    nodes: int | None
    fanout: int
    simulated: Mapping[str, Interval]
    """By metric; empty if it was not simulated."""
    real: Mapping[str, Interval]


def cells(simulated: Measured, real: Measured | None) -> list[CellRow]:
    """All cells of both, in an order in which they can be found."""
    ours, theirs = _by_cell(simulated.summary), _by_cell(real.summary if real else [])
    keys = {*ours, *theirs}
    order = in_order({protocol for _, _, protocol, _, _ in keys})

    def place(key: _Key) -> tuple[str, str, int, int, int]:
        scenario, variant, protocol, nodes, fanout = key
        return scenario, variant, nodes or 0, fanout, order.index(protocol)

    return [CellRow(*key, ours[key], theirs[key]) for key in sorted(keys, key=place)]


def _by_cell(rows: list[Row]) -> defaultdict[_Key, dict[str, Interval]]:
    found: defaultdict[_Key, dict[str, Interval]] = defaultdict(dict)
    for row in rows:
        if row["metric"] in METRICS:
            key = row["scenario"], row["variant"], row["protocol"], row["nodes"], row["fanout"]
            found[key][row["metric"]] = interval(row)
    return found
