"""The driver performs effects in order and decides nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from snowcast.core.effects import CancelTimer, Effect, Joined, Send, SetTimer
from snowcast.core.events import Event, FrameReceived, Leave, TimerFired
from snowcast.core.frames import Nack, Ping
from snowcast.core.timers import HealTimer, ProbeTimer
from snowcast.runtime.clock import Clock
from snowcast.runtime.driver import Driver
from snowcast.runtime.timers import Timers
from support.loops import local, on_loop, until

A, B = local(7001), local(7002)


class Script:
    """A machine that answers each event with the effects that were written for it."""

    def __init__(self, *answers: list[Effect]) -> None:
        self.answers = list(answers)
        self.events: list[tuple[Event, int]] = []

    def handle(self, event: Event, now_us: int) -> list[Effect]:
        self.events.append((event, now_us))
        return self.answers.pop(0) if self.answers else []


def drive(script: Script) -> tuple[Driver, list[Any]]:
    """A driver of the script, and what it does."""
    done: list[Any] = []
    clock = Clock()
    driver = Driver(
        script,
        clock,
        partial(Timers, asyncio.get_running_loop(), clock),
        lambda to, frame: done.append(("stream", to, frame)),
        lambda to, frame: done.append(("datagram", to, frame)),
        lambda notice: done.append(notice),
    )
    return driver, done


@on_loop
async def test_effects_are_performed_in_their_order_each_in_its_way() -> None:
    effects = [Send(A, Nack(1)), Joined(), Send(B, Ping(2), True), Send(B, Nack(3))]
    driver, done = drive(Script(effects))

    driver.handle(Leave())

    assert done == [
        ("stream", A, Nack(1)),
        Joined(),
        ("datagram", B, Ping(2)),
        ("stream", B, Nack(3)),
    ]


@on_loop
async def test_frames_that_arrive_together_are_handled_one_by_one_at_one_time() -> None:
    script = Script([Send(B, Nack(1))], [Send(B, Nack(2))])
    driver, done = drive(script)

    driver.on_frames(A, [Ping(1), Ping(2)])

    assert [event for event, _ in script.events] == [
        FrameReceived(A, Ping(1)),
        FrameReceived(A, Ping(2)),
    ]
    assert script.events[0][1] == script.events[1][1]
    assert done == [("stream", B, Nack(1)), ("stream", B, Nack(2))]


@on_loop
async def test_a_timer_comes_back_as_an_event_never_before_its_time() -> None:
    at_us = Clock().now_us() + 3_000
    script = Script([SetTimer(ProbeTimer(), at_us), SetTimer(HealTimer(), at_us)])
    driver, _ = drive(script)
    driver.handle(Leave())
    driver._perform(Leave(), 0, [CancelTimer(HealTimer())])

    await until(lambda: len(script.events) == 2)
    await asyncio.sleep(0.01)

    assert len(script.events) == 2
    event, now_us = script.events[1]
    assert event == TimerFired(ProbeTimer())
    assert now_us >= at_us
    driver.close()


@on_loop
async def test_an_observer_is_shown_each_event_with_its_effects() -> None:
    driver, _ = drive(Script([Joined()]))
    seen: list[tuple[Event, list[Effect]]] = []
    driver.observe = lambda now_us, event, effects: seen.append((event, effects))

    driver.handle(Leave())

    assert seen == [(Leave(), [Joined()])]


@on_loop
async def test_a_closed_driver_tells_its_node_nothing_more() -> None:
    script = Script()
    driver, _ = drive(script)
    driver.close()
    driver.handle(Leave())
    driver.on_frames(A, [Ping(1)])

    assert script.events == []
