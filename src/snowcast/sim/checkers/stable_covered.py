"""Every stable node delivers every message, whatever joins and leaves go on meanwhile.

Paper, Algorithm Review and its appendix, Convergence Proof: who is in every view is always covered.
Stable are the nodes that were there when the run began and to whom nothing happened: they neither
left nor crashed. For one message stable are also those that are in every view when it is sent, and
still there when its last frame arrives: the paper promises a joiner as much once all know it.

The origin of a message need not deliver it to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snowcast.core.address import Address
from snowcast.core.effects import Accepted, Delivered, Notice
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.sim.checkers.agreement import Divergence, known_to_all
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.observer import NodeChange
from snowcast.sim.sections import Share
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan

GONE = (NodeChange.LEAVING, NodeChange.CRASHED, NodeChange.KILLED)


class StableCoveredOptions(Options, frozen=True, kw_only=True):
    """`[check.stable_covered]`."""

    share_min: Share = 1.0
    """Of all pairs of a message and a stable node, how many have to be deliveries."""

    def make(self) -> StableCovered:
        """The checker."""
        return StableCovered(self.share_min)


class _Sent:
    """A message on its way. Sets of nodes are numbers, whose bit i speaks for node i."""

    __slots__ = ("at_us", "delivered", "known", "last_us", "origin")

    def __init__(self, origin: int, at_us: int, known: int) -> None:
        self.origin = origin
        self.at_us = self.last_us = at_us
        self.known = known
        self.delivered = 0


class StableCovered(Checker):
    """Counts who has delivered what, and how far views differed on the way."""

    name = "stable_covered"

    def __init__(self, share_min: float = 1.0) -> None:
        super().__init__()
        self._share_min = share_min
        self._nodes: list[SimNode] = []
        self._index_of: dict[Address, int] = {}
        self._booted = 0
        self._gone_us: dict[int, int] = {}
        self._sent: dict[MessageId, _Sent] = {}
        self._divergence = Divergence()

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """Keep the list of nodes, which grows as they come."""
        self._nodes = cluster.nodes

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """A node comes, or goes for the first time."""
        self._divergence.on_node(node)
        self._index_of[node.address] = node.index
        if what is NodeChange.BOOTED:
            self._booted |= 1 << node.index
        elif what in GONE:
            self._gone_us.setdefault(node.index, now_us)

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A message is sent, or delivered."""
        if isinstance(notice, Accepted):
            known = self._mask(known_to_all(self._nodes))
            self._sent[notice.id] = _Sent(node.index, now_us, known)
        elif isinstance(notice, Delivered) and notice.id in self._sent:
            self._sent[notice.id].delivered |= 1 << node.index

    def on_frame(self, now_us: int, node: SimNode, sender: Address, frame: Frame) -> None:
        """A message is on its way still."""
        if isinstance(frame, Data) and not frame.is_system:
            self._divergence.on_frame(node, sender, frame)
            if frame.id in self._sent:
                self._sent[frame.id].last_us = now_us

    def finish(self, now_us: int) -> None:
        """Name what was missed, unless so little that it was expected."""
        expected = missed = 0
        findings = []
        for id, sent in self._sent.items():
            wanted = self._wanted(sent)
            lacking = wanted & ~sent.delivered
            expected += wanted.bit_count()
            missed += lacking.bit_count()
            if lacking:
                when = f"sent by node {sent.origin} at {seconds(sent.at_us)}"
                findings.append(f"{id}, {when}, missed {_names(lacking)}")
        share = 1 - missed / expected if expected else 1.0
        if share < self._share_min:
            for finding in findings:
                self.wrong(finding)
        self._measure(share, expected)

    def _wanted(self, sent: _Sent) -> int:
        """Who has to deliver a message."""
        wanted = sent.known
        for node, gone_us in self._gone_us.items():
            if gone_us <= sent.last_us:
                wanted &= ~(1 << node)
        return (wanted | self._stable()) & ~(1 << sent.origin)

    def _stable(self) -> int:
        return self._booted & ~sum(1 << node for node in self._gone_us)

    def _mask(self, addresses: set[Address]) -> int:
        return sum(1 << self._index_of[address] for address in addresses)

    def _measure(self, share: float, expected: int) -> None:
        divergence = self._divergence
        self.measured = {
            "messages": len(self._sent),
            "messages_diverging": len(divergence.messages_diverging),
            "frames": divergence.frames,
            "frames_diverging": divergence.frames_diverging,
            "stable": self._stable().bit_count(),
            "expected": expected,
            "share": share,
        }


def _names(nodes: int, names_max: int = 10) -> str:
    """A set of nodes in words."""
    numbers = [index for index in range(nodes.bit_length()) if nodes >> index & 1]
    more = f" and {len(numbers) - names_max} more" if len(numbers) > names_max else ""
    plural = "s" if len(numbers) > 1 else ""
    return f"node{plural} {', '.join(map(str, numbers[:names_max]))}{more}"
