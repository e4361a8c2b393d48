"""The time that a node on real sockets is told: microseconds since 1970 that never go back.

The wall clock is read once, at the start; from there the monotonic clock counts, so that a clock
set right in the meantime neither fires timers nor holds them up.
"""

from __future__ import annotations

import time

US = 1_000_000


class Clock:
    """What `now_us` is made from, and how far off a moment is."""

    __slots__ = ("_latest_us", "_offset_ns")

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()
        self._latest_us = 0

    def now_us(self) -> int:
        """The time. Never less than at the call before."""
        now_us = (time.monotonic_ns() + self._offset_ns) // 1_000
        if now_us < self._latest_us:
            return self._latest_us
        self._latest_us = now_us
        return now_us

    def reach(self, at_us: int) -> int:
        """The time, at least `at_us`: a timer that the loop fires a little early has its time."""
        if at_us > self._latest_us:
            self._latest_us = at_us
        return self.now_us()

    def seconds_until(self, at_us: int) -> float:
        """How long to wait for a moment; 0 if it has passed."""
        return max(0.0, (at_us - self.now_us()) / US)
