"""How long a frame is under way: a distribution, drawn from cheaply.

A distribution is kept as its quantiles, evenly spaced: a draw is a few random bits and a look into
a table. So the far end of a tail is cut at the last quantile, one draw in 32,768.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cache
from random import Random
from statistics import NormalDist
from typing import Self

from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.core.errors import UsageError
from snowcast.sim.scope import between_groups
from snowcast.sim.verdicts import PASS, Deliver, Flight, Verdict

TABLE_BITS = 14

# Measured by the authors between 20 hosts of one data centre, as their netem settings have it.
DATA_CENTRE_MEAN_US, DATA_CENTRE_SIGMA_US = 800, 15
DATA_CENTRE_TAIL_SHARE = 0.005
DATA_CENTRE_TAIL_MIN_US, DATA_CENTRE_TAIL_MAX_US, DATA_CENTRE_TAIL_SCALE_US = 250, 5_000, 1_000


class Latency:
    """The rule that ends every list: each flight takes a time drawn from `quantiles`.

    With `between` it decides only about flights from one group of nodes to the other, either way.
    """

    def __init__(
        self,
        quantiles: tuple[int, ...],
        *,
        between: tuple[Collection[Address], Collection[Address]] | None = None,
    ) -> None:
        bits = len(quantiles).bit_length() - 1
        if not quantiles or len(quantiles) != 1 << bits:
            raise UsageError("the number of quantiles must be a power of two")
        if min(quantiles) < 0:
            raise UsageError("a frame cannot arrive before it was sent")
        self.quantiles = quantiles
        self.bits = bits
        self.is_for_all = between is None
        self._concerns = None if between is None else between_groups(*between)
        self.getrandbits = Random(0).getrandbits

    @classmethod
    def fixed(cls, delay_us: int) -> Self:
        """Always the same."""
        return cls((delay_us,))

    @classmethod
    def uniform(cls, min_us: int, max_us: int) -> Self:
        """Anything from `min_us` to `max_us`."""
        return cls(_table(lambda share: min_us + share * (max_us - min_us)))

    @classmethod
    def lognormal(cls, median_us: int, sigma: float) -> Self:
        """Half of all at most `median_us`, with a tail: e**sigma is one standard deviation up."""
        normal = NormalDist(math.log(median_us), sigma)
        return cls(_table(lambda share: math.exp(normal.inv_cdf(share))))

    @classmethod
    def data_centre(cls) -> Self:
        """99.5 % about 0.8 ms; the rest later by 0.25 to 5 ms, exponentially (PEERS 1.1)."""
        return cls(_data_centre_table())

    @classmethod
    def measured(cls, points: Sequence[tuple[float, float]]) -> Self:
        """As it was measured: `points` are shares of all flights, and the ms these take at most."""
        return cls(_table(lambda share: quantile(points, share) * MS))

    def scoped(self, a: Collection[Address], b: Collection[Address]) -> Latency:
        """The same distribution, between two groups of nodes only."""
        return Latency(self.quantiles, between=(a, b))

    def seed(self, random: Random) -> None:
        """Draw from `random` from now on."""
        self.getrandbits = random.getrandbits

    def draw(self) -> int:
        """How long the next flight takes."""
        return self.quantiles[self.getrandbits(self.bits)]

    def __call__(self, flight: Flight, /) -> Verdict:
        if self._concerns is not None and not self._concerns(flight):
            return PASS
        return Deliver(self.draw())


def quantile(points: Sequence[tuple[float, float]], share: float) -> float:
    """What a share of all do not exceed, evenly between the points that are known."""
    at = min(max(bisect_right(points, share, key=lambda point: point[0]), 1), len(points) - 1)
    (low, least), (high, most) = points[at - 1], points[at]
    return least + (most - least) * (share - low) / (high - low)


def _table(quantile: Callable[[float], float]) -> tuple[int, ...]:
    size = 1 << TABLE_BITS
    drawn = [round(quantile((index + 0.5) / size)) for index in range(size)]
    one_of_each = {us: us for us in drawn}  # few objects to draw from stay in the processor's cache
    return tuple([one_of_each[us] for us in drawn])


@cache
def _data_centre_table() -> tuple[int, ...]:
    body = NormalDist(DATA_CENTRE_MEAN_US, DATA_CENTRE_SIGMA_US)
    usual = 1 - DATA_CENTRE_TAIL_SHARE
    span = DATA_CENTRE_TAIL_MAX_US - DATA_CENTRE_TAIL_MIN_US
    reached = -math.expm1(-span / DATA_CENTRE_TAIL_SCALE_US)  # what the cut leaves of the tail

    def quantile(share: float) -> float:
        if share < usual:
            return body.inv_cdf(share / usual)
        beyond = (share - usual) / DATA_CENTRE_TAIL_SHARE * reached
        late = DATA_CENTRE_TAIL_MIN_US - DATA_CENTRE_TAIL_SCALE_US * math.log1p(-beyond)
        return DATA_CENTRE_MEAN_US + late

    return _table(quantile)
