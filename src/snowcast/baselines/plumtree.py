"""Plumtree as published: push along a tree, offer along all other links, mend the tree by need.

J. Leitao, J. Pereira, L. Rodrigues: Epidemic Broadcast Trees, SRDS 2007, algorithms 1 to 3. Links
are symmetric and each is eager (messages are pushed along it) or lazy (they are only offered, by
IHAVE). All begin eager. A duplicate makes its link lazy at both ends (PRUNE), so what stays eager
is a tree; a message that was offered and does not come makes the link of the offer eager again
(GRAFT). There is one tree, shaped by whoever sends and shared by all.

What the publication leaves to others, and its values here:
- Links: `overlay`.
- Offers gather for LAZY_US before they are sent, one frame for each neighbour.
- A missing message is asked for MISSING_US after the first offer, then every RETRY_US. A copy in
  time is worth more than an early one: what is asked for too soon comes twice, and prunes links of
  the tree that did nothing wrong. So the time covers the spread of arrivals of one message where
  nodes take up to 200 ms to forward it, as in the paper's experiments.
- OPTIMIZE_HOPS: how much shorter an offered path must be to be taken instead (3.8, optimization).
"""

from __future__ import annotations

from snowcast.baselines.kept import Kept
from snowcast.baselines.linked import Linked
from snowcast.baselines.missing import Missing, Offered
from snowcast.baselines.spreader import onward
from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.core.context import Context
from snowcast.core.frames import Data, Frame, Graft, IHave, MessageId, Offer, Prune
from snowcast.core.member import Member
from snowcast.core.timers import LazyTimer, MissingTimer, TimerKey

LAZY_US = 100 * MS
MISSING_US = 500 * MS
RETRY_US = 250 * MS
OPTIMIZE_HOPS = 3


class Plumtree(Linked):
    """Eager and lazy links, and what goes over the lazy ones."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._is_eager: dict[Address, bool] = {}
        self._kept = Kept()
        self._missing = Missing(context.outbox, MISSING_US, RETRY_US)
        self._offers: dict[Address, list[Offer]] = {}

    @property
    def eager(self) -> list[Address]:
        """Whom messages are pushed to."""
        return [peer for peer, is_eager in self._is_eager.items() if is_eager]

    @property
    def lazy(self) -> list[Address]:
        """Whom messages are offered to."""
        return [peer for peer, is_eager in self._is_eager.items() if not is_eager]

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Push and offer; whoever sent the first copy is this node's parent in the tree."""
        self._kept.keep(data, now_us)
        offers = self._missing.on_message(data.id)
        self.push(data, self.eager, but=sender)
        self._offer(data, sender, now_us)
        if sender is not None:
            self._set_eager(sender, True)
            self._optimize(sender, data, offers)

    def on_duplicate(self, sender: Address, data: Data, now_us: int) -> None:
        """This link is not needed for the tree."""
        self._set_eager(sender, False)
        self.context.outbox.send(sender, Prune())

    def on_frame(self, sender: Address, frame: Frame, now_us: int) -> None:
        """An offer, or word about a link."""
        match frame:
            case IHave():
                for offer in frame.offers:
                    if self.seen.get(offer.id) is None:
                        self._missing.on_offer(sender, offer, now_us)
            case Graft():
                self._set_eager(sender, True)
                self._give(sender, frame.wanted)
            case Prune():
                self._set_eager(sender, False)
            case _:
                super().on_frame(sender, frame, now_us)

    def on_timer(self, key: TimerKey, now_us: int) -> None:
        """Offers are due, or a message is missing."""
        match key:
            case LazyTimer():
                due, self._offers = self._offers, {}
                for peer, offers in due.items():
                    self.context.outbox.send(peer, IHave(tuple(offers)))
            case MissingTimer():
                holder = self._missing.on_timer(key.id, now_us)
                if holder is not None:
                    self._set_eager(holder, True)
                    self.context.outbox.send(holder, Graft((key.id,)))

    def on_departed(self, member: Member, now_us: int) -> None:
        """The link to it is gone; to a new life of it there would be a new one."""
        self._is_eager.pop(member.address, None)
        self._offers.pop(member.address, None)
        self._missing.on_departed(member.address)
        super().on_departed(member, now_us)

    def on_links(self) -> None:
        """New links are eager, as all are in the beginning."""
        self._is_eager = {peer: self._is_eager.get(peer, True) for peer in self.links}

    def forget_old(self, now_us: int) -> None:
        """Forget messages of another age."""
        super().forget_old(now_us)
        self._kept.forget_old(now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        offers = sum(map(len, self._offers.values()))
        own = {"kept": len(self._kept), "missing": len(self._missing), "offers": offers}
        return super().sizes() | own

    def _set_eager(self, peer: Address, is_eager: bool) -> None:
        """Where views differ a peer may think that there is a link: it is no link for that."""
        if peer in self._is_eager:
            self._is_eager[peer] = is_eager

    def _offer(self, data: Data, sender: Address | None, now_us: int) -> None:
        offer = Offer(data.id, data.hop + 1)
        for peer in self.lazy:
            if peer != sender:
                if not self._offers:
                    self.context.outbox.set_timer(LazyTimer(), now_us + LAZY_US)
                self._offers.setdefault(peer, []).append(offer)

    def _give(self, peer: Address, wanted: tuple[MessageId, ...]) -> None:
        for id in wanted:
            data = self._kept.get(id)
            if data is not None:
                self.context.outbox.send(peer, onward(data))

    def _optimize(self, sender: Address, data: Data, offers: list[Offered]) -> None:
        """Take a path that is much shorter than the one by which the message came."""
        shortest = min(offers, key=lambda offered: offered.hop, default=None)
        if shortest is None or data.hop - shortest.hop < OPTIMIZE_HOPS:
            return
        self._set_eager(shortest.peer, True)
        self.context.outbox.send(shortest.peer, Graft(()))
        self._set_eager(sender, False)
        self.context.outbox.send(sender, Prune())
