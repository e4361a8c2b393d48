"""Membership: what this node says of itself, and what it believes of others.

Paper, Membership Maintenance; DESIGN 6.

Rules of this file:
- All knowledge about members goes through `learn`, wherever it comes from.
- Only a node itself raises its incarnation: to refute a suspicion or an eviction, by one.
- What this process cannot have caused was another's: of a greater incarnation than it has, or that
  it left. Then it begins a later life; in that one it would give out message ids a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.effects import MemberChanged
from snowcast.core.member import (
    INCARNATION_MAX,
    REFUTATION_BITS,
    Member,
    State,
    first_incarnation,
)
from snowcast.core.view import Change

Listener = Callable[[list[Change], Address, int], None]


class Membership:
    """This node's record of itself, and the one door for knowledge about others."""

    def __init__(self, context: Context, me: Member) -> None:
        self._context = context
        self.me = me
        self.is_leaving = False
        self.listeners: list[Listener] = []
        """Told of changes: what they are, who told this node, and when."""
        self.on_suspect: Callable[[Member, Address, int], None] = lambda *claim: None
        """Called with each claim that a member is suspect, whether news or not."""
        self.has_accused: Callable[[Address], bool] = lambda address: False
        """Whether this node itself waits for that member to refute."""
        self.announce: Callable[[Iterable[Member], int], None] = lambda members, now_us: None
        """Tells all members."""
        context.view.merge((me,), 0)

    def learn(self, members: Iterable[Member], source: Address, now_us: int) -> list[Change]:
        """Take what is news in `members`, as told by `source`; return what has changed."""
        others = []
        for member in members:
            if member.address == self.me.address:
                self._hear_of_myself(member, now_us)
            else:
                others.append(member)
        changes = self._context.view.merge(others, now_us)
        for change in changes:
            self._context.outbox.notify(MemberChanged(change.old, change.new))
        if changes:
            for listener in self.listeners:
                listener(changes, source, now_us)
        for member in others:
            if member.state is State.SUSPECT:
                self.on_suspect(member, source, now_us)
        return changes

    def hear(self, members: Iterable[Member], sender: Address, now_us: int) -> None:
        """Learn what `sender` says to this node alone; if it refutes, its accuser spreads that.

        Others hear a refutation too: whoever probes a suspect, or helps with that. If all of them
        spread it, one member that was slow would cost as many broadcasts.
        """
        is_ours = self.has_accused(sender)  # asked first: a refutation ends a suspicion
        changes = self.learn(members, sender, now_us)
        if is_ours:
            self.announce([c.new for c in changes if c.new.address == sender], now_us)

    def refute(self, incarnation: int, now_us: int) -> bool:
        """Outlive what is said of this node's `incarnation`; False if it need not or cannot."""
        is_possible = incarnation < INCARNATION_MAX and not self.is_leaving
        if incarnation < self.me.incarnation or not is_possible:
            return False
        is_mine = incarnation == self.me.incarnation
        outlived = incarnation + 1 if is_mine else _later_life(incarnation)
        self._become(msgspec.structs.replace(self.me, incarnation=outlived), now_us)
        return True

    def leave(self, now_us: int) -> None:
        """Announce that this node leaves. Its own ring keeps it: it goes on forwarding."""
        self.is_leaving = True
        self.me = msgspec.structs.replace(self.me, state=State.LEFT)
        self.announce((self.me,), now_us)

    def retag(self, tags: tuple[tuple[str, str], ...], now_us: int) -> None:
        """Announce other tags of this node, as a newer incarnation of it; too late in a leaver."""
        if self.is_leaving:
            return
        incarnation = self.me.incarnation + 1
        me = msgspec.structs.replace(self.me, incarnation=incarnation, tags=tags)
        self._become(me, now_us)
        self.announce((me,), now_us)

    def evict(self, address: Address, now_us: int) -> None:
        """Evict a member on the operator's word."""
        member = self._context.view.get(address)
        if member is not None and member.is_present and address != self.me.address:
            evicted = msgspec.structs.replace(member, state=State.EVICTED)
            self.learn((evicted,), self.me.address, now_us)
            self.announce((evicted,), now_us)

    def _hear_of_myself(self, member: Member, now_us: int) -> None:
        is_old_news = member.state is State.ALIVE and member.incarnation <= self.me.incarnation
        if is_old_news or self.is_leaving:
            return
        if member.state is State.LEFT and member.incarnation == self.me.incarnation:
            later = msgspec.structs.replace(self.me, incarnation=_later_life(member.incarnation))
            self._become(later, now_us)
        else:
            self.refute(member.incarnation, now_us)
        self.announce((self.me,), now_us)

    def _become(self, me: Member, now_us: int) -> None:
        self.me = me
        self._context.view.merge((me,), now_us)


def _later_life(incarnation: int) -> int:
    """The first incarnation of the next life, or where there is none just a greater one."""
    later = first_incarnation((incarnation >> REFUTATION_BITS) + 1)
    return later if later <= INCARNATION_MAX else min(incarnation + 1, INCARNATION_MAX)
