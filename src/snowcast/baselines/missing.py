"""Messages that others have offered and that have not come, and whom to ask for them.

Plumtree (Leitao, Pereira, Rodrigues 2007), algorithm 2: an IHAVE starts a timer unless one runs;
when it fires the first who offered is asked, and the next if that does not help. Nobody is asked
twice for one offer, so a message that cannot be had is given up when all were asked.
"""

from __future__ import annotations

from typing import NamedTuple

from snowcast.core.address import Address
from snowcast.core.effects import Outbox
from snowcast.core.frames import MessageId, Offer
from snowcast.core.timers import MissingTimer

MISSING_MAX = 4_096  # how many messages can be missing at once; offers of more are passed over
OFFERS_MAX = 64  # how many offers of one message are remembered


class Offered(NamedTuple):
    """Who has a message, and what hop its copy would carry."""

    peer: Address
    hop: int


class Missing:
    """What is missing, each with the offers of it in the order they came."""

    __slots__ = ("_first_us", "_next_us", "_offers", "_outbox")

    def __init__(self, outbox: Outbox, first_us: int, next_us: int) -> None:
        self._outbox = outbox
        self._first_us = first_us
        self._next_us = next_us
        self._offers: dict[MessageId, list[Offered]] = {}

    def __len__(self) -> int:
        return len(self._offers)

    def on_offer(self, peer: Address, offer: Offer, now_us: int) -> None:
        """`peer` has a message that this node has not."""
        offers = self._offers.get(offer.id)
        if offers is None:
            if len(self._offers) >= MISSING_MAX:
                return
            offers = self._offers[offer.id] = []
            self._outbox.set_timer(MissingTimer(offer.id), now_us + self._first_us)
        if len(offers) < OFFERS_MAX:
            offers.append(Offered(peer, offer.hop))

    def on_timer(self, id: MessageId, now_us: int) -> Address | None:
        """It has not come in time: whom to ask for it, if anybody is left."""
        offers = self._offers.get(id)
        if not offers:
            self._offers.pop(id, None)
            return None
        self._outbox.set_timer(MissingTimer(id), now_us + self._next_us)
        return offers.pop(0).peer

    def on_message(self, id: MessageId) -> list[Offered]:
        """It has come: the offers of it that were not taken up."""
        offers = self._offers.pop(id, None)
        if offers is None:
            return []
        self._outbox.cancel_timer(MissingTimer(id))
        return offers

    def on_departed(self, peer: Address) -> None:
        """A member is gone, and what it offered with it."""
        for id, offers in self._offers.items():
            self._offers[id] = [offered for offered in offers if offered.peer != peer]
