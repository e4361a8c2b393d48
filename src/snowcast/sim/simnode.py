"""One node of a simulated cluster: the machine, its process and what is waiting for it.

A `SimNode` stays the same through restarts; each life has a core node of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from snowcast.core.address import Address
from snowcast.core.effects import Effect, Send
from snowcast.core.events import Event
from snowcast.core.frames import MessageId
from snowcast.core.member import Member, first_incarnation
from snowcast.core.timers import TimerKey
from snowcast.sim.clocks import Clock

if TYPE_CHECKING:
    from snowcast.core.node import Node

STREAM_TIMES_MAX = 256  # how many streams a node keeps the last arrival of, before it forgets

Handle = Callable[[Event, int], list[Effect]]


class SimNode:
    """A node as the simulator sees it. Read it as you like; `Cluster` alone changes it."""

    __slots__ = (
        "address",
        "clock",
        "handle",
        "held",
        "inbox",
        "index",
        "is_straggler",
        "is_up",
        "life",
        "name",
        "node",
        "ready",
        "refuses",
        "resume_us",
        "running",
        "stream_us",
        "tags",
        "timers",
    )

    def __init__(
        self,
        index: int,
        address: Address,
        clock: Clock | None = None,
        is_straggler: bool = False,
        name: str = "",
        tags: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.index = index
        self.address = address
        """An equal but new object in each life, so `is` tells by which life a frame was sent."""
        self.name = name
        self.tags = tags
        self.clock = clock
        self.is_straggler = is_straggler
        self.life = 0
        self.is_up = False
        self.running = 0
        """Its life while it runs, 0 while it is down or paused."""
        self.refuses = True
        """While it is down: whether its machine refuses connections, or says nothing."""
        self.resume_us: int | None = None
        self.node: Node
        self.handle: Handle
        self.forget()

    def __repr__(self) -> str:
        return f"<node {self.index} at {self.address}, life {self.life}>"

    @property
    def is_paused(self) -> bool:
        """Up, but doing nothing until it is resumed."""
        return self.resume_us is not None

    @property
    def member(self) -> Member:
        """How it introduces itself in its present life."""
        return Member(self.address, first_incarnation(self.life), name=self.name, tags=self.tags)

    def shown_us(self, true_us: int) -> int:
        """What its own clock shows at a true time."""
        return true_us if self.clock is None else self.clock.shown_us(true_us)

    def begin_life(self) -> None:
        """A new process, which is still to be given its core node by `start`."""
        self.life += 1
        self.address = Address(bytes(self.address))
        self.forget()

    def start(self, node: Node) -> None:
        """Begin to run `node`, which was made for the present life."""
        clock = self.clock
        self.node = node
        self.handle = node.handle
        if clock is not None:
            self.handle = lambda event, now_us: node.handle(event, clock.shown_us(now_us))
        self.is_up = True
        self.running = self.life

    def stop(self, refuses: bool) -> None:
        """Stop running, and forget everything but the core node, which can still be looked at."""
        self.is_up = False
        self.running = 0
        self.refuses = refuses
        self.resume_us = None
        self.forget()

    def forget(self) -> None:
        """Drop what belongs to one life."""
        self.timers: dict[TimerKey, int] = {}
        """The sequence number of the entry that will fire each key."""
        self.stream_us: dict[Address, int] = {}
        """When the last frame sent on each stream arrives."""
        self.ready: dict[MessageId, int] = {}
        """When each message may be forwarded; only with processing delays."""
        self.held: dict[int, list[Send]] = {}
        """What is held back until each of those times."""
        self.inbox: list[Any] = []
        """What came due while it was paused, in that order."""

    def in_order(self, to: Address, due_us: int, now_us: int) -> int:
        """When a frame sent now on the stream to `to` arrives: not before the one before it."""
        times = self.stream_us
        last_us = times.get(to, 0)
        if last_us > due_us:
            due_us = last_us
        elif len(times) >= STREAM_TIMES_MAX and to not in times:
            self.stream_us = times = {k: at for k, at in times.items() if at > now_us}
        times[to] = due_us
        return due_us
