"""The driver: events into the core, effects out of it, in order. It decides nothing.

Rules of this file:
- `handle` is never entered while it runs: what happens meanwhile is reported on a later turn.
- Traces are taken here and nowhere else: `observe` sees each event with its effects.
- With a way to send one message to many, the node is asked for `Forward`s in place of `Send`s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from snowcast.core.address import Address
from snowcast.core.effects import (
    CancelTimer,
    Effect,
    Forward,
    Notice,
    Send,
    SetTimer,
    Step,
    spelt_out,
)
from snowcast.core.events import Event, FrameReceived, TimerFired
from snowcast.core.frames import Frame
from snowcast.core.timers import TimerKey
from snowcast.runtime.clock import Clock
from snowcast.runtime.timers import Timers

OnForward = Callable[[Forward], None]
Observe = Callable[[int, Event, list[Effect]], None]
"""Is shown the time, an event, and what the node has made of it."""


class Machine(Protocol):
    """What is driven: a core node, or something that looks like one."""

    def handle(self, event: Event, now_us: int) -> list[Effect]:
        """Take in what has happened; return what is to be done, in order."""


class Forwarding(Machine, Protocol):
    """A machine that can say in one what goes to many."""

    def step(self, event: Event, now_us: int) -> list[Step]:
        """As `handle`, with a `Forward` in place of the `Send`s of one message."""


class Driver:
    """Runs one node on a clock, timers and its ways to send."""

    __slots__ = (
        "_clock",
        "_forward",
        "_notify",
        "_send",
        "_send_datagram",
        "_step",
        "observe",
        "timers",
    )

    def __init__(
        self,
        machine: Machine,
        clock: Clock,
        timers: Callable[[Callable[[TimerKey, int], None]], Timers],
        send: Callable[[Address, Frame], None],
        send_datagram: Callable[[Address, Frame], None],
        notify: Callable[[Notice], None],
    ) -> None:
        self._step: Callable[[Event, int], Sequence[Step]] = machine.handle
        self._forward: OnForward | None = None
        self._clock = clock
        self._send = send
        self._send_datagram = send_datagram
        self._notify = notify
        self.timers = timers(self._on_due)
        self.observe: Observe | None = None

    def forward_by(self, machine: Forwarding, forward: OnForward) -> None:
        """Send one message to many in this way, from now on."""
        self._step, self._forward = machine.step, forward

    def handle(self, event: Event) -> None:
        """Tell the node what has happened now, and do what it says."""
        now_us = self._clock.now_us()
        self._perform(event, now_us, self._step(event, now_us))

    def on_frames(self, sender: Address, frames: Iterable[Frame]) -> None:
        """Frames have arrived together."""
        now_us = self._clock.now_us()
        for frame in frames:
            event = FrameReceived(sender, frame)
            self._perform(event, now_us, self._step(event, now_us))

    def close(self) -> None:
        """Tell the node nothing any more."""
        self._step = lambda event, now_us: []
        self.observe = None
        self.timers.close()

    def _on_due(self, key: TimerKey, at_us: int) -> None:
        event, now_us = TimerFired(key), self._clock.reach(at_us)
        self._perform(event, now_us, self._step(event, now_us))

    def _perform(self, event: Event, now_us: int, steps: Sequence[Step]) -> None:
        if self.observe is not None:
            self.observe(now_us, event, spelt_out(steps))
        for effect in steps:
            if isinstance(effect, Forward):
                assert self._forward is not None, "not asked for"
                self._forward(effect)
            elif isinstance(effect, Send):
                if effect.is_datagram:
                    self._send_datagram(effect.to, effect.frame)
                else:
                    self._send(effect.to, effect.frame)
            elif isinstance(effect, SetTimer):
                self.timers.set(effect.key, effect.at_us)
            elif isinstance(effect, CancelTimer):
                self.timers.cancel(effect.key)
            else:
                self._notify(effect)
