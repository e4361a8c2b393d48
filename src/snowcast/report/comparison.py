"""The paper's table with the paper's numbers beside ours: paper, simulated, real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from snowcast.report.measured import Interval, Measured
from snowcast.report.paper import PAPER, SCENARIOS
from snowcast.report.protocols import in_order

METRICS = ("ldt_ms", "ldt_first_to_last_ms", "rmr_bytes", "reliability", "reliability_live")


@dataclass(frozen=True)
class Entry:
    """One number of one protocol in one scenario, from wherever there is one."""

    scenario: str
    protocol: str
    metric: str
    paper: float | None
    simulated: Interval | None
    real: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """As it stands in report.json."""
        return asdict(self)


def compare(simulated: Measured, real: Measured | None) -> list[Entry]:
    """An entry for each scenario of the paper, each protocol, and each metric of the table."""
    sources = [simulated] if real is None else [simulated, real]
    return [
        _entry(scenario, protocol, metric, simulated, real)
        for scenario in SCENARIOS
        for protocol in in_order(_protocols(sources, scenario))
        for metric in METRICS
    ]


def _protocols(sources: Sequence[Measured], scenario: str) -> set[str]:
    return {
        row["protocol"]
        for source in sources
        for row in source.summary
        if row["scenario"] == scenario and not row["variant"]
    }


def _entry(
    scenario: str, protocol: str, metric: str, simulated: Measured, real: Measured | None
) -> Entry:
    published = PAPER.get((protocol, scenario))
    # The paper's LDT runs from the first receipt to the last.
    name = "ldt_ms" if metric == "ldt_first_to_last_ms" else metric
    has_one = published is not None and metric not in ("ldt_ms", "reliability_live")
    return Entry(
        scenario,
        protocol,
        metric,
        float(getattr(published, name)) if has_one else None,
        simulated.find(scenario, protocol, metric),
        real.find(scenario, protocol, metric) if real is not None else None,
    )
