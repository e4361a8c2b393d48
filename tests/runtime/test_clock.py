"""The clock of a node on real sockets."""

from __future__ import annotations

import time

from snowcast.runtime.clock import Clock


def test_it_shows_microseconds_since_1970() -> None:
    assert abs(Clock().now_us() - time.time_ns() // 1_000) < 3_600_000_000


def test_it_never_goes_back_even_if_a_timer_fired_early() -> None:
    clock = Clock()
    ahead_us = clock.now_us() + 50_000_000

    assert clock.reach(ahead_us) == ahead_us
    assert clock.now_us() == ahead_us
    assert clock.reach(ahead_us - 10) == ahead_us


def test_a_moment_that_has_passed_is_no_wait_at_all() -> None:
    clock = Clock()
    now_us = clock.now_us()

    assert clock.seconds_until(now_us - 5) == 0
    assert 0 < clock.seconds_until(now_us + 60_000_000) <= 60
