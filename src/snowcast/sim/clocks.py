"""Clocks that disagree: what a node takes for the time, against the true time of the simulation.

A clock is off by a constant and may drift by parts in a million; it never jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from snowcast.sim.seeds import stream

PPM = 1_000_000


class Clock(NamedTuple):
    """One node's clock. An offset may be negative, but the time shown is meant to stay positive."""

    offset_us: int
    drift_ppm: int = 0

    def shown_us(self, true_us: int) -> int:
        """What it shows at a true time."""
        return true_us + self.offset_us + true_us * self.drift_ppm // PPM

    def true_us(self, shown_us: int) -> int:
        """The first true time at which it shows at least `shown_us`."""
        true_us = (shown_us - self.offset_us) * PPM // (PPM + self.drift_ppm) - 1
        while self.shown_us(true_us) < shown_us:
            true_us += 1
        return true_us


class ClockSkew:
    """Gives nodes wrong clocks, by index. `of` is asked once for each node and life."""

    def __init__(self, clocks: Mapping[int, Clock]) -> None:
        self._clocks = dict(clocks)
        self._spread_us = self._drift_ppm = 0
        self._seed = 0

    @classmethod
    def random(cls, offset_us_max: int, drift_ppm_max: int = 0) -> ClockSkew:
        """Each node's clock is off by up to `offset_us_max`, early or late."""
        skew = cls({})
        skew._spread_us, skew._drift_ppm = offset_us_max, drift_ppm_max
        return skew

    def seed(self, seed: int) -> None:
        """Draw all clocks under `seed` from now on."""
        self._seed = seed

    def of(self, index: int) -> Clock | None:
        """The clock of the node with this index; None if it is right."""
        if index in self._clocks or not (self._spread_us or self._drift_ppm):
            return self._clocks.get(index)
        random = stream(self._seed, "clock", index)
        # The offset is taken upwards from nothing: no node's time is ever negative.
        offset_us = random.randint(0, 2 * self._spread_us)
        return Clock(offset_us, random.randint(-self._drift_ppm, self._drift_ppm))
