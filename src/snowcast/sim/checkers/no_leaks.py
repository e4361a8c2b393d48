"""When all is quiet, nodes hold on to nothing: no timer, no message, no suspicion is left behind.

What a node remembers is what `Node.sizes()` counts. A probe may always be under way, so those have
a bound and not zero. What is remembered for an age needs a quiet time longer than that age, or a
bound of its own in `allow`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from snowcast.sim.checkers.checker import Checker, Options
from snowcast.sim.sections import Count
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan

ALWAYS_UNDER_WAY = {"probes": 3, "relays": 8}
TIMERS_MAX = 12
"""Three that always run (probe, anti-entropy, healing) and those of the probes under way."""


class NoLeaksOptions(Options, frozen=True, kw_only=True):
    """`[check.no_leaks]`."""

    timers_max: Count = TIMERS_MAX
    allow: dict[str, Count] = msgspec.field(default_factory=dict)
    """How much may be left of what, by the names of `Node.sizes()`; nothing unless said here."""

    def make(self) -> NoLeaks:
        """The checker."""
        return NoLeaks(self.timers_max, self.allow)


class NoLeaks(Checker):
    """Looks at what every node remembers, once, at the end."""

    name = "no_leaks"
    is_promised_by_all = True

    def __init__(self, timers_max: int = TIMERS_MAX, allow: dict[str, int] | None = None) -> None:
        super().__init__()
        self._timers_max = timers_max
        self._allow = ALWAYS_UNDER_WAY | (allow or {})
        self._nodes: list[SimNode] = []

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """Keep the list of nodes, which grows as they come."""
        self._nodes = cluster.nodes

    def finish(self, now_us: int) -> None:
        """Compare with what may be left."""
        most = Counter[str]()
        for node in self._nodes:
            if not node.is_up:
                continue
            sizes = node.node.sizes()
            most |= Counter({**sizes, "timers": len(node.timers)})
            for what, size in sizes.items():
                if size > self._allow.get(what, 0):
                    allowed = self._allow.get(what, 0)
                    self.wrong(f"node {node.index} remembers {size} {what}, not {allowed}")
            if len(node.timers) > self._timers_max:
                kinds = Counter(type(key).__name__ for key in node.timers)
                found = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
                self.wrong(f"node {node.index} has {len(node.timers)} timers set: {found}")
        self.measured = {f"{what}_max": size for what, size in sorted(most.items())}
