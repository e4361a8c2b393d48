"""Whoever falls silent is off every view soon, and the cluster hears of it once.

Paper, Silent Leave; DESIGN 6: only the node that suspects announces the eviction. Views of nodes
that left, or crashed themselves, do not count.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from snowcast.core.address import Address
from snowcast.core.codec import decode_members
from snowcast.core.config import SECOND
from snowcast.core.effects import MemberChanged, Notice, Send
from snowcast.core.frames import Data, MessageId
from snowcast.core.member import Member, State
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.observer import NodeChange
from snowcast.sim.sections import Count, Duration
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan


class CrashesDetectedOptions(Options, frozen=True, kw_only=True):
    """`[check.crashes_detected]`."""

    within_s: Duration = 10.0
    announcements_max: Count | None = None
    """How many messages may announce one death."""

    def make(self) -> CrashesDetected:
        """The checker."""
        return CrashesDetected(round(self.within_s * SECOND), self.announcements_max)


class _Crash:
    """A node that fell silent."""

    def __init__(self, node: SimNode, at_us: int) -> None:
        self.node = node
        self.at_us = at_us
        self.is_back = False
        self.gone_us: dict[int, int] = {}  # from which node's view, and when
        self.announcements: set[MessageId] = set()


class CrashesDetected(Checker):
    """Follows each crash until the last view knows."""

    name = "crashes_detected"

    def __init__(self, within_us: int = 10 * SECOND, announcements_max: int | None = None) -> None:
        super().__init__()
        self._within_us = within_us
        self._announcements_max = announcements_max
        self._crashes: dict[Address, _Crash] = {}
        self._nodes: list[SimNode] = []

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """Keep the list of nodes, which grows as they come."""
        self._nodes = cluster.nodes

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """A node falls silent, or is back: then nobody need notice any more."""
        if what in (NodeChange.CRASHED, NodeChange.KILLED):
            self._crashes[node.address] = _Crash(node, now_us)
        elif what is NodeChange.RESTARTED and node.address in self._crashes:
            self._crashes[node.address].is_back = True

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A view has changed."""
        if isinstance(notice, MemberChanged) and not notice.new.is_present:
            crash = self._crashes.get(notice.new.address)
            if crash is not None:
                crash.gone_us[node.index] = now_us

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        """An announcement leaves the node that makes it."""
        frame = send.frame
        if isinstance(frame, Data) and frame.is_system and frame.id.origin == sender:
            for member in _members(frame.payload):
                crash = self._crashes.get(member.address)
                if crash is not None and member.state is State.EVICTED:
                    crash.announcements.add(frame.id)

    def finish(self, now_us: int) -> None:
        """Look who still believes in the dead, and how long it took the others."""
        crashes = [crash for crash in self._crashes.values() if not crash.is_back]
        took_us = [self._follow(crash) for crash in crashes]
        self.measured = {
            "crashes": len(crashes),
            "detected_after_s": max(took_us, default=0) / SECOND,
            "announcements": sum(len(crash.announcements) for crash in crashes),
        }

    def _follow(self, crash: _Crash) -> int:
        """How long it took until the last view knew."""
        index, address = crash.node.index, crash.node.address
        views = [node for node in self._nodes if node.is_up]
        believers = [node.index for node in views if address in node.node.view.ring]
        if believers:
            self.wrong(f"node {index} is dead, and still in the views of {believers[:10]}")
        times_us = [crash.gone_us.get(node.index, crash.at_us) for node in views]
        took_us = max(times_us, default=crash.at_us) - crash.at_us
        if took_us > self._within_us:
            text = f"was in a view for {seconds(took_us)}, not {seconds(self._within_us)}"
            self.wrong(f"node {index}, dead, {text}")
        announced, limit = len(crash.announcements), self._announcements_max
        if limit is not None and announced > limit:
            self.wrong(f"the death of node {index} was announced {announced} times")
        return took_us


@lru_cache(maxsize=256)
def _members(payload: bytes) -> tuple[Member, ...]:
    return decode_members(payload)
