"""Suspicions: a silent member has a while to refute, a shorter one the more nodes agree.

Lifeguard's suspicion timeouts: from `suspicion_max_factor` times the minimum, without any
confirmation, down to the minimum with `confirmations` of them. Only the accuser broadcasts the
eviction. Whoever else knows of the suspicion evicts alone, and in silence, if the accuser has not
done so long after it should have.
"""

from __future__ import annotations

from math import log

import msgspec

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.frames import Ping, Records
from snowcast.core.member import Member, State
from snowcast.core.membership import Membership
from snowcast.core.timers import SuspicionTimer
from snowcast.core.view import Change


class _Suspicion:
    __slots__ = ("accuser", "confirmers", "incarnation", "started_us")

    def __init__(self, accuser: Address, incarnation: int, started_us: int) -> None:
        self.accuser = accuser
        self.incarnation = incarnation
        self.started_us = started_us
        self.confirmers: set[Address] = set()


class Suspicions:
    """The members under suspicion, by this node or by others."""

    def __init__(self, context: Context, membership: Membership) -> None:
        self._context = context
        self._membership = membership
        self._suspicions: dict[Address, _Suspicion] = {}
        membership.listeners.append(self._on_changes)
        membership.on_suspect = self._on_claim

    def accuse(self, member: Member, witnesses: frozenset[Address], now_us: int) -> None:
        """This node has probed `member` in vain, and so have `witnesses`."""
        suspect = member.address
        claim = msgspec.structs.replace(member, state=State.SUSPECT)
        known = self._suspicions.get(suspect)
        if known is None:
            known = _Suspicion(self._context.me, member.incarnation, now_us)
            self._suspicions[suspect] = known
            self._membership.learn((claim,), self._context.me, now_us)
            self._membership.announce((claim,), now_us)
        elif known.accuser != self._context.me:
            self._context.outbox.send(known.accuser, Records((claim,)))
        if self._context.config.lifeguard:
            known.confirmers |= witnesses - {suspect, self._context.me}
        self._tell_suspect(suspect, member.incarnation)
        self._set_timer(suspect, known, now_us)

    def on_timer(self, suspect: Address, now_us: int) -> None:
        """The suspect has not refuted in time: evict it."""
        suspicion = self._suspicions.pop(suspect, None)
        member = self._context.view.get(suspect)
        if suspicion is None or member is None or member.state is not State.SUSPECT:
            return
        evicted = msgspec.structs.replace(member, state=State.EVICTED)
        self._membership.learn((evicted,), self._context.me, now_us)
        if suspicion.accuser == self._context.me:
            self._membership.announce((evicted,), now_us)
            self._context.outbox.send(suspect, Records((evicted,)))  # should it be there after all

    def is_accuser_of(self, suspect: Address) -> bool:
        """Whether it was this node that made the suspicion public."""
        suspicion = self._suspicions.get(suspect)
        return suspicion is not None and suspicion.accuser == self._context.me

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"suspicions": len(self._suspicions)}

    def _on_claim(self, claim: Member, accuser: Address, now_us: int) -> None:
        """Somebody says that a member is suspect: news, or a confirmation.

        Two nodes may accuse at once. The later to run out hears of the other's eviction first.
        """
        member = self._context.view.get(claim.address)
        if member is None or member.state is not State.SUSPECT:
            return
        if claim.incarnation != member.incarnation or accuser == self._context.me:
            return
        known = self._suspicions.get(claim.address)
        if known is None:
            known = self._suspicions[claim.address] = _Suspicion(accuser, claim.incarnation, now_us)
        elif accuser != known.accuser:
            known.confirmers.add(accuser)
        self._set_timer(claim.address, known, now_us)

    def _on_changes(self, changes: list[Change], source: Address, now_us: int) -> None:
        for change in changes:
            suspicion = self._suspicions.get(change.new.address)
            if suspicion is None:
                continue
            if change.new.state is State.SUSPECT and (
                change.new.incarnation == suspicion.incarnation
            ):
                continue
            del self._suspicions[change.new.address]
            self._context.outbox.cancel_timer(SuspicionTimer(change.new.address))

    def _tell_suspect(self, suspect: Address, incarnation: int) -> None:
        if self._context.config.lifeguard:
            self._context.outbox.send(suspect, Ping(0, incarnation))

    def _set_timer(self, suspect: Address, suspicion: _Suspicion, now_us: int) -> None:
        config = self._context.config
        if suspicion.accuser == self._context.me:
            after_us = suspicion_timeout_us(config, len(suspicion.confirmers))
        else:  # the accuser's longest, and as long again for its broadcast
            after_us = 2 * suspicion_timeout_us(config, 0)
        at_us = max(now_us, suspicion.started_us + after_us)
        self._context.outbox.set_timer(SuspicionTimer(suspect), at_us)


def suspicion_timeout_us(config: Config, confirmations: int) -> int:
    """How long a suspect has to refute, when so many others agree that it is silent."""
    shortest = config.suspicion_min_us
    if not config.lifeguard:
        return shortest
    longest = shortest * config.suspicion_max_factor
    if confirmations >= config.confirmations:
        return shortest
    share = log(confirmations + 1) / log(config.confirmations + 1)
    return longest - int((longest - shortest) * share)
