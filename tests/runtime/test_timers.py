"""Timers with keys on the loop."""

from __future__ import annotations

import asyncio

from snowcast.core.timers import HealTimer, PongTimer, ProbeTimer, SyncTimer, TimerKey
from snowcast.runtime.clock import Clock
from snowcast.runtime.timers import STALE_MAX, Timers
from support.loops import on_loop, until

Fired = list[tuple[TimerKey, int]]


def make() -> tuple[Timers, Clock, Fired]:
    """Timers that note what fires."""
    clock, fired = Clock(), Fired()
    timers = Timers(asyncio.get_running_loop(), clock, lambda key, at: fired.append((key, at)))
    return timers, clock, fired


@on_loop
async def test_timers_fire_in_the_order_of_their_times_with_the_time_they_were_set_for() -> None:
    timers, clock, fired = make()
    now_us = clock.now_us()
    timers.set(SyncTimer(), now_us + 20_000)
    timers.set(ProbeTimer(), now_us + 5_000)

    await until(lambda: len(fired) == 2)

    assert fired == [(ProbeTimer(), now_us + 5_000), (SyncTimer(), now_us + 20_000)]
    assert len(timers) == 0


@on_loop
async def test_setting_a_key_again_replaces_it_whether_sooner_or_later() -> None:
    timers, clock, fired = make()
    now_us = clock.now_us()
    timers.set(ProbeTimer(), now_us + 3_600_000_000)
    timers.set(SyncTimer(), now_us)
    timers.set(ProbeTimer(), now_us + 1_000)
    timers.set(SyncTimer(), now_us + 30_000)

    await until(lambda: len(fired) == 2)

    assert fired == [(ProbeTimer(), now_us + 1_000), (SyncTimer(), now_us + 30_000)]


@on_loop
async def test_a_cancelled_key_does_not_fire() -> None:
    timers, clock, fired = make()
    now_us = clock.now_us()
    timers.set(ProbeTimer(), now_us)
    timers.set(HealTimer(), now_us + 10_000)
    timers.cancel(ProbeTimer())
    timers.cancel(SyncTimer())

    await until(lambda: fired)

    assert fired == [(HealTimer(), now_us + 10_000)]


@on_loop
async def test_a_timer_set_while_timers_fire_is_not_forgotten() -> None:
    clock, fired = Clock(), []

    def again(key: TimerKey, at_us: int) -> None:
        fired.append(key)
        if len(fired) < 5:
            timers.set(ProbeTimer(), clock.now_us())

    timers = Timers(asyncio.get_running_loop(), clock, again)
    timers.set(ProbeTimer(), clock.now_us())

    await until(lambda: len(fired) == 5)


@on_loop
async def test_entries_that_were_replaced_do_not_pile_up() -> None:
    timers, clock, _ = make()
    for number in range(10_000):
        timers.set(ProbeTimer(), clock.now_us() + 60_000_000)
        timers.set(PongTimer(number), clock.now_us() + 60_000_000)
        timers.cancel(PongTimer(number))

    assert len(timers) == 1
    assert len(timers._heap) <= 2 + STALE_MAX + 1
    timers.close()


@on_loop
async def test_a_closed_set_of_timers_fires_nothing() -> None:
    timers, clock, fired = make()
    timers.set(ProbeTimer(), clock.now_us())
    timers.close()
    await asyncio.sleep(0.01)

    assert fired == []
