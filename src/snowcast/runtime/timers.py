"""Timers with keys on the loop: one heap, and one handle of the loop for the earliest.

Setting a key again replaces it. A heap entry that was replaced or cancelled stays where it is until
its time or until too many have gathered, so that setting and cancelling are cheap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from snowcast.core.timers import TimerKey
from snowcast.runtime.clock import Clock

STALE_MAX = 64  # how many dead entries may lie about, beside as many as there are live ones
EARLY_US = 1_000  # a loop that counts in milliseconds may fire this much early


class Timers:
    """The timers of one node. `on_due` is called with each key and the time it was set for."""

    __slots__ = ("_clock", "_due", "_handle", "_handle_us", "_heap", "_loop", "_number", "_on_due")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        on_due: Callable[[TimerKey, int], None],
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._on_due = on_due
        self._due: dict[TimerKey, tuple[int, int]] = {}  # when, and the number of its entry
        self._heap: list[tuple[int, int, TimerKey]] = []
        self._number = 0
        self._handle: asyncio.TimerHandle | None = None
        self._handle_us = 0

    def __len__(self) -> int:
        return len(self._due)

    def set(self, key: TimerKey, at_us: int) -> None:
        """Fire `key` at `at_us`, instead of whenever it was set for."""
        self._number = number = self._number + 1
        self._due[key] = at_us, number
        heappush(self._heap, (at_us, number, key))
        if self._handle is None or at_us < self._handle_us:
            self._arm(at_us)
        if len(self._heap) > 2 * len(self._due) + STALE_MAX:
            self._sweep()

    def cancel(self, key: TimerKey) -> None:
        """Do not fire `key`."""
        self._due.pop(key, None)

    def close(self) -> None:
        """Fire nothing any more."""
        self._due.clear()
        self._heap.clear()
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _arm(self, at_us: int) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._handle_us = at_us
        self._handle = self._loop.call_later(self._clock.seconds_until(at_us), self._fire)

    def _fire(self) -> None:
        self._handle = None
        until_us = self._clock.now_us() + EARLY_US
        while self._heap and self._heap[0][0] <= until_us:
            at_us, number, key = heappop(self._heap)
            if self._due.get(key) == (at_us, number):
                del self._due[key]
                self._on_due(key, at_us)
        while self._heap and not self._is_live(self._heap[0]):
            heappop(self._heap)
        if self._heap and (self._handle is None or self._heap[0][0] < self._handle_us):
            self._arm(self._heap[0][0])

    def _is_live(self, entry: tuple[int, int, TimerKey]) -> bool:
        return self._due.get(entry[2]) == entry[:2]

    def _sweep(self) -> None:
        self._heap = [entry for entry in self._heap if self._is_live(entry)]
        heapify(self._heap)
