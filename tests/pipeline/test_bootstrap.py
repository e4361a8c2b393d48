"""Intervals by bootstrap: what plain Python gives of the same draws, and what must hold of any."""

from __future__ import annotations

import math
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.pipeline.bootstrap import intervals, redraws

METRIC = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6))
TABLES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(METRIC, min_size=columns, max_size=columns), min_size=1, max_size=9
    )
)


def twin(column: list[float], draws: list[list[int]]) -> tuple[int, float, float, float, float]:
    """How many runs have the metric, mean and median, and the middle 95 % of redrawn means."""
    there = [value for value in column if not math.isnan(value)]
    if not there:
        return (0, *[math.nan] * 4)
    means = []
    for times in draws:
        drawn = [v for v, n in zip(column, times, strict=True) for _ in range(n) if v == v]
        if drawn:
            means.append(fmean(drawn))
    means.sort()
    return len(there), fmean(there), median(there), quantile(means, 0.025), quantile(means, 0.975)


def quantile(values: list[float], share: float) -> float:
    """Between the two values that are nearest to the place."""
    place = share * (len(values) - 1)
    below, above = values[math.floor(place)], values[math.ceil(place)]
    return below + (above - below) * (place % 1)


@given(TABLES)
def test_numpy_and_plain_python_agree(table: list[list[float]]) -> None:
    found = intervals(np.array(table), "name", draws=50)
    draws = redraws(len(table), "name", draws=50).tolist()
    for at, column in enumerate(zip(*table, strict=True)):
        row = tuple([values[at] for values in found])
        assert row == pytest.approx(twin(list(column), draws), rel=1e-9, abs=1e-6, nan_ok=True)


@given(TABLES)
def test_an_interval_holds_the_mean_between_the_least_and_the_greatest_run(
    table: list[list[float]],
) -> None:
    found = intervals(np.array(table), "name")
    for at, column in enumerate(zip(*table, strict=True)):
        there = [value for value in column if value == value]
        if there:
            slack = 1e-9 * max(map(abs, there))
            assert min(there) - slack <= found.low[at] <= found.mean[at] + slack
            assert found.mean[at] - slack <= found.high[at] <= max(there) + slack


def test_equal_runs_leave_no_doubt_and_one_run_cannot_tell() -> None:
    for values in ([[0.5]] * 7, [[0.5]]):
        found = intervals(np.array(values), "name")
        assert (found.low[0], found.mean[0], found.high[0]) == (0.5, 0.5, 0.5)


def test_draws_follow_from_the_name_and_the_number_of_runs_alone() -> None:
    assert np.array_equal(redraws(5, "a"), redraws(5, "a"))
    assert not np.array_equal(redraws(5, "a"), redraws(5, "b"))
    assert (redraws(5, "a").sum(axis=1) == 5).all()


def test_the_interval_of_the_mean_has_the_width_that_theory_says() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(10.0, 2.0, (400, 1))
    found = intervals(values, "name")
    half = 1.96 * values.std() / 20
    assert found.high[0] - found.mean[0] == pytest.approx(half, rel=0.1)
    assert found.mean[0] - found.low[0] == pytest.approx(half, rel=0.1)
