"""How long a node works on a message before it forwards it; stragglers take longest.

The delay belongs to (node, message): no copy of a message leaves a node, other than its origin,
earlier than the first receipt there plus the delay (DESIGN 7). It follows from the seed, the
node's index and the message's number, so every protocol meets the same delays.
"""

from __future__ import annotations

from array import array
from enum import StrEnum
from sys import byteorder

from snowcast.core.config import MS, SECOND
from snowcast.core.errors import UsageError
from snowcast.core.frames import MessageId
from snowcast.sim.seeds import derive, stream

MESSAGES_MAX = 4_096  # how many messages' draws are kept
READY_MAX = 4_096  # how many messages a node keeps a time for before it forgets the old ones
READY_AGE_US = 300 * SECOND


class Placement(StrEnum):
    """Which nodes are stragglers."""

    NONE = "none"
    ALIGNED = "aligned"  # every 20th address, as in the paper's experiments
    RANDOM = "random"  # as many, anywhere


class Processing:
    """Delays from `min_us` to `max_us`, evenly; stragglers take `straggler_us` instead.

    One node in `straggler_every` is a straggler, with 0 none is. System messages are delayed only
    if asked.
    """

    def __init__(
        self,
        min_us: int = 10 * MS,
        max_us: int = 200 * MS,
        *,
        stragglers: Placement | str = Placement.NONE,
        straggler_us: int = 1 * SECOND,
        straggler_every: int = 20,
        includes_system: bool = False,
    ) -> None:
        if not 0 <= min_us <= max_us:
            raise UsageError(f"a delay from {min_us} to {max_us} makes no sense")
        if straggler_every < 0:
            raise UsageError(f"straggler_every must not be negative, not {straggler_every}")
        self.includes_system = includes_system
        self._min_us = min_us
        self._width_us = max_us - min_us + 1
        self._placement = Placement(stragglers) if straggler_every else Placement.NONE
        self.straggler_us = straggler_us
        self._every = straggler_every
        self._seed = 0
        self._booted = 0
        self._drawn: frozenset[int] = frozenset()
        self._numbers = 0
        self._draws: dict[MessageId, array[int]] = {}
        self._names: dict[MessageId, str] = {}

    def seed(self, seed: int) -> None:
        """Draw all delays under `seed` from now on."""
        self._seed = seed

    def boot(self, count: int) -> None:
        """The first `count` nodes are there: choose the stragglers among them."""
        self._booted = count
        if self._placement is Placement.RANDOM:
            random = stream(self._seed, "stragglers", count)
            self._drawn = frozenset(random.sample(range(count), count // self._every))

    def is_straggler(self, index: int) -> bool:
        """Whether the node with this index is one."""
        if self._placement is Placement.NONE:
            return False
        if self._placement is Placement.ALIGNED:
            return index % self._every == self._every - 1
        if index < self._booted:
            return index in self._drawn
        return derive(self._seed, "straggler", index) % self._every == 0

    def number(self, id: MessageId) -> None:
        """The application has sent its next message, and this is its id."""
        self._numbers += 1
        self.know(id, self._numbers)

    def know(self, id: MessageId, number: int) -> None:
        """The application has sent this message as its `number`-th, the first being 1."""
        if id not in self._draws:
            self._draw(id, f"message {number}", self._booted)

    def delay_us(self, index: int, id: MessageId) -> int:
        """How long the node with this index works on this message, unless it is a straggler."""
        draws = self._draws.get(id)
        if draws is None:  # an announcement, or made by hand: told apart by its id
            draws = self._draw(id, str(id), self._booted)
        if index >= len(draws):
            draws = self._draw(id, self._names[id], index + 1)
        return self._min_us + draws[index] % self._width_us

    def _draw(self, id: MessageId, name: str, count: int) -> array[int]:
        """Random numbers for a message, one for each node: more of them begin with the same."""
        size = max(16, 1 << (count - 1).bit_length())
        draws = array("I", stream(self._seed, "processing", name).randbytes(4 * size))
        if byteorder == "big":
            draws.byteswap()
        self._draws[id], self._names[id] = draws, name
        if len(self._draws) > MESSAGES_MAX:
            oldest = next(iter(self._draws))
            del self._draws[oldest], self._names[oldest]
        return draws


def remember(ready: dict[MessageId, int], id: MessageId, at_us: int, now_us: int) -> None:
    """Note in `ready`, which is bounded, that a node may forward `id` from `at_us` on."""
    if len(ready) >= READY_MAX:
        for old in [old for old, due_us in ready.items() if due_us < now_us - READY_AGE_US]:
            del ready[old]
    ready[id] = at_us
