"""A receipt says what is so: who is not named has the message, who is named has not.

Paper, Reliable Message; DESIGN 5. Held against what the nodes themselves have delivered by then:

- Whoever was a member in the origin's view at the start, and has not left since, either has the
  message or is named (or is among those counted without a name).
- Whoever is named does not have it. Where acks can be lost this is more than anybody can know:
  `may_doubt` allows to name one that has it.
- No more are counted as delivered than have delivered.
- Every reliable message of an origin that stays gets its receipt.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.core.effects import Accepted, Delivered, Notice, Receipt, Send
from snowcast.core.frames import Data, MessageId
from snowcast.core.member import State
from snowcast.core.ring import Ring
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.sections import Duration
from snowcast.sim.simnode import SimNode


class ReceiptsTruthfulOptions(Options):
    """`[check.receipts_truthful]`."""

    may_doubt: bool = False
    after_delivery_ms_max: Duration | None = None
    """How long after the last delivery before it a receipt may come."""

    def make(self) -> ReceiptsTruthful:
        """The checker."""
        limit_ms = self.after_delivery_ms_max
        return ReceiptsTruthful(self.may_doubt, None if limit_ms is None else round(limit_ms * MS))


class _Sent:
    """A message on its way."""

    def __init__(self, origin: SimNode, members: Ring, at_us: int) -> None:
        self.origin = origin
        self.life = origin.life
        self.members = members
        self.is_reliable = False
        self.has_receipt = False
        self.delivered: set[Address] = set()
        self.last_us = at_us


class ReceiptsTruthful(Checker):
    """Compares every receipt with the deliveries that were."""

    name = "receipts_truthful"

    def __init__(self, may_doubt: bool = False, after_delivery_us_max: int | None = None) -> None:
        super().__init__()
        self._may_doubt = may_doubt
        self._after_us_max = after_delivery_us_max
        self._sent: dict[MessageId, _Sent] = {}
        self.measured = {"receipts": 0, "complete": 0, "named": 0, "after_delivery_ms": 0}

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        """A reliable message is known by its frames."""
        frame = send.frame
        if isinstance(frame, Data) and frame.is_reliable and frame.id in self._sent:
            self._sent[frame.id].is_reliable = True

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A message is sent, or delivered, or accounted for."""
        if isinstance(notice, Accepted):
            members = node.node.view.ring.with_members(())
            self._sent[notice.id] = _Sent(node, members, now_us)
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
        silent = self._who_should_be_named(node, sent) - named
        if len(silent) > receipt.unnamed:
            self.wrong(f"{receipt.id}: is silent about {_names(silent)}, without the message")
        if not self._may_doubt and (doubted := named & have):
            self.wrong(f"{receipt.id}: names {_names(doubted)}, with the message")
        if receipt.delivered > len(have):
            text = f"counts {receipt.delivered} deliveries, there were {len(have)}"
            self.wrong(f"{receipt.id}: {text}")
        self._measure(receipt, now_us - sent.last_us)

    def _who_should_be_named(self, node: SimNode, sent: _Sent) -> set[Address]:
        """Members at the start that have neither the message nor left."""
        without = set(sent.members) - sent.delivered - {node.address}
        return {address for address in without if not _has_left(node, address)}

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


def _has_left(node: SimNode, address: Address) -> bool:
    known = node.node.view.get(address)
    return known is not None and known.state is State.LEFT


def _names(addresses: set[Address], names_max: int = 5) -> str:
    names = ", ".join(map(str, sorted(addresses)[:names_max]))
    return f"{names} and {len(addresses) - names_max} more" if len(addresses) > names_max else names
