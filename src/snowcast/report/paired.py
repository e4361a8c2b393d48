"""Protocols against each other under the same seeds: the same delays, stragglers and faults."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from snowcast.report.measured import Interval, Measured
from snowcast.report.paper import SCENARIOS
from snowcast.report.protocols import in_order

METRIC = "ldt_ms"


class Pair(NamedTuple):
    """The difference of one metric between two protocols in one scenario."""

    scenario: str
    protocol: str
    against: str
    difference: Interval
    lower: int
    """Under how many of the seeds `protocol` had less."""

    def as_dict(self) -> dict[str, Any]:
        """As it stands in report.json."""
        return {**self._asdict(), "difference": asdict(self.difference)}


def pairs(measured: Measured) -> list[Pair]:
    """The differences in LDT in the paper's scenarios, in the order of a report."""
    found = [
        Pair(
            row["scenario"],
            row["protocol"],
            row["against"],
            Interval(row["difference"], row["low"], row["high"], row["seeds"]),
            row["lower"],
        )
        for row in measured.rows("comparisons")
        if row["metric"] == METRIC and row["scenario"] in SCENARIOS and not row["variant"]
    ]
    order = in_order({pair.protocol for pair in found} | {pair.against for pair in found})

    def place(pair: Pair) -> tuple[int, int, int]:
        scenario = SCENARIOS.index(pair.scenario)
        return scenario, order.index(pair.protocol), order.index(pair.against)

    return sorted(found, key=place)
