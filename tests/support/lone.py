"""One node by hand: what goes in is a call, what comes out is a list of effects.

Nodes are numbers here, as in `support.rings`: 5 stands for 10.0.0.5:7946.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec

from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.effects import Effect, Send
from snowcast.core.events import FrameReceived, Start
from snowcast.core.frames import Ack, Data, Frame, MessageId
from snowcast.core.member import Member, State, first_incarnation
from snowcast.core.node import Node
from snowcast.core.timers import HopTimer, TimerKey
from snowcast.core.trees import Mode, Tree
from support.rings import member, number

STANDARD, PRIMARY, SECONDARY = Tree


def record(i: int, state: State = State.ALIVE, refutations: int = 0, life: int = 1) -> Member:
    """What is known of node `i`."""
    return Member(member(i), first_incarnation(life) + refutations, state)


def records(numbers: Iterable[int], state: State = State.ALIVE) -> tuple[Member, ...]:
    """What is known of each of these."""
    return tuple(record(i, state) for i in numbers)


def message(origin: int, sequence: int = 1, life: int = 1) -> MessageId:
    """The id of a message."""
    return MessageId(member(origin), life, sequence)


def data(
    origin: int, left: int | None = None, right: int | None = None, hop: int = 1, **rest: Any
) -> Data:
    """A message of `origin` with the region from `left` to `right`; a leaf's has neither."""
    rest.setdefault("tree", STANDARD)
    rest.setdefault("payload", b"hello")
    id = message(origin, rest.pop("sequence", 1))
    return Data(id, left=_address(left), right=_address(right), hop=hop, **rest)


def about(data: Data, frame: Any) -> Any:
    """An ack, or a question about one, that says which part of a tree it is about."""
    return msgspec.structs.replace(frame, left=data.left, right=data.right)


def hop_timer(data: Data) -> HopTimer:
    """The timer that watches over the children of an assignment."""
    return HopTimer(data.id, data.tree, data.attempt, data.left, data.right)


def send(to: int, frame: Frame) -> Send:
    """A frame on a stream."""
    return Send(member(to), frame)


def datagram(to: int, frame: Frame) -> Send:
    """A frame as a datagram."""
    return Send(member(to), frame, True)


def sends(effects: Iterable[Effect], kind: type[Any] | None = None) -> list[tuple[int, Any]]:
    """What is sent to whom: frames of one kind, or all."""
    frames = (effect for effect in effects if isinstance(effect, Send))
    return [
        (number(effect.to), effect.frame)
        for effect in frames
        if kind is None or isinstance(effect.frame, kind)
    ]


def parts(effects: Iterable[Effect]) -> dict[int, tuple[int | None, int | None]]:
    """The regions that data is sent with, by child."""
    return {to: (_number(frame.left), _number(frame.right)) for to, frame in sends(effects, Data)}


def node(me: int, n: int, seeds: Iterable[int] = (), **settings: Any) -> Node:
    """Node `me` of a cluster of nodes 0 to n-1 that all know each other, started."""
    started = Node(record(me), Config(**settings), Random(me))
    started.handle(Start(tuple(map(member, seeds)), records(range(n))), 0)
    return started


def receive(node: Node, sender: int, frame: Frame, now_us: int = 0) -> list[Effect]:
    """Hand a frame to a node."""
    return node.handle(FrameReceived(member(sender), frame), now_us)


class Lone:
    """A broadcaster without its node, and what it tells the rest of the node."""

    def __init__(self, me: int, n: int, **settings: Any) -> None:
        config = Config(**{"fanout": 2, **settings})
        self.context = Context(member(me), config, Random(1))
        self.context.view.merge(records(range(n)), 0)
        self.delivered: list[MessageId] = []
        self.silent: list[int] = []
        self.context.on_message = lambda data, now_us: self.delivered.append(data.id)
        self.context.on_silent = lambda peer, now_us: self.silent.append(number(peer))
        self.broadcaster = SnowBroadcaster(self.context)
        self._given: dict[int, Data] = {}  # to whom, and the last part of a message

    def start(
        self,
        mode: Mode = Mode.STANDARD,
        now_us: int = 0,
        is_reliable: bool = True,
        is_system: bool = False,
        is_control: bool = False,
    ) -> list[Effect]:
        """Begin a broadcast."""
        id = MessageId(self.context.me, 1, 1)
        kind = mode, is_reliable, is_system, now_us, is_control
        self.broadcaster.start(id, b"hello", *kind)
        return self._take()

    def receive(self, sender: int, frame: Frame, now_us: int = 0) -> list[Effect]:
        """A frame comes. An ack is about the part that its sender was given last."""
        if isinstance(frame, Ack) and sender in self._given:
            frame = about(self._given[sender], frame)
        if isinstance(frame, Data):
            self.broadcaster.on_data(member(sender), frame, now_us)
        else:
            self.broadcaster.on_frame(member(sender), frame, now_us)
        return self._take()

    def fire(self, key: TimerKey, now_us: int) -> list[Effect]:
        """A timer fires."""
        self.broadcaster.on_timer(key, now_us)
        return self._take()

    def fail(self, peer: int, data: Data, now_us: int = 0) -> list[Effect]:
        """Data cannot be sent."""
        self.broadcaster.on_unsent(member(peer), data, now_us)
        return self._take()

    def depart(self, i: int, state: State, now_us: int = 0) -> list[Effect]:
        """A member leaves or is evicted."""
        gone = record(i, state)
        self.context.view.merge((gone,), now_us)
        self.broadcaster.on_departed(gone, now_us)
        return self._take()

    def _take(self) -> list[Effect]:
        effects = self.context.outbox.take()
        self._given.update(sends(effects, Data))
        return effects


def _address(i: int | None) -> Any:
    return None if i is None else member(i)


def _number(address: Any) -> int | None:
    return None if address is None else number(address)
