"""Baselines by hand: one broadcaster without its node, and whole clusters that run on one.

Nodes are numbers here, as in `support.rings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Generic, TypeVar

from snowcast.core.config import SECOND, Config
from snowcast.core.context import Context
from snowcast.core.effects import Delivered, Effect, Notice, Send
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.member import State
from snowcast.core.timers import TimerKey
from snowcast.core.trees import Mode, Tree
from snowcast.sim.cluster import Cluster
from snowcast.sim.latency import Latency
from snowcast.sim.observer import Observer
from snowcast.sim.simnode import SimNode
from support.lone import message, record
from support.rings import member, number

B = TypeVar("B", bound=Any)


def copy(origin: int, hop: int = 1, sequence: int = 1, **kind: bool) -> Data:
    """A copy of a message as baselines send it: with no region."""
    return Data(message(origin, sequence), Tree.STANDARD, None, None, b"hello", hop, **kind)


class Alone(Generic[B]):
    """The broadcaster of node `me` in a view of nodes 0 to n-1, and what it delivers."""

    def __init__(self, make: Callable[[Context], B], me: int, n: int, **settings: Any) -> None:
        self.context = Context(member(me), Config(**settings), Random(1))
        self.delivered: list[MessageId] = []
        self.context.on_message = lambda data, now_us: self.delivered.append(data.id)
        self.algorithm: B = make(self.context)
        for i in range(n):
            self.arrive(i)

    def arrive(self, i: int, now_us: int = 0) -> list[Effect]:
        """A member comes."""
        self.context.view.merge((record(i),), now_us)
        if member(i) != self.context.me:
            self.algorithm.on_arrived(record(i), now_us)
        return self.context.outbox.take()

    def depart(self, i: int, state: State = State.LEFT, now_us: int = 0) -> list[Effect]:
        """A member leaves or is evicted."""
        self.context.view.merge((record(i, state),), now_us)
        self.algorithm.on_departed(record(i, state), now_us)
        return self.context.outbox.take()

    def start(self, now_us: int = 0, sequence: int = 1) -> list[Effect]:
        """Begin a broadcast."""
        id = MessageId(self.context.me, 1, sequence)
        self.algorithm.start(id, b"hello", Mode.STANDARD, False, False, now_us)
        return self.context.outbox.take()

    def receive(self, sender: int, frame: Frame, now_us: int = 0) -> list[Effect]:
        """A frame comes."""
        if isinstance(frame, Data):
            self.algorithm.on_data(member(sender), frame, now_us)
        else:
            self.algorithm.on_frame(member(sender), frame, now_us)
        return self.context.outbox.take()

    def fire(self, key: TimerKey, now_us: int) -> list[Effect]:
        """A timer fires."""
        self.algorithm.on_timer(key, now_us)
        return self.context.outbox.take()


class Everybody(Observer, Generic[B]):
    """A cluster of full nodes that all broadcast by one algorithm, and all that they send."""

    def __init__(
        self,
        make: Callable[[Context], B],
        n: int,
        seed: int = 1,
        latency: Latency | None = None,
        **settings: Any,
    ) -> None:
        self.algorithms: list[B] = []

        def made(context: Context) -> B:
            algorithm = make(context)
            self.algorithms.append(algorithm)
            return algorithm

        self.sent: Counter[str] = Counter()
        self.copies: Counter[MessageId] = Counter()
        self.had: dict[MessageId, list[int]] = {}
        self.frames: list[tuple[int, int, int, Any]] = []  # when, from, to, what
        self.cluster = Cluster(
            seed,
            Config(**settings),
            rules=[latency or Latency.uniform(500, 1_500)],
            make_broadcaster=made,
            observers=[self],
        )
        self.cluster.boot(n)

    def on_send(self, now_us: int, sender: Any, send: Send, frame_bytes: int) -> None:
        """Count it."""
        self.sent[type(send.frame).__name__] += 1
        if isinstance(send.frame, Data) and not send.frame.is_system:
            self.copies[send.frame.id] += 1
        self.frames.append((now_us, number(sender) - 1, number(send.to) - 1, send.frame))

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """Note who delivers what."""
        if isinstance(notice, Delivered):
            self.had.setdefault(notice.id, []).append(node.index)

    def say(self, origin: int = 0, for_us: int = 2 * SECOND) -> MessageId:
        """Broadcast, and let so much time pass."""
        id = self.cluster.broadcast(self.cluster.nodes[origin], b"hello")
        self.had.setdefault(id, [])
        self.cluster.run_for(for_us)
        return id

    def received(self, id: MessageId) -> list[int]:
        """Who has delivered it, in order of number; twice who did twice."""
        return sorted(self.had[id])


def between(frames: Sequence[tuple[int, int, int, Any]], kind: type[Any]) -> list[tuple[int, int]]:
    """Who sent a frame of this kind to whom."""
    return [(sender, to) for _, sender, to, frame in frames if isinstance(frame, kind)]
