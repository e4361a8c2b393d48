"""Joining: take a full view from a contact, then be announced by it.

Paper, Node Join. The contact announces its joiners, not they themselves, so that those who come
together are one message (DESIGN 6). Every view that anybody holds meanwhile contains all members
that were there before, which is why nobody who is stable misses anything.

Rules of this file:
- A contact lets in one batch at a time: views out, readiness back, then one announcement.
- Who is ready too late for its batch has missed what changed since. It is given the view again,
  with the next batch: on a slow day it need not wait for its own patience to end.
- What the contact learns from others meanwhile, and for a while after, it passes on to its latest
  joiners, for those others do not know them yet.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.effects import Joined
from snowcast.core.frames import JoinReady, JoinRequest, Records, ViewPart
from snowcast.core.member import Member
from snowcast.core.membership import Membership
from snowcast.core.timers import DoorTimer, JoinTimer
from snowcast.core.view import Change

VIEW_PART_MEMBERS = 1_000


class Joiner:
    """A node's own way into a cluster."""

    def __init__(self, context: Context, membership: Membership) -> None:
        self._context = context
        self._membership = membership
        self._seeds: list[Address] = []
        self._contact: Address | None = None
        self._parts: list[Member] = []

    @property
    def is_joining(self) -> bool:
        """Whether this node still waits to be announced."""
        return bool(self._seeds)

    def start(self, seeds: tuple[Address, ...], now_us: int) -> None:
        """Ask the seeds, one after the other, for ever."""
        self._seeds = [seed for seed in seeds if seed != self._context.me]
        self._context.rng.shuffle(self._seeds)
        self.try_next(now_us)

    def try_next(self, now_us: int) -> None:
        """Ask the next seed."""
        if not self._seeds:
            return
        self._contact = self._seeds.pop(0)
        self._seeds.append(self._contact)
        self._parts.clear()
        self._context.outbox.send(self._contact, JoinRequest(self._membership.me))
        timeout_us = self._context.config.join_timeout_us
        self._context.outbox.set_timer(JoinTimer(), now_us + timeout_us)

    def on_view_part(self, sender: Address, part: ViewPart, now_us: int) -> None:
        """The contact's view; once it is whole, this node can forward and says so."""
        if sender != self._contact or not self.is_joining:
            return
        self._parts += part.members
        if part.is_last:
            self._membership.learn(self._parts, sender, now_us)
            self._parts.clear()
            ready = JoinReady(self._membership.me.incarnation)
            self._context.outbox.send(sender, ready)

    def on_unreachable(self, peer: Address, now_us: int) -> None:
        """The contact is not there: do not wait the whole timeout for it."""
        if self.is_joining and peer == self._contact:
            self._contact = None
            retry_us = self._context.config.probe_interval_us
            self._context.outbox.set_timer(JoinTimer(), now_us + retry_us)

    def on_announced(self) -> None:
        """An announcement names this node: everybody knows it now."""
        if self.is_joining:
            self._seeds = []
            self._context.outbox.cancel_timer(JoinTimer())
            self._context.outbox.notify(Joined())


class Door:
    """The contact's side: who has knocked, who is being let in, who has just come in."""

    def __init__(
        self, context: Context, membership: Membership, flush: Callable[[int], None]
    ) -> None:
        self._context = context
        self._membership = membership
        self._flush = flush
        self._waiting: dict[Address, Member] = {}
        self._batch: dict[Address, Member] = {}
        self._ready: dict[Address, Member] = {}
        self._late: dict[Address, Member] = {}  # of the last batch, who was not ready in time
        self._latest: dict[Address, int] = {}  # who came in, and until when to keep it up to date
        self._next_us = 0  # when the next batch may be let in
        membership.listeners.append(self._on_changes)

    def on_request(self, member: Member, now_us: int) -> None:
        """Somebody knocks."""
        self._waiting[member.address] = member
        self._late.pop(member.address, None)
        if not self._batch:
            if now_us >= self._next_us:
                self._let_in(now_us)
            else:
                self._context.outbox.set_timer(DoorTimer(), self._next_us)

    def on_ready(self, sender: Address, incarnation: int, now_us: int) -> None:
        """A joiner holds the view; once all do, announce them."""
        member = self._batch.get(sender)
        if member is None:
            late = self._late.get(sender)
            if late is not None:
                self.on_request(late, now_us)
            return
        self._ready[sender] = msgspec.structs.replace(member, incarnation=incarnation)
        if len(self._ready) == len(self._batch):
            self._announce(now_us)

    def on_timer(self, now_us: int) -> None:
        """Go on without those that are not ready, or let in those that wait."""
        if self._batch:
            self._announce(now_us)
        elif self._waiting:
            self._let_in(now_us)

    def forget_old(self, now_us: int) -> None:
        """Those who came in long enough ago are known to all by now."""
        self._latest = {a: until_us for a, until_us in self._latest.items() if until_us > now_us}

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        held = (self._waiting, self._batch, self._late, self._latest)
        return {"joiners": sum(len(joiners) for joiners in held)}

    def _let_in(self, now_us: int) -> None:
        """Send the view, and each other, to all who wait."""
        self._batch, self._waiting = self._waiting, {}
        view = self._context.view
        known = (*view.members(), *view.tombstones(), *self._batch.values())
        parts = [
            known[first : first + VIEW_PART_MEMBERS]
            for first in range(0, len(known), VIEW_PART_MEMBERS)
        ]
        for address in self._batch:
            for part in parts:
                self._context.outbox.send(address, ViewPart(part, part is parts[-1]))
        wait_us = self._context.config.hop_timeout_us
        self._context.outbox.set_timer(DoorTimer(), now_us + wait_us)

    def _announce(self, now_us: int) -> None:
        """Take the ready ones into the view and tell everybody, them included."""
        self._context.outbox.cancel_timer(DoorTimer())
        joined = tuple(self._ready.values())
        self._late = {a: member for a, member in self._batch.items() if a not in self._ready}
        self._batch, self._ready = {}, {}
        if joined:
            self._membership.learn(joined, self._context.me, now_us)
            self._membership.announce(joined, now_us)
            self._flush(now_us)
        self.forget_old(now_us)
        for member in joined:
            self._latest[member.address] = now_us + self._context.config.join_timeout_us
        self._next_us = now_us + self._context.config.join_batch_us
        if self._waiting:
            self._context.outbox.set_timer(DoorTimer(), self._next_us)

    def _on_changes(self, changes: list[Change], source: Address, now_us: int) -> None:
        """Pass on to those on the doorstep what others may not know to tell them."""
        if source == self._context.me or not (self._batch or self._latest):
            return
        self.forget_old(now_us)
        news = Records(tuple(change.new for change in changes))
        for address in (*self._batch, *self._latest):
            if address != source:
                self._context.outbox.send(address, news)
