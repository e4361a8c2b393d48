"""Nobody is evicted who did nothing wrong.

DESIGN 6, Detector. A node counts as healthy if it never crashed, never paused, and no event of the
scenario disturbed its network. Lifeguard is there to keep this so while others pause; the numbers
measured say what it costs to go without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snowcast.core.effects import MemberChanged, Notice
from snowcast.core.member import State
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.sections import Count
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.core.address import Address
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan


class NoFalseEvictionsOptions(Options, frozen=True, kw_only=True):
    """`[check.no_false_evictions]`."""

    false_max: Count = 0
    """How many healthy nodes may be evicted."""

    def make(self) -> NoFalseEvictions:
        """The checker."""
        return NoFalseEvictions(self.false_max)


class NoFalseEvictions(Checker):
    """Counts who was evicted, and who was suspected, among the healthy and the others."""

    name = "no_false_evictions"
    is_promised_by_all = True

    def __init__(self, false_max: int = 0) -> None:
        super().__init__()
        self._false_max = false_max
        self._plan: Plan
        self._cluster: Cluster
        self._evicted: dict[Address, tuple[int, int]] = {}  # when first, and by whose account
        self._suspected: set[Address] = set()

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """The plan says to whom something is done."""
        self._cluster = cluster
        self._plan = plan

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A view has changed."""
        if not isinstance(notice, MemberChanged):
            return
        if notice.new.state is State.EVICTED:
            self._evicted.setdefault(notice.new.address, (now_us, node.index))
        elif notice.new.state is State.SUSPECT:
            self._suspected.add(notice.new.address)

    def finish(self, now_us: int) -> None:
        """Tell those apart that had it coming."""
        harmed = self._plan.harmed()
        index_of = {node.address: node.index for node in self._cluster.nodes}
        evicted = {index_of[address]: first for address, first in self._evicted.items()}
        suspected = {index_of[address] for address in self._suspected}
        falsely = sorted(set(evicted) - harmed)
        self.measured = {
            "evicted": len(evicted),
            "evicted_healthy": len(falsely),
            "suspected": len(suspected),
            "suspected_healthy": len(suspected - harmed),
        }
        if len(falsely) > self._false_max:
            for node in falsely:
                at_us, witness = evicted[node]
                text = f"node {node}, healthy, was evicted in the view of node {witness}"
                self.wrong(f"{text} at {seconds(at_us)}")
