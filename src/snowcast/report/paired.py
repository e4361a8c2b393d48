"""Protocols against each other under the same seeds: the same delays, stragglers and faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from snowcast.report.measured import Interval, Measured, Row, values_of
from snowcast.report.paper import SETTINGS, SIZE
from snowcast.report.protocols import in_order

METRIC, REACH = "ldt_ms", "reliability"
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
    reach: float | None = None
    """The share of receivers that `protocol` reached under these seeds: LDT is of those reached."""
    reach_against: float | None = None

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
        mine: dict[tuple[str, str, str], Row] = {
            (row["metric"], row["protocol"], row["against"]): row
            for row in rows
            if (row["nodes"], row["fanout"]) == SIZE
            and row["scenario"] == setting.scenario
            and values_of(row["variant"]) == wanted
        }
        for (metric, one, other), row in mine.items():
            if metric == METRIC and {one, other} & {*SHOWN}:
                yield _pair(name, row, mine.get((REACH, one, other), {}))


def _pair(setting: str, row: Row, reach: Row) -> Pair:
    """One row, with the one that is to stand first there, and how many each of them reached."""
    ones, others, seeds = row["protocol"], row["against"], row["seeds"]
    shares = reach.get("mean"), reach.get("mean_against")
    if ones == SHOWN[0] or others not in SHOWN:
        difference = Interval(row["difference"], row["low"], row["high"], seeds)
        return Pair(setting, ones, others, difference, row["lower"], *shares)
    low, high = [None if end is None else -end for end in (row["high"], row["low"])]
    turned = Interval(-row["difference"], low, high, seeds)
    return Pair(setting, others, ones, turned, seeds - row["lower"] - row["equal"], *shares[::-1])
