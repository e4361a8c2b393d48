"""Which messages this node has had, in bounded memory, so that each is delivered once.

DESIGN 4.9 and 4.10. What falls out of memory, by age or by number, leaves a floor: for each origin
the highest sequence forgotten. A message at or below the floor may have been delivered, so it never
is again; that it came is noticed, not passed over in silence.
"""

from __future__ import annotations

from collections import deque
from enum import Enum

import msgspec

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.frames import MessageId
from snowcast.core.timers import HopTimer


class Sight(Enum):
    """What a node knows of a message when a copy of it comes."""

    FIRST = 1
    AGAIN = 2
    TOO_LATE = 3


FIRST, AGAIN, TOO_LATE = Sight  # looked up once: an enum is slow to give its members


class Sighting(msgspec.Struct, gc=False):
    """One message that this node has had. There are many of these: they are kept small."""

    at_us: int
    carried: tuple[HopTimer, ...] = ()
    """Which assignments of it this node has taken on: one in each tree, or more if views differ."""


class Seen:
    """The messages that this node has had."""

    __slots__ = ("_age_us", "_floors", "_max", "_order", "_sightings")

    def __init__(self, config: Config) -> None:
        self._max = config.seen_max
        self._age_us = config.seen_age_us
        self._sightings: dict[MessageId, Sighting] = {}
        self._order: deque[MessageId] = deque()  # oldest first; a dict is slow to find its first
        self._floors: dict[Address, tuple[int, int]] = {}  # life and sequence

    def __len__(self) -> int:
        return len(self._sightings)

    def get(self, id: MessageId) -> Sighting | None:
        """The sighting of a message, if it is remembered."""
        return self._sightings.get(id)

    def see(self, id: MessageId, now_us: int) -> Sight:
        """Note that a copy came, and say what that means."""
        if id in self._sightings:
            return AGAIN
        floor = self._floors.get(id.origin)
        if floor is not None and (id.life, id.sequence) <= floor:
            return TOO_LATE
        self._sightings[id] = Sighting(now_us)
        self._order.append(id)
        if len(self._order) > self._max:
            self._forget_oldest()
        return FIRST

    def forget_old(self, now_us: int) -> None:
        """Drop what is too old to be remembered."""
        oldest_us = now_us - self._age_us
        while self._order and self._sightings[self._order[0]].at_us < oldest_us:
            self._forget_oldest()

    def forget_origin(self, origin: Address) -> None:
        """Drop the floor of an origin that is no longer known at all."""
        self._floors.pop(origin, None)

    def _forget_oldest(self) -> None:
        id = self._order.popleft()
        del self._sightings[id]
        forgotten = (id.life, id.sequence)
        if forgotten > self._floors.get(id.origin, (-1, -1)):
            self._floors[id.origin] = forgotten
