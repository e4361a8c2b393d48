"""Which messages this node has had, in bounded memory, so that each is delivered once.

DESIGN 4.9 and 4.10. What falls out of memory, by age or by number, leaves a floor: for each origin
the highest sequence forgotten. A message at or below the floor may have been delivered, so it never
is again; that it came is noticed, not passed over in silence.
"""

from __future__ import annotations

from enum import Enum

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.frames import MessageId
from snowcast.core.timers import HopTimer


class Sight(Enum):
    """What a node knows of a message when a copy of it comes."""

    FIRST = 1
    AGAIN = 2
    TOO_LATE = 3


class Sighting:
    """One message that this node has had."""

    __slots__ = ("at_us", "carried")

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us
        # The assignments of it that this node has taken on; None while there are none.
        self.carried: set[HopTimer] | None = None


class Seen:
    """The messages that this node has had, oldest first."""

    __slots__ = ("_age_us", "_floors", "_max", "_sightings")

    def __init__(self, config: Config) -> None:
        self._max = config.seen_max
        self._age_us = config.seen_age_us
        self._sightings: dict[MessageId, Sighting] = {}
        self._floors: dict[Address, tuple[int, int]] = {}  # life and sequence

    def __len__(self) -> int:
        return len(self._sightings)

    def get(self, id: MessageId) -> Sighting | None:
        """The sighting of a message, if it is remembered."""
        return self._sightings.get(id)

    def see(self, id: MessageId, now_us: int) -> Sight:
        """Note that a copy came, and say what that means."""
        if id in self._sightings:
            return Sight.AGAIN
        floor = self._floors.get(id.origin)
        if floor is not None and (id.life, id.sequence) <= floor:
            return Sight.TOO_LATE
        self._sightings[id] = Sighting(now_us)
        if len(self._sightings) > self._max:
            self._forget(next(iter(self._sightings)))
        return Sight.FIRST

    def forget_old(self, now_us: int) -> None:
        """Drop what is too old to be remembered."""
        oldest_us = now_us - self._age_us
        while self._sightings:
            id, sighting = next(iter(self._sightings.items()))
            if sighting.at_us >= oldest_us:
                return
            self._forget(id)

    def forget_origin(self, origin: Address) -> None:
        """Drop the floor of an origin that is no longer known at all."""
        self._floors.pop(origin, None)

    def _forget(self, id: MessageId) -> None:
        del self._sightings[id]
        forgotten = (id.life, id.sequence)
        if forgotten > self._floors.get(id.origin, (-1, -1)):
            self._floors[id.origin] = forgotten
