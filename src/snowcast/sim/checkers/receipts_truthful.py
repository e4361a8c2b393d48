"""A receipt says what is so: who is not named has the message, who is named has not.

Paper, Reliable Message; DESIGN 5. Held against what the nodes themselves have delivered by then:

- Whoever was in every view at the start, and has not left since, either has the message or is named
  (or is among those counted without a name). Nobody can vouch for those that not all knew.
- Whoever is named does not have it. Where acks can be lost this is more than anybody can know:
  `may_doubt` allows to name one that has it.
- No more are counted as delivered than have delivered. Where views differ, one member can be in
  two regions and be counted twice: `may_miscount` allows that.
- Every reliable message of an origin that stays gets its receipt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.core.effects import Accepted, Delivered, Notice, Receipt
from snowcast.core.events import Broadcast
from snowcast.core.frames import MessageId
from snowcast.sim.checkers.agreement import known_to_all
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.observer import NodeChange
from snowcast.sim.sections import Duration
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan


class ReceiptsTruthfulOptions(Options, frozen=True, kw_only=True):
    """`[check.receipts_truthful]`."""

    may_doubt: bool = False
    may_miscount: bool = False
    after_delivery_ms_max: Duration | None = None
    """How long after the last delivery before it a receipt may come."""

    def make(self) -> ReceiptsTruthful:
        """The checker."""
        limit_ms = self.after_delivery_ms_max
        limit_us = None if limit_ms is None else round(limit_ms * MS)
        return ReceiptsTruthful(self.may_doubt, self.may_miscount, limit_us)


class _Sent:
    """A message on its way."""

    def __init__(self, origin: SimNode, known: set[Address], at_us: int) -> None:
        self.origin = origin
        self.life = origin.life
        self.known = known
        self.is_reliable = False
        self.has_receipt = False
        self.delivered: set[Address] = set()
        self.last_us = at_us


class ReceiptsTruthful(Checker):
    """Compares every receipt with the deliveries that were."""

    name = "receipts_truthful"

    def __init__(
        self,
        may_doubt: bool = False,
        may_miscount: bool = False,
        after_delivery_us_max: int | None = None,
    ) -> None:
        super().__init__()
        self._may_doubt = may_doubt
        self._may_miscount = may_miscount
        self._after_us_max = after_delivery_us_max
        self._nodes: list[SimNode] = []
        self._left: set[Address] = set()
        self._sent: dict[MessageId, _Sent] = {}
        self.measured = {"receipts": 0, "complete": 0, "named": 0, "after_delivery_ms": 0}

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """Keep the list of nodes, which grows as they come."""
        self._nodes = cluster.nodes

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """Nobody answers for those that leave."""
        if what is NodeChange.LEAVING:
            self._left.add(node.address)

    def on_broadcast(self, now_us: int, node: SimNode, id: MessageId, broadcast: Broadcast) -> None:
        """Only what was sent as reliable is owed a receipt."""
        self._sent[id].is_reliable = broadcast.is_reliable

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A message is sent, or delivered, or accounted for."""
        if isinstance(notice, Accepted):
            self._sent[notice.id] = _Sent(node, known_to_all(self._nodes), now_us)
        elif isinstance(notice, Delivered):
            if notice.id in self._sent:
                sent = self._sent[notice.id]
                sent.delivered.add(node.address)
                sent.last_us = now_us
        elif isinstance(notice, Receipt):
            self._compare(now_us, node, notice)

    def finish(self, now_us: int) -> None:
        """Look for receipts that never came."""
        for id, sent in self._sent.items():
            origin = sent.origin
            is_there = origin.is_up and origin.life == sent.life
            if sent.is_reliable and not sent.has_receipt and is_there:
                self.wrong(f"{id}: no receipt for node {origin.index}")

    def _compare(self, now_us: int, node: SimNode, receipt: Receipt) -> None:
        sent = self._sent[receipt.id]
        if sent.has_receipt:
            self.wrong(f"{receipt.id}: a second receipt at {seconds(now_us)}")
        sent.has_receipt = True
        named = set(receipt.missing)
        have = sent.delivered - {node.address}
        silent = sent.known - sent.delivered - self._left - named - {node.address}
        if len(silent) > receipt.unnamed:
            self.wrong(f"{receipt.id}: is silent about {_names(silent)}, without the message")
        if not self._may_doubt and (doubted := named & have):
            self.wrong(f"{receipt.id}: names {_names(doubted)}, with the message")
        if receipt.delivered > len(have) and not self._may_miscount:
            text = f"counts {receipt.delivered} deliveries, there were {len(have)}"
            self.wrong(f"{receipt.id}: {text}")
        self._measure(receipt, now_us - sent.last_us)

    def _measure(self, receipt: Receipt, after_us: int) -> None:
        measured = self.measured
        measured["receipts"] += 1
        measured["complete"] += receipt.is_complete
        measured["named"] += len(receipt.missing)
        measured["after_delivery_ms"] = max(measured["after_delivery_ms"], after_us / MS)
        limit_us = self._after_us_max
        if limit_us is not None and after_us > limit_us:
            text = f"came {seconds(after_us)} after the last delivery, not {seconds(limit_us)}"
            self.wrong(f"{receipt.id}: the receipt {text}")


def _names(addresses: set[Address], names_max: int = 5) -> str:
    names = ", ".join(map(str, sorted(addresses)[:names_max]))
    return f"{names} and {len(addresses) - names_max} more" if len(addresses) > names_max else names
