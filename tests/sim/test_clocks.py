"""Clocks that are wrong: what they show, and when they will show a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.sim.clocks import Clock, ClockSkew

clocks = st.builds(Clock, st.integers(-(10**9), 10**9), st.integers(-500, 500))


def test_a_clock_shows_its_offset_and_drifts() -> None:
    assert Clock(250).shown_us(1_000_000) == 1_000_250
    assert Clock(0, 100).shown_us(1_000_000) == 1_000_100
    assert Clock(-5, -100).shown_us(1_000_000) == 999_895


@given(clocks, st.integers(0, 10**13))
def test_the_true_time_is_the_first_at_which_a_clock_shows_as_much(clock: Clock, at: int) -> None:
    true_us = clock.true_us(at)
    assert clock.shown_us(true_us) >= at
    assert clock.shown_us(true_us - 1) < at


@given(clocks, st.lists(st.integers(0, 10**13), min_size=2))
def test_a_clock_never_goes_back(clock: Clock, times: list[int]) -> None:
    shown = [clock.shown_us(at) for at in sorted(times)]
    assert shown == sorted(shown)


def test_nodes_without_a_clock_of_their_own_are_right() -> None:
    skew = ClockSkew({2: Clock(9)})
    assert [skew.of(index) for index in range(3)] == [None, None, Clock(9)]


def test_random_clocks_follow_the_seed_and_their_bounds() -> None:
    skew, again, other = (ClockSkew.random(1_000, 50) for _ in range(3))
    skew.seed(1)
    again.seed(1)
    other.seed(2)
    drawn = [skew.of(index) for index in range(100)]
    assert drawn == [again.of(index) for index in range(100)]
    assert drawn != [other.of(index) for index in range(100)]
    found = [clock for clock in drawn if clock is not None]
    assert len(found) == 100
    assert all(0 <= clock.offset_us <= 2_000 for clock in found)
    assert all(-50 <= clock.drift_ppm <= 50 for clock in found)
