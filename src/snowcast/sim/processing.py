"""How long a node works on a message before it forwards it; stragglers take longest.

The delay belongs to (node, message): no copy of a message leaves a node, other than its origin,
earlier than the first receipt there plus the delay (DESIGN 7). It follows from the seed, the
node's index and the message's number, so every protocol meets the same delays.
"""

from __future__ import annotations

from enum import StrEnum

from snowcast.core.config import MS, SECOND
from snowcast.core.errors import UsageError
from snowcast.core.frames import MessageId
from snowcast.sim.seeds import derive, mix, stream

READY_MAX = 4_096  # how many messages a node keeps a time for before it forgets the old ones
READY_AGE_US = 300 * SECOND


class Placement(StrEnum):
    """Which nodes are stragglers."""

    NONE = "none"
    ALIGNED = "aligned"  # every 20th address, as in the paper's experiments
    RANDOM = "random"  # as many, anywhere


class Processing:
    """Delays from `min_us` to `max_us`, evenly; stragglers take `straggler_us` instead.

    One node in `straggler_every` is a straggler. System messages are delayed only if asked.
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
        if straggler_every < 1:
            raise UsageError(f"straggler_every must be positive, not {straggler_every}")
        self.includes_system = includes_system
        self._min_us = min_us
        self._width_us = max_us - min_us + 1
        self._placement = Placement(stragglers)
        self._straggler_us = straggler_us
        self._every = straggler_every
        self._seed = 0
        self._delay_key = self._joiner_key = 0
        self._booted = 0
        self._drawn: frozenset[int] = frozenset()
        self._numbers: dict[MessageId, int] = {}

    def seed(self, seed: int) -> None:
        """Draw all delays under `seed` from now on."""
        self._seed = seed
        self._delay_key = derive(seed, "processing")
        self._joiner_key = derive(seed, "straggler")

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
        return mix(self._joiner_key, index, 0) % self._every == 0

    def number(self, id: MessageId) -> None:
        """The next message of the application has this id."""
        self._numbers[id] = len(self._numbers)

    def delay_us(self, index: int, id: MessageId) -> int:
        """How long the node with this index works on this message."""
        if self.is_straggler(index):
            return self._straggler_us
        number = self._numbers.get(id)
        if number is None:  # an announcement, or made by hand: told apart by its id
            number = derive(0, id.origin, id.life, id.sequence)
        return self._min_us + mix(self._delay_key, index, number) % self._width_us


def remember(ready: dict[MessageId, int], id: MessageId, at_us: int, now_us: int) -> None:
    """Note in `ready`, which is bounded, that a node may forward `id` from `at_us` on."""
    if len(ready) >= READY_MAX:
        for old in [old for old, due_us in ready.items() if due_us < now_us - READY_AGE_US]:
            del ready[old]
    ready[id] = at_us
