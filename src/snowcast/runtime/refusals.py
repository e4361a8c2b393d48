"""What was refused, and why: counted always, logged once in a while.

One line for the first refusal of a kind, and then at most one in `QUIET_S` seconds which says how
many there were since. A flood costs counting, not disk.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from snowcast.runtime.counters import Counters

QUIET_S = 30.0

log = logging.getLogger("snowcast")


class Refusals:
    """Counts refusals by kind and logs few of them."""

    def __init__(self, counters: Counters, clock: Callable[[], float] = time.monotonic) -> None:
        self._counters = counters
        self._clock = clock
        self._quiet_until: dict[str, float] = {}
        self._unlogged: dict[str, int] = {}

    def note(self, kind: str, who: object, why: str) -> None:
        """Something from `who` was refused. `kind` is one of a few fixed words."""
        self._counters.refused[kind] += 1
        now = self._clock()
        if now < self._quiet_until.get(kind, now):
            self._unlogged[kind] = self._unlogged.get(kind, 0) + 1
            return
        self._quiet_until[kind] = now + QUIET_S
        more = self._unlogged.pop(kind, 0)
        since = f" ({more} more like it since the last such line)" if more else ""
        log.warning("refused %s: %s%s", who, why, since)
