"""Intervals by bootstrap: how far the mean of few runs can be trusted.

The runs of a cell are drawn again, with replacement, many times; the middle 95 % of the means that
come out are the interval (the percentile method).

Rules of this file:
- What is drawn follows from a name and the number of runs alone: the same table gives the same
  intervals, whatever the order, the machine or the number of workers.
- All columns of one call share the draws, so that runs stay whole.
- A run without a metric does not count for it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

DRAWS = 2_000
LEVEL = 0.95

Reals = npt.NDArray[np.float64]


class Intervals(NamedTuple):
    """For each column: of how many runs, their mean and median, and where the mean may lie."""

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
    some = count > 0
    if some.any():
        tail = (1 - LEVEL) / 2
        median[some] = np.nanmedian(values[:, some], axis=0)
        ends = np.nanquantile(means[:, some], [tail, 1 - tail], axis=0)
        low[some], high[some] = mean[some] + ends
    return Intervals(count, mean, median, low, high)


def redraws(runs: int, name: str, draws: int = DRAWS) -> npt.NDArray[np.int64]:
    """How often each run is drawn, a row for each draw."""
    seed = int.from_bytes(blake2b(f"{runs} {name}".encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).multinomial(runs, [1 / runs] * runs, size=draws)
