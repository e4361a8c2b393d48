"""How soon so many of all receivers had a message: LDT of those alone who deliver as much.

LDT ends with the last that a protocol reaches, whoever these are. Here the end is the same for all,
and who does not come as far has no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from snowcast.report.measured import Measured, Row, values_of
from snowcast.report.paper import SETTINGS, SIZE
from snowcast.report.protocols import in_order

SHARES = (0.9, 0.975, 0.99)
"""Of all deliveries that a run intended; the paper's dead are among them."""


@dataclass(frozen=True)
class Reach:
    """When the runs of one protocol in one setting had made so many of their deliveries."""

    setting: str
    """A key of `paper.SETTINGS`."""
    protocol: str
    share: float
    median_ms: float | None
    """Over the runs; None if not all of them came as far."""
    least_ms: float | None
    most_ms: float | None
    runs: int

    def as_dict(self) -> dict[str, Any]:
        """As it stands in report.json."""
        return asdict(self)


def reaches(measured: Measured) -> list[Reach]:
    """An entry for each setting of the paper, each protocol that was run, and each share."""
    return [one for name in SETTINGS for one in _of_setting(measured, name)]


def _of_setting(measured: Measured, name: str) -> Iterator[Reach]:
    setting = SETTINGS[name]
    wanted = values_of(setting.variant)
    found: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in measured.rows("delivery_histogram", setting.scenario):
        if (row["nodes"], row["fanout"]) == SIZE and values_of(row["variant"]) == wanted:
            found[row["protocol"]][row["run"]].append(row)
    for protocol in in_order(set(found)):
        runs = list(found[protocol].values())
        for share in SHARES:
            times = [one for one in (_when(rows, share) for rows in runs) if one is not None]
            if len(times) < len(runs):
                yield Reach(name, protocol, share, None, None, None, len(runs))
            else:
                middle = median(times), min(times), max(times)
                yield Reach(name, protocol, share, *middle, len(runs))


def _when(rows: list[Row], share: float) -> float | None:
    """The end of the first bin by which a run had made this share of its deliveries."""
    ends = [row["to_us"] for row in rows if row["delivered_share"] >= share]
    return min(ends) / 1_000 if ends else None
