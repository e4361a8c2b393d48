"""Intervals by bootstrap: how far the mean of few runs can be trusted.

The runs of a cell are drawn again, with replacement, many times; the middle 95 % of the means that
come out are the interval (the percentile method). Of few runs that is too narrow: five hold the
mean in 83 of 100 cases. So both ends are moved away from the mean, in the ratio of Student's
interval to the normal one around the same redrawn means.

Rules of this file:
- What is drawn follows from a name and the number of runs alone: the same table gives the same
  intervals, whatever the order, the machine or the number of workers.
- All columns of one call share the draws, so that runs stay whole.
- A run without a metric does not count for it. One run has no interval.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from math import cos, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

DRAWS = 2_000
LEVEL = 0.95

Reals = npt.NDArray[np.float64]


class Intervals(NamedTuple):
    """For each column: of how many runs, their mean and median, and where the mean may lie.

    The ends are NaN where there are less than two runs.
    """

    runs: npt.NDArray[np.int64]
    mean: Reals
    median: Reals
    low: Reals
    high: Reals


def intervals(values: Reals, name: str, draws: int = DRAWS) -> Intervals:
    """One row of `values` is a run, one column a metric; what a run lacks is NaN."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    filled = np.where(there, values, 0.0)
    nothing = np.full(values.shape[1], np.nan)
    mean = np.divide(filled.sum(axis=0), count, out=nothing.copy(), where=count > 0)
    times = redraws(len(values), name, draws).astype(np.float64)
    # Around the mean, so that equal values give an interval of no width.
    offset = np.where(there, values - np.where(count > 0, mean, 0.0), 0.0)
    drawn = times @ there.astype(np.float64)
    means = np.divide(times @ offset, drawn, out=np.full(drawn.shape, np.nan), where=drawn > 0)
    median, low, high = nothing.copy(), nothing.copy(), nothing.copy()
    some, several = count > 0, count > 1
    if some.any():
        median[some] = np.nanmedian(values[:, some], axis=0)
    if several.any():
        tail = (1 - LEVEL) / 2
        ends = np.nanquantile(means[:, several], [tail, 1 - tail], axis=0)
        low[several], high[several] = mean[several] + ends * [widening(n) for n in count[several]]
    return Intervals(count, mean, median, low, high)


@cache
def widening(runs: int) -> float:
    """How many times wider the interval of a mean of so many runs is than redrawn means lie.

    Their spread is that of the runs around their own mean, which is too small by sqrt(1 - 1/n); and
    few runs may all lie close by chance, which Student's quantile allows for.
    """
    return student(runs - 1) / NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(runs / (runs - 1))


def student(freedom: int) -> float:
    """The t within which `LEVEL` of Student's distribution lies, to either side of 0."""
    low, high = 0.0, pi / 2  # of the angle whose tangent is t / sqrt(freedom)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, freedom) < LEVEL else (low, middle)
    return tan(low) * sqrt(freedom)


def _share_within(angle: float, freedom: int) -> float:
    """How much of the distribution lies there (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    is_odd = freedom % 2
    term, terms = cos(angle) if is_odd else 1.0, 0.0
    for step in range(1 + is_odd, freedom, 2):
        terms += term
        term *= cos(angle) ** 2 * step / (step + 1)
    share = sin(angle) * terms
    return 2 / pi * (angle + share) if is_odd else share


def redraws(runs: int, name: str, draws: int = DRAWS) -> npt.NDArray[np.int64]:
    """How often each run is drawn, a row for each draw."""
    seed = int.from_bytes(blake2b(f"{runs} {name}".encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).multinomial(runs, [1 / runs] * runs, size=draws)
