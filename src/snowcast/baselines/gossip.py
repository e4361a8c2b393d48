"""Gossip: whoever gets a message for the first time sends it to k random members.

Paper, Evaluation: the simplest of the protocols compared, and the one most in use. With k = 4 the
share that is reached settles where s = 1 - exp(-4 s), at 0.980 (DESIGN 7).
"""

from __future__ import annotations

from random import Random

from snowcast.baselines.spreader import Spreader
from snowcast.core.address import Address
from snowcast.core.frames import Data
from snowcast.core.ring import Ring


class Gossip(Spreader):
    """Infect and forget: no state but which messages were seen."""

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Send to `fanout` others, all different; the sender may be among them."""
        context = self.context
        ring, fanout = context.view.ring, context.config.fanout
        self.push(data, random_others(ring, context.me, fanout, context.rng))


def random_others(ring: Ring, me: Address, count: int, random: Random) -> list[Address]:
    """`count` different members other than `me`, or all if there are no more."""
    at = ring.find(me)
    others = len(ring) - (at >= 0)
    draws = random.sample(range(others), min(count, others))
    return [ring[draw + (0 <= at <= draw)] for draw in draws]
