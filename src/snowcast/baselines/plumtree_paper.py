"""Plumtree as in the paper's own comparison: other links and other times than the published ones.

Paper, Evaluation; PEERS 1.2.6 tells what was run. The differences, all to its disadvantage:
- Links are not symmetric: a node pushes to k members that it draws when it first forwards a message
  of an origin, "a set of child nodes for every root node". A child that goes is not replaced.
- A message is offered LAZY_US after it came, and not along known links but to k random members.
- Who is offered one waits for MISSING_US before it asks: what is missed comes seven seconds late.
- The origin's own links are never pruned, and no path is taken for being shorter.
`plumtree` is the fair one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from snowcast.baselines.gossip import random_others
from snowcast.baselines.kept import Kept
from snowcast.baselines.missing import Missing
from snowcast.baselines.spreader import Spreader, onward
from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.core.context import Context
from snowcast.core.frames import Data, Frame, Graft, IHave, MessageId, Offer, Prune
from snowcast.core.member import Member
from snowcast.core.timers import LazyTimer, MissingTimer, TimerKey

LAZY_US = 1 * SECOND
MISSING_US = 6 * SECOND
TREES_MAX = 1_024  # how many origins have a tree at this node; the one made first goes first

_Peers = dict[Address, None]  # in the order they came


class PlumtreePaper(Spreader):
    """An eager set for each origin, and offers to anybody."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._trees: dict[Address, _Peers] = {}
        self._kept = Kept()
        self._missing = Missing(context.outbox, MISSING_US, MISSING_US)
        self._offers: deque[tuple[int, Offer]] = deque()  # and when each is due

    def eager(self, origin: Address) -> list[Address]:
        """Whom messages of `origin` are pushed to."""
        return list(self._trees.get(origin, ()))

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Push now, offer later."""
        self._kept.keep(data, now_us)
        self._missing.on_message(data.id)
        self.push(data, self._tree(data.id.origin), but=sender)
        if not self._offers:
            self.context.outbox.set_timer(LazyTimer(), now_us + LAZY_US)
        self._offers.append((now_us + LAZY_US, Offer(data.id, data.hop + 1)))

    def on_duplicate(self, sender: Address, data: Data, now_us: int) -> None:
        """Whoever sent it need not push to this node, unless it is the origin."""
        if sender != data.id.origin:
            self.context.outbox.send(sender, Prune((data.id.origin,)))

    def on_frame(self, sender: Address, frame: Frame, now_us: int) -> None:
        """An offer, or word about a link."""
        match frame:
            case IHave():
                for offer in frame.offers:
                    if self.seen.get(offer.id) is None:
                        self._missing.on_offer(sender, offer, now_us)
            case Graft():
                self._graft(sender, frame.wanted)
            case Prune():
                self._prune(sender, frame.origins or tuple(self._trees))
            case _:
                super().on_frame(sender, frame, now_us)

    def on_timer(self, key: TimerKey, now_us: int) -> None:
        """Offers are due, or a message is missing."""
        match key:
            case LazyTimer():
                self._send_offers(now_us)
            case MissingTimer():
                holder = self._missing.on_timer(key.id, now_us)
                if holder is not None:
                    self.context.outbox.send(holder, Graft((key.id,)))

    def on_departed(self, member: Member, now_us: int) -> None:
        """No more is pushed to it or expected from it."""
        self._trees.pop(member.address, None)
        self._prune(member.address, self._trees)
        self._missing.on_departed(member.address)

    def forget_old(self, now_us: int) -> None:
        """Forget messages of another age."""
        super().forget_old(now_us)
        self._kept.forget_old(now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered, but for the links: of those there are always some."""
        own = {"kept": len(self._kept), "missing": len(self._missing), "offers": len(self._offers)}
        return super().sizes() | own

    def _tree(self, origin: Address) -> _Peers:
        """This node's children in the tree of `origin`, drawn if there is none yet."""
        tree = self._trees.get(origin)
        if tree is None:
            tree = self._trees[origin] = dict.fromkeys(self._draw())
            if len(self._trees) > TREES_MAX:
                del self._trees[next(iter(self._trees))]
        return tree

    def _draw(self) -> list[Address]:
        context = self.context
        return random_others(context.view.ring, context.me, context.config.fanout, context.rng)

    def _graft(self, peer: Address, wanted: Iterable[MessageId]) -> None:
        for id in wanted:
            if peer in self.context.view.ring:
                self._tree(id.origin)[peer] = None
            data = self._kept.get(id)
            if data is not None:
                self.context.outbox.send(peer, onward(data))

    def _prune(self, peer: Address, origins: Iterable[Address]) -> None:
        for origin in origins:
            if origin in self._trees:
                self._trees[origin].pop(peer, None)

    def _send_offers(self, now_us: int) -> None:
        """Offer what is due, each message to members of its own who get none pushed."""
        while self._offers and self._offers[0][0] <= now_us:
            _, offer = self._offers.popleft()
            for peer in self._draw():
                if peer not in self._trees.get(offer.id.origin, ()):
                    self.context.outbox.send(peer, IHave((offer,)))
        if self._offers:
            self.context.outbox.set_timer(LazyTimer(), self._offers[0][0])
