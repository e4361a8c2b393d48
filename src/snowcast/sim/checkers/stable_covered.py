"""Every stable node delivers every message, whatever joins and leaves go on meanwhile.

Paper, Algorithm Review and its appendix, Convergence Proof: who is in every view is always covered.
Stable are the nodes that were there when the run began and to whom nothing happened: they neither
left nor crashed. The origin of a message need not deliver it to itself.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.effects import Accepted, Delivered, Notice, Send
from snowcast.core.frames import Frame, MessageId
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.checkers.divergence import Divergence
from snowcast.sim.observer import Lost, NodeChange
from snowcast.sim.sections import Share
from snowcast.sim.simnode import SimNode


class StableCoveredOptions(Options):
    """`[check.stable_covered]`."""

    share_min: Share = 1.0
    """Of all pairs of a message and a stable node, how many have to be deliveries."""

    def make(self) -> StableCovered:
        """The checker."""
        return StableCovered(self.share_min)


class StableCovered(Checker):
    """Counts who has delivered what, and how far views differed on the way."""

    name = "stable_covered"

    def __init__(self, share_min: float = 1.0) -> None:
        super().__init__()
        self._share_min = share_min
        self._stable = 0  # sets of nodes are numbers here, whose bit i speaks for node i
        self._sent: dict[MessageId, tuple[int, int]] = {}  # its origin and when
        self._delivered: dict[MessageId, int] = {}
        self._divergence = Divergence()

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """Who is there from the start is stable, as long as it stays."""
        self._divergence.on_node(node)
        if what is NodeChange.BOOTED:
            self._stable |= 1 << node.index
        elif what in (NodeChange.LEAVING, NodeChange.CRASHED, NodeChange.KILLED):
            self._stable &= ~(1 << node.index)

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A message is sent, or delivered."""
        if isinstance(notice, Accepted):
            self._sent[notice.id] = node.index, now_us
        elif isinstance(notice, Delivered):
            self._delivered[notice.id] = self._delivered.get(notice.id, 0) | 1 << node.index

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        """Note the sender's view."""
        self._divergence.on_send(sender, send)

    def on_drop(self, now_us: int, sender: Address, to: Address, frame: Frame, why: Lost) -> None:
        """A frame that never arrives."""
        self._divergence.on_drop(sender, to, frame)

    def on_frame(self, now_us: int, node: SimNode, sender: Address, frame: Frame) -> None:
        """Compare the receiver's view with the sender's."""
        self._divergence.on_arrival(node, sender, frame)

    def finish(self, now_us: int) -> None:
        """Name what was missed, unless so little that it was expected."""
        expected = missed = 0
        findings = []
        for id, (origin, sent_us) in self._sent.items():
            wanted = self._stable & ~(1 << origin)
            lacking = wanted & ~self._delivered.get(id, 0)
            expected += wanted.bit_count()
            missed += lacking.bit_count()
            if lacking:
                text = f"{id}, sent by node {origin} at {seconds(sent_us)}, missed {_name(lacking)}"
                findings.append(text)
        share = 1 - missed / expected if expected else 1.0
        if share < self._share_min:
            for finding in findings:
                self.wrong(finding)
        self._measure(share, expected)

    def _measure(self, share: float, expected: int) -> None:
        divergence = self._divergence
        self.measured = {
            "messages": len(self._sent),
            "messages_diverging": len(divergence.messages_diverging),
            "frames": divergence.frames,
            "frames_diverging": divergence.frames_diverging,
            "stable": self._stable.bit_count(),
            "expected": expected,
            "share": share,
        }


def _name(nodes: int, names_max: int = 10) -> str:
    """A set of nodes in words."""
    numbers = [index for index in range(nodes.bit_length()) if nodes >> index & 1]
    more = f" and {len(numbers) - names_max} more" if len(numbers) > names_max else ""
    plural = "s" if len(numbers) > 1 else ""
    return f"node{plural} {', '.join(map(str, numbers[:names_max]))}{more}"
