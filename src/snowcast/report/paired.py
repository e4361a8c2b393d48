"""Protocols against each other under the same seeds: the same delays, stragglers and faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from snowcast.report.measured import Interval, Measured, Row, values_of
from snowcast.report.paper import SETTINGS, SIZE
from snowcast.report.protocols import in_order

METRIC = "ldt_ms"
SHOWN = ("coloring", "standard")
"""Snow's two modes stand first. Pairs without either are nobody's question here."""


@dataclass(frozen=True)
class Pair:
    """The difference of one metric between two protocols in one setting."""

    setting: str
    """A key of `paper.SETTINGS`."""
    protocol: str
    against: str
    difference: Interval
    lower: int
    """Under how many of the seeds `protocol` had less."""

    def as_dict(self) -> dict[str, Any]:
        """As it stands in report.json."""
        return asdict(self)


def pairs(measured: Measured) -> list[Pair]:
    """The differences in LDT in the paper's settings, in the order of a report."""
    found = list(_pairs(measured.rows("comparisons")))
    order = in_order({pair.protocol for pair in found} | {pair.against for pair in found})
    settings = list(SETTINGS)

    def place(pair: Pair) -> tuple[int, int, int]:
        return settings.index(pair.setting), SHOWN.index(pair.protocol), order.index(pair.against)

    return sorted(found, key=place)


def _pairs(rows: list[Row]) -> Iterator[Pair]:
    for name, setting in SETTINGS.items():
        wanted = values_of(setting.variant)
        for row in rows:
            is_size = (row["nodes"], row["fanout"]) == SIZE
            is_it = row["scenario"] == setting.scenario and values_of(row["variant"]) == wanted
            is_asked = row["metric"] == METRIC and {row["protocol"], row["against"]} & {*SHOWN}
            if is_it and is_size and is_asked:
                yield _pair(name, row)


def _pair(setting: str, row: Row) -> Pair:
    """One row, with the one that is to stand first there."""
    ones, others = row["protocol"], row["against"]
    difference = Interval(row["difference"], row["low"], row["high"], row["seeds"])
    if ones == SHOWN[0] or others not in SHOWN:
        return Pair(setting, ones, others, difference, row["lower"])
    turned = Interval(-row["difference"], -row["high"], -row["low"], row["seeds"])
    return Pair(setting, others, ones, turned, row["seeds"] - row["lower"] - row["equal"])
