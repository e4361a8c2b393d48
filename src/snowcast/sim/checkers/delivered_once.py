"""No node delivers a message twice, and none delivers what nobody sent.

DESIGN 4.10: once per node, whatever happens; a restart is a new life, which has forgotten.
"""

from __future__ import annotations

from snowcast.core.effects import Accepted, Delivered, Notice
from snowcast.core.frames import MessageId
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.simnode import SimNode


class DeliveredOnceOptions(Options, frozen=True, kw_only=True):
    """`[check.delivered_once]`."""

    def make(self) -> DeliveredOnce:
        """The checker."""
        return DeliveredOnce()


class DeliveredOnce(Checker):
    """Remembers who has delivered what."""

    name = "delivered_once"
    is_promised_by_all = True

    def __init__(self) -> None:
        super().__init__()
        self._sent: set[MessageId] = set()
        self._delivered: set[tuple[int, int, MessageId]] = set()

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A delivery counts against the node's present life."""
        if isinstance(notice, Accepted):
            self._sent.add(notice.id)
        elif isinstance(notice, Delivered):
            self._deliver(now_us, node, notice.id)

    def finish(self, now_us: int) -> None:
        """Give the number of deliveries."""
        self.measured["deliveries"] = len(self._delivered)

    def _deliver(self, now_us: int, node: SimNode, id: MessageId) -> None:
        delivery = node.index, node.life, id
        if id not in self._sent:
            self.wrong(f"node {node.index} delivered {id} at {seconds(now_us)}, sent by nobody")
        elif delivery in self._delivered:
            self.wrong(f"node {node.index} delivered {id} again at {seconds(now_us)}")
        self._delivered.add(delivery)
