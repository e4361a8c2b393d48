"""What a checker is: an observer with an opinion.

A checker holds one invariant. It sees what every observer sees, looks at the nodes now and then,
and says at the end what was wrong; nothing it does changes the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from snowcast.sim.observer import Observer

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan

FINDINGS_MAX = 10
"""How many findings are put into words; the rest are counted."""


class Outcome(msgspec.Struct, frozen=True):
    """What a checker has to say about a run."""

    name: str
    findings: tuple[str, ...]
    """What was wrong, the first few in words."""
    found: int
    """How many things were wrong."""
    measured: dict[str, float] = {}
    """Numbers that came up on the way, for those who want more than yes or no."""
    is_promised: bool = True
    """Whether the protocol promises it; if not, what was found is told and held against nobody."""

    @property
    def is_ok(self) -> bool:
        """Whether the invariant held, if it was promised."""
        return not self.found or not self.is_promised


class Checker(Observer):
    """Holds one invariant over one run."""

    name = ""
    is_promised_by_all = False
    """Whether baselines promise it too, and not Snow alone."""

    def __init__(self) -> None:
        self._findings: list[str] = []
        self._found = 0
        self.measured: dict[str, float] = {}

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """The run is about to begin: no node is there yet."""

    def on_tick(self, now_us: int) -> None:
        """Some time has passed; the nodes can be looked at."""

    def on_quiet(self, now_us: int) -> None:
        """From now on nothing is done to any node, nor by it."""

    def finish(self, now_us: int) -> None:
        """The run is over: say what has not been said yet."""

    def wrong(self, finding: str) -> None:
        """Something is not as it has to be."""
        self._found += 1
        if len(self._findings) < FINDINGS_MAX:
            self._findings.append(finding)

    def outcome(self, is_snow: bool = True) -> Outcome:
        """What was found, after `finish`, in a run of Snow or of a baseline."""
        promised = is_snow or self.is_promised_by_all
        return Outcome(self.name, tuple(self._findings), self._found, self.measured, promised)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of one table `[check.NAME]`; `make` turns them into a checker."""

    def make(self) -> Checker:
        """The checker that these options describe."""
        raise NotImplementedError


def seconds(us: int) -> str:
    """A time as people read it."""
    return f"{us / 1e6:.3f} s"
