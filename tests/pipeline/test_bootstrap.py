"""Intervals by bootstrap: what plain Python gives of the same draws, and what must hold of any."""

from __future__ import annotations

import math
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.pipeline.bootstrap import intervals, redraws, student, widening

METRIC = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6))
TABLES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(METRIC, min_size=columns, max_size=columns), min_size=1, max_size=9
    )
)


def twin(column: list[float], draws: list[list[int]]) -> tuple[int, float, float, float, float]:
    """How many runs have the metric, mean and median, and the middle 95 % of redrawn means, as
    much wider as so few runs want it.
    """
    there = [value for value in column if not math.isnan(value)]
    if not there:
        return (0, *[math.nan] * 4)
    means = []
    for times in draws:
        drawn = [v for v, n in zip(column, times, strict=True) for _ in range(n) if v == v]
        if drawn:
            means.append(fmean(drawn))
    means.sort()
    mean, ends = fmean(there), [math.nan, math.nan]
    if len(there) > 1:
        wider = widening(len(there))
        ends = [mean + wider * (quantile(means, share) - mean) for share in (0.025, 0.975)]
    return len(there), mean, median(there), *ends


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
def test_an_interval_holds_the_mean_and_is_wider_than_the_redrawn_means_alone(
    table: list[list[float]],
) -> None:
    found = intervals(np.array(table), "name")
    for at, column in enumerate(zip(*table, strict=True)):
        there = [value for value in column if value == value]
        if len(there) > 1:
            slack = 1e-9 * max(map(abs, there))
            assert found.low[at] - slack <= found.mean[at] <= found.high[at] + slack
            reach = widening(len(there)) * (max(there) - min(there))
            assert found.high[at] - found.low[at] <= reach + slack * widening(len(there))


def test_equal_runs_leave_no_doubt_and_one_run_cannot_tell() -> None:
    found = intervals(np.array([[0.5]] * 7), "name")
    assert (found.low[0], found.mean[0], found.high[0]) == (0.5, 0.5, 0.5)
    found = intervals(np.array([[0.5, 1.0], [math.nan, 2.0]]), "name")
    assert (found.mean[0], found.median[0]) == (0.5, 0.5)
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert found.low[1] < 1.5 < found.high[1]


@pytest.mark.parametrize("runs", [2, 3, 5, 10, 20])
def test_ninety_five_of_a_hundred_intervals_hold_the_mean_however_few_the_runs(runs: int) -> None:
    values = np.random.default_rng(runs).normal(3.0, 2.0, (runs, 4_000))
    found = intervals(values, "name")
    held = (found.low <= 3.0) & (found.high >= 3.0)
    assert 0.925 <= held.mean() <= 0.97


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (30, 2.0423), (999, 1.9623)],
)
def test_quantiles_of_student_are_those_of_the_tables(freedom: int, t: float) -> None:
    assert student(freedom) == pytest.approx(t, abs=1e-4)


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
