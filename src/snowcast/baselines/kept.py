"""Messages that are kept for a while, so that whoever lacks one can be given it.

Plumtree answers a GRAFT out of this. Bounded in bytes and in age: what has been let go of is no
longer offered by anybody, and a node that still lacks it does without.
"""

from __future__ import annotations

from snowcast.core.config import SECOND
from snowcast.core.frames import Data, MessageId

KEPT_AGE_US = 30 * SECOND
KEPT_BYTES_MAX = 64 << 20


class Kept:
    """The last messages, oldest first."""

    __slots__ = ("_age_us", "_bytes", "_bytes_max", "_messages")

    def __init__(self, age_us: int = KEPT_AGE_US, bytes_max: int = KEPT_BYTES_MAX) -> None:
        self._age_us = age_us
        self._bytes_max = bytes_max
        self._bytes = 0
        self._messages: dict[MessageId, tuple[Data, int]] = {}

    def __len__(self) -> int:
        return len(self._messages)

    def get(self, id: MessageId) -> Data | None:
        """The message as this node had it, if it is still here."""
        found = self._messages.get(id)
        return found[0] if found else None

    def keep(self, data: Data, now_us: int) -> None:
        """Keep a message that is not here yet, in the place of the oldest if need be."""
        self._messages[data.id] = (data, now_us)
        self._bytes += _cost(data)
        while self._bytes > self._bytes_max:
            self._drop_oldest()

    def forget_old(self, now_us: int) -> None:
        """Let go of what is too old to be asked for."""
        while self._messages:
            _, kept_us = next(iter(self._messages.values()))
            if kept_us >= now_us - self._age_us:
                return
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        data, _ = self._messages.pop(next(iter(self._messages)))
        self._bytes -= _cost(data)


def _cost(data: Data) -> int:
    """The payload and about what the objects around it take."""
    return len(data.payload) + 512
