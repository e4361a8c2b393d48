"""A whole cluster in virtual time: nodes wired back to back, one fixed latency, nothing by chance.

Small on purpose, two to twenty nodes, so that a test can say all that happens. Faults are verbs:
crash, pause, cut. The simulator has distributions, bandwidth and seeds; this has neither.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from snowcast.core.config import MS, Config
from snowcast.core.effects import CancelTimer, Delivered, Effect, Notice, Receipt, Send, SetTimer
from snowcast.core.events import (
    Broadcast,
    Event,
    FrameReceived,
    Leave,
    PeerUnreachable,
    Start,
    TimerFired,
)
from snowcast.core.frames import Frame
from snowcast.core.member import Member, first_incarnation
from snowcast.core.node import Node
from snowcast.core.timers import HealTimer, ProbeTimer, SyncTimer, TimerKey
from snowcast.core.trees import Mode
from support.rings import member, number

STEPS_MAX = 100_000
BACKGROUND = (ProbeTimer, SyncTimer, HealTimer)
"""Timers that come again for ever: a cluster is settled when nothing else is under way."""


@dataclass
class Sent:
    """A frame, at the moment it was sent."""

    at_us: int
    sender: int
    to: int
    frame: Frame
    is_datagram: bool
    is_lost: bool = False


@dataclass
class Noticed:
    """A notice of a node to its application."""

    at_us: int
    node: int
    notice: Notice


@dataclass
class Fired:
    """A timer that fired."""

    at_us: int
    node: int
    key: TimerKey


Entry = Sent | Noticed | Fired
Loss = Callable[[Sent], bool]


class VirtualCluster:
    """Nodes by number, and a log of all they did."""

    def __init__(self, config: Config | None = None, latency_us: int = 10 * MS) -> None:
        self.config = config or Config()
        self.latency_us = latency_us
        self.now_us = 0
        self.nodes: dict[int, Node] = {}
        self.log: list[Entry] = []
        self.losses: list[Loss] = []
        self._lives: dict[int, int] = {}
        self._crashed: dict[int, bool] = {}  # and whether connections to it are refused
        self._paused: dict[int, list[Event]] = {}
        self._timers: dict[tuple[int, TimerKey], int] = {}
        self._due: list[tuple[int, int, int, Event, Any]] = []
        self._order = count()
        self._frames_under_way = 0

    @classmethod
    def of(cls, n: int, config: Config | None = None, latency_us: int = 10 * MS) -> VirtualCluster:
        """A cluster of nodes 0 to n-1 that know each other."""
        cluster = cls(config, latency_us)
        everyone = tuple(Member(member(i), first_incarnation(1)) for i in range(n))
        for i in range(n):
            cluster.start(i, members=everyone)
        cluster.log.clear()
        return cluster

    def start(self, i: int, seeds: Iterable[int] = (), members: tuple[Member, ...] = ()) -> Node:
        """Start node `i`, or start it again: a new life at the same address."""
        self.crash(i)
        del self._crashed[i]
        life = self._lives[i] = self._lives.get(i, 0) + 1
        me = Member(member(i), first_incarnation(life))
        node = self.nodes[i] = Node(me, self.config, Random(1_000 * life + i))
        self._handle(i, Start(tuple(map(member, seeds)), members))
        return node

    def crash(self, i: int, refuses: bool = False) -> None:
        """Node `i` is gone, in silence, or with its host refusing connections to it."""
        self._crashed[i] = refuses
        self.nodes.pop(i, None)
        self._paused.pop(i, None)
        for key in [key for key in self._timers if key[0] == i]:
            del self._timers[key]

    def pause(self, i: int) -> None:
        """Node `i` does nothing; what comes waits for it."""
        self._paused[i] = []

    def resume(self, i: int) -> None:
        """Node `i` goes on with what has come meanwhile."""
        for event in self._paused.pop(i):
            self._handle(i, event)

    def cut(self, *groups: Iterable[int]) -> None:
        """Lose whatever is sent from one group to another, from now on."""
        side = {i: number for number, group in enumerate(groups) for i in group}
        self.losses.append(lambda sent: side[sent.sender] != side[sent.to])

    def mend(self) -> None:
        """Lose nothing any more."""
        self.losses.clear()

    def broadcast(
        self, i: int, payload: bytes, mode: Mode = Mode.STANDARD, is_reliable: bool = False
    ) -> None:
        """Have node `i` send a message to all."""
        self._handle(i, Broadcast(payload, mode, is_reliable))

    def leave(self, i: int) -> None:
        """Have node `i` leave."""
        self._handle(i, Leave())

    def run(self, for_us: int) -> None:
        """Let so much time pass."""
        end_us = self.now_us + for_us
        for _ in range(STEPS_MAX):
            if not self._due or self._due[0][0] > end_us:
                self.now_us = end_us
                return
            self._step()
        raise AssertionError(f"more than {STEPS_MAX} steps in {for_us} us")

    def settle(self) -> None:
        """Let time pass until nothing is under way but what comes again for ever."""
        for _ in range(STEPS_MAX):
            foreground = any(not isinstance(key, BACKGROUND) for _, key in self._timers)
            if not foreground and not self._frames_under_way:
                return
            self._step()
        raise AssertionError(f"not settled after {STEPS_MAX} steps")

    def sent(self, kind: type[Frame] | None = None) -> list[Sent]:
        """The frames so far, of one kind or all."""
        frames = (entry for entry in self.log if isinstance(entry, Sent))
        return [sent for sent in frames if kind is None or isinstance(sent.frame, kind)]

    def notices(self, kind: type[Any]) -> list[tuple[int, Any]]:
        """Who noticed what so far."""
        noticed = (entry for entry in self.log if isinstance(entry, Noticed))
        return [(entry.node, entry.notice) for entry in noticed if isinstance(entry.notice, kind)]

    def deliveries(self, payload: bytes) -> list[int]:
        """The nodes that have delivered a message, as often as they did."""
        return sorted(i for i, notice in self.notices(Delivered) if notice.payload == payload)

    def receipt(self) -> Receipt:
        """The one receipt so far."""
        [(_, receipt)] = self.notices(Receipt)
        assert isinstance(receipt, Receipt)
        return receipt

    def views(self) -> dict[int, list[int]]:
        """Whom each node believes to be there."""
        return {i: [number(a) for a in node.view.ring] for i, node in sorted(self.nodes.items())}

    def everyone_sees(self) -> list[int]:
        """The view, which must be the same everywhere."""
        views = list(self.views().values())
        assert all(view == views[0] for view in views), self.views()
        assert len({node.view.digest for node in self.nodes.values()}) == 1
        return views[0]

    def _step(self) -> None:
        at_us, _, i, event, token = heapq.heappop(self._due)
        self.now_us = max(self.now_us, at_us)
        if isinstance(event, TimerFired):
            if self._timers.get((i, event.key)) != token:
                return
            del self._timers[i, event.key]
            self.log.append(Fired(self.now_us, i, event.key))
        else:
            self._frames_under_way -= 1
        if i in self._crashed:
            self._refuse(i, event)
        else:
            self._handle(i, event)

    def _refuse(self, i: int, event: Event) -> None:
        """A frame to a node that is gone: perhaps its host says so."""
        if isinstance(event, FrameReceived) and self._crashed[i]:
            answer = PeerUnreachable(member(i), (event.frame,))
            self._push(self.now_us + self.latency_us, number(event.sender), answer, None)
            self._frames_under_way += 1

    def _handle(self, i: int, event: Event) -> None:
        if i in self._paused:
            self._paused[i].append(event)
            return
        for effect in self.nodes[i].handle(event, self.now_us):
            self._perform(i, effect)

    def _perform(self, i: int, effect: Effect) -> None:
        match effect:
            case Send():
                self._send(i, effect)
            case SetTimer():
                token = self._timers[i, effect.key] = next(self._order)
                self._push(effect.at_us, i, TimerFired(effect.key), token)
            case CancelTimer():
                self._timers.pop((i, effect.key), None)
            case _:
                self.log.append(Noticed(self.now_us, i, effect))

    def _send(self, i: int, send: Send) -> None:
        sent = Sent(self.now_us, i, number(send.to), send.frame, send.is_datagram)
        self.log.append(sent)
        sent.is_lost = any(loss(sent) for loss in self.losses) or sent.to in self._crashed
        if any(loss(sent) for loss in self.losses):
            return
        event = FrameReceived(member(i), send.frame)
        self._push(self.now_us + self.latency_us, sent.to, event, None)
        self._frames_under_way += 1

    def _push(self, at_us: int, i: int, event: Event, token: int | None) -> None:
        heapq.heappush(self._due, (at_us, next(self._order), i, event, token))
