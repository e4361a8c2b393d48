"""The paper's table with the paper's numbers beside ours: paper, simulated, real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from snowcast.report.measured import Interval, Measured, interval
from snowcast.report.numbers import published, with_interval
from snowcast.report.paper import PAPER, SETTINGS, SIZE, Setting
from snowcast.report.protocols import in_order

METRICS = ("ldt_first_to_last_ms", "ldt_ms", "rmr_bytes", "reliability", "reliability_live")

NOT_IN_PAPER = ("ldt_ms", "reliability_live")
"""Its LDT runs from the first receipt to the last, and it counts the dead as receivers."""

_Found = Mapping[tuple[str, str], Interval]


@dataclass(frozen=True)
class Entry:
    """One number of one protocol in one setting, from wherever there is one."""

    setting: str
    """A key of `paper.SETTINGS`."""
    protocol: str
    metric: str
    paper: float | None
    simulated: Interval | None
    real: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """As it stands in report.json."""
        return asdict(self)

    def shown(self, source: str) -> tuple[str, str]:
        """What one source says, as it is read in a table: the number, and its interval if any."""
        if source == "paper":
            return published(self.paper), ""
        value = self.simulated if source == "simulated" else self.real
        mean, _, spread = with_interval(self.metric, value).partition(" (")
        return mean, spread.rstrip(")")


def compare(simulated: Measured, real: Measured | None) -> list[Entry]:
    """An entry for each setting of the paper, each protocol that was run, and each metric."""
    return [
        Entry(
            name,
            protocol,
            metric,
            _published(setting, protocol, metric),
            ours.get((protocol, metric)),
            theirs.get((protocol, metric)),
        )
        for name, setting in SETTINGS.items()
        for ours, theirs in [(_found(simulated, setting), _found(real, setting))]
        for protocol in in_order({protocol for protocol, _ in (*ours, *theirs)})
        for metric in METRICS
    ]


def seeds_of(entries: Iterable[Entry], source: str) -> int:
    """How many runs the numbers of these entries come from, the most of any; 0 if there are none.

    `source` is `simulated` or `real`.
    """
    found: list[Interval | None] = [getattr(entry, source) for entry in entries]
    return max((value.runs for value in found if value is not None), default=0)


def _found(measured: Measured | None, setting: Setting) -> _Found:
    rows = measured.of(setting.scenario, setting.variant) if measured else []
    return {
        (row["protocol"], row["metric"]): interval(row)
        for row in rows
        if (row["nodes"], row["fanout"]) == SIZE  # no other can be compared
    }


def _published(setting: Setting, protocol: str, metric: str) -> float | None:
    published = PAPER.get((protocol, setting.published))
    if published is None or metric in NOT_IN_PAPER:
        return None
    name = "ldt_ms" if metric == "ldt_first_to_last_ms" else metric
    return float(getattr(published, name))
