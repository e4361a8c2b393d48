"""Whose turn it is to be probed: every member once a round, in an order drawn as it goes.

SWIM's shuffled round-robin. Shuffling a whole round at its start would cost each node a moment, and
room for an object a member, that grow with the cluster; here a turn costs one draw.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from random import Random

from snowcast.core.address import Address
from snowcast.core.ring import Ring


class Rounds:
    """Rounds without end over a ring that may change meanwhile. Turns are places on that ring."""

    __slots__ = ("_members", "_neighbour", "_neighbour_in", "_rng", "_to_come")

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._members = Ring()  # as they were when the round began
        self._to_come = array("I")  # the indices of those whose turn has not been
        self._neighbour_in = Ring()  # as it was when the neighbour was looked up
        self._neighbour = 0

    def next(self, ring: Ring, me: Address) -> int:
        """The place of a member of `ring` other than `me`, which is one of at least two.

        Who has gone since the round began has no turn; who has come has one in the next.
        """
        while True:
            if not self._to_come:
                self._members = ring.with_members(())
                self._to_come = _places(len(ring))[:]
                del self._to_come[ring.find(me)]
            place = self._draw()
            if not ring.is_unchanged_since(self._members):
                place = ring.find(self._members[place])
            if place >= 0:
                return place

    def neighbour(self, ring: Ring, me: Address) -> int:
        """The place of the member to the right of `me`, which is on the ring; out of turn."""
        if not ring.is_unchanged_since(self._neighbour_in):
            self._neighbour_in = ring.with_members(())
            self._neighbour = (ring.find(me) + 1) % len(ring)
        return self._neighbour

    def _draw(self) -> int:
        """Take one of those whose turn has not been."""
        to_come = self._to_come
        drawn = below(self._rng, len(to_come))
        last = to_come.pop()
        if drawn == len(to_come):
            return last
        place, to_come[drawn] = to_come[drawn], last
        return place


@lru_cache(maxsize=1)
def _places(count: int) -> array[int]:
    """All places of a ring. Remembered for those who run many nodes in one process."""
    return array("I", range(count))


def below(rng: Random, count: int) -> int:
    """The same draw as `rng.randrange(count)`, at a third of its cost."""
    bits = count.bit_length()
    drawn = rng.getrandbits(bits)
    while drawn >= count:
        drawn = rng.getrandbits(bits)
    return drawn
