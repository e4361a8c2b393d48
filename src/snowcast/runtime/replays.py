"""Tells a datagram from a copy of it that somebody recorded and sends again.

A sender counts its datagrams. Of each sender the highest count is remembered and which of those
shortly below it have come. A sender that restarts begins a new session, which must be younger than
all that came before; and nothing older than `AGE_US` is taken in at all, so that senders that have
been silent for longer can be forgotten.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from snowcast.core.address import Address
from snowcast.runtime.keyring import Refused, Sealed

AGE_US = 60_000_000
WINDOW = 1024  # how far behind the latest a datagram may arrive


class _Sender:
    __slots__ = ("highest", "seen", "session", "stamp_us")

    def __init__(self, sealed: Sealed) -> None:
        self.session = sealed.session
        self.stamp_us = sealed.stamp_us
        self.highest = sealed.number
        self.seen = 1  # bit i: whether `highest - i` has come


class Replays:
    """What has come from whom. `check` raises Refused for what has come before."""

    def __init__(self, senders_max: int = 65_536, clock: Callable[[], int] = time.time_ns) -> None:
        self._senders_max = senders_max
        self._clock_ns = clock
        self._senders: dict[Address, _Sender] = {}

    def __len__(self) -> int:
        return len(self._senders)

    def check(self, address: Address, sealed: Sealed) -> None:
        """Note that a datagram has come, or raise Refused."""
        now_us = self._clock_ns() // 1_000
        if abs(now_us - sealed.stamp_us) > AGE_US:
            off_s = (now_us - sealed.stamp_us) // 1_000_000
            why = f"{address} sealed it {off_s} s ago by its clock: a copy, or its clock is wrong"
            raise Refused("stale", why)
        sender = self._senders.pop(address, None)
        if sender is None:
            while len(self._senders) >= self._senders_max:
                del self._senders[next(iter(self._senders))]
            self._senders[address] = _Sender(sealed)
            return
        self._senders[address] = sender  # the latest stand last
        if sealed.session != sender.session:
            if sealed.stamp_us <= sender.stamp_us:
                raise Refused("replay", f"a copy of what {address} sent before it restarted")
            self._senders[address] = _Sender(sealed)
            return
        self._check_count(address, sender, sealed)

    def _check_count(self, address: Address, sender: _Sender, sealed: Sealed) -> None:
        ahead = sealed.number - sender.highest
        if ahead > 0:
            sender.seen = (sender.seen << ahead | 1) & ((1 << WINDOW) - 1) if ahead < WINDOW else 1
            sender.highest = sealed.number
        elif -ahead >= WINDOW or sender.seen >> -ahead & 1:
            raise Refused("replay", f"a copy of what {address} has sent before")
        else:
            sender.seen |= 1 << -ahead
        sender.stamp_us = max(sender.stamp_us, sealed.stamp_us)
