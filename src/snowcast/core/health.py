"""Local health: how far this node should trust its own judgement of others.

Lifeguard's local health multiplier (Dadgar et al. 2018): a node that misses what it should have
had, such as nacks from helpers that surely live, is probably slow itself. It then waits longer
before it calls others silent.
"""

from __future__ import annotations

from snowcast.core.config import Config


class Health:
    """A score from 0, well, up to `health_max` - 1; timeouts are multiplied by it plus one."""

    __slots__ = ("_is_on", "_max", "score")

    def __init__(self, config: Config) -> None:
        self._is_on = config.lifeguard
        self._max = config.health_max - 1
        self.score = 0

    def adjust(self, delta: int) -> None:
        """Worse by `delta`, or better where that is negative."""
        score = self.score + delta
        if self._is_on:
            self.score = 0 if score < 0 else min(score, self._max)

    def scale(self, duration_us: int) -> int:
        """How long to wait where a well node waits `duration_us`."""
        return duration_us * (self.score + 1)
