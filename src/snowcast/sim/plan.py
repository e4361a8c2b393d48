"""What is going to happen in a run, as values: who comes, goes, stops and speaks, and when.

A plan names nodes by number: those booted are 0 to n - 1, and each that joins takes the next. It
follows from the scenario and the seed alone, never from how the protocol fares, so every protocol
meets the same; and whoever runs real nodes can follow the same plan.
"""

from __future__ import annotations

from enum import StrEnum
from random import Random

import msgspec

from snowcast.core.trees import Mode
from snowcast.sim.incidents import Disturbance


class Step(msgspec.Struct, frozen=True):
    """Something that is done to one node, or by it."""

    at_us: int
    node: int


class Enter(Step, frozen=True):
    """The node, a new one, begins to join through `contact`."""

    contact: int


class How(StrEnum):
    """How a node goes."""

    LEAVE = "leave"
    CRASH = "crash"
    KILL = "kill"


class Exit(Step, frozen=True):
    """The node goes."""

    how: How


class Return(Step, frozen=True):
    """The node, which crashed or was killed, starts again."""


class Halt(Step, frozen=True):
    """The node does nothing for a while."""

    for_us: int


class Say(Step, frozen=True):
    """The node broadcasts message `number`."""

    number: int
    mode: Mode
    is_reliable: bool
    payload_bytes: int


class Disturb(msgspec.Struct, frozen=True):
    """The network treats some nodes badly from a time on; until another, or for good."""

    at_us: int
    until_us: int | None
    nodes: tuple[int, ...]
    kind: Disturbance


AnyStep = Enter | Exit | Return | Halt | Say | Disturb


class Plan(msgspec.Struct, frozen=True):
    """All that happens, in order, and when the run turns quiet and ends."""

    booted: int
    steps: tuple[AnyStep, ...]
    quiet_us: int
    ends_us: int

    def harmed(self) -> set[int]:
        """The nodes that go, or stand still, or whose network is disturbed."""
        harmed: set[int] = set()
        for step in self.steps:
            if isinstance(step, Disturb):
                harmed.update(step.nodes)
            elif isinstance(step, Exit | Halt | Return):
                harmed.add(step.node)
        return harmed


class Roster:
    """Who is in, as a plan is made, step by step in order of time."""

    def __init__(self, booted: int, settle_us: int, kept: frozenset[int] = frozenset()) -> None:
        self._since_us = dict.fromkeys(range(booted), -settle_us)
        self._settle_us = settle_us
        self._kept = kept
        self._down: list[int] = []
        self._next = booted

    def __len__(self) -> int:
        return len(self._since_us)

    def enter(self, now_us: int) -> int:
        """A new node comes in; its number."""
        node, self._next = self._next, self._next + 1
        self._since_us[node] = now_us
        return node

    def exit(self, node: int, how: How) -> None:
        """A node goes."""
        del self._since_us[node]
        if how is not How.LEAVE:
            self._down.append(node)

    def restart(self, node: int, now_us: int) -> None:
        """A node that went down is back."""
        self._down.remove(node)
        self._since_us[node] = now_us

    def is_in(self, node: int) -> bool:
        """Whether the node is in."""
        return node in self._since_us

    def is_down(self, node: int) -> bool:
        """Whether the node went down and is not back."""
        return node in self._down

    def down(self) -> list[int]:
        """Those that went down and are not back."""
        return list(self._down)

    def settled(self, now_us: int) -> list[int]:
        """Those that have been in for a while, or else the one that has been in for longest."""
        return self._in_long_enough(now_us) or list(self._since_us)[:1]

    def expendable(self, now_us: int) -> list[int]:
        """Those that have been in for a while and are not to be kept."""
        return [node for node in self._in_long_enough(now_us) if node not in self._kept]

    def _in_long_enough(self, now_us: int) -> list[int]:
        latest_us = now_us - self._settle_us
        return [node for node, since_us in self._since_us.items() if since_us <= latest_us]


def draw(candidates: list[int], count: int, random: Random) -> list[int]:
    """So many of them, or all if they are fewer, in order."""
    return sorted(random.sample(candidates, min(count, len(candidates))))
