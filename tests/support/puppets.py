"""A simulated world whose nodes do nothing but what a test tells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from snowcast.core.effects import Effect, Send
from snowcast.core.events import Event, FrameReceived
from snowcast.core.frames import Data, Frame, MessageId, Nack
from snowcast.core.timers import PongTimer, TimerKey
from snowcast.core.trees import Tree
from snowcast.sim.clocks import Clock
from snowcast.sim.cluster import address_of
from snowcast.sim.latency import Latency
from snowcast.sim.network import Network
from snowcast.sim.observer import Lost, NodeChange, Observer
from snowcast.sim.processing import Processing
from snowcast.sim.simnode import SimNode
from snowcast.sim.verdicts import Flight, Rule
from snowcast.sim.world import World

LATENCY_US = 1_000


class Puppet:
    """Stands in for a core node: it remembers what it hears and answers what it was told to."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, Event]] = []
        self.answers: dict[Any, list[Effect]] = {}
        """What to answer to a frame, a timer key or a whole event."""

    def handle(self, event: Event, now_us: int) -> list[Effect]:
        self.heard.append((now_us, event))
        about = getattr(event, "frame", getattr(event, "key", event))
        return list(self.answers.get(about, ()))

    def frames(self) -> list[tuple[int, Frame]]:
        """The frames it has received, each with its time."""
        return [(at, e.frame) for at, e in self.heard if isinstance(e, FrameReceived)]


class Stage:
    """A world of puppets. All frames take a millisecond unless the rules say otherwise."""

    def __init__(
        self,
        count: int,
        *,
        rules: Sequence[Rule] = (),
        processing: Processing | None = None,
        observers: Sequence[Observer] = (),
        clocks: dict[int, Clock] | None = None,
    ) -> None:
        self.network = Network(1, [*rules, Latency.fixed(LATENCY_US)])
        if processing is not None:
            processing.seed(1)
            processing.boot(count)
        self.world = World(self.network, processing, observers)
        self.nodes: list[SimNode] = []
        self.puppets: list[Puppet] = []
        for index in range(count):
            slow = processing is not None and processing.is_straggler(index)
            clock = (clocks or {}).get(index)
            node = SimNode(index, address_of(index), clock, slow)
            self.nodes.append(node)
            self.world.courier.nodes[node.address] = node
            self.live(index)

    def live(self, index: int) -> Puppet:
        """Begin a new life of a node, which is down or new."""
        puppet = Puppet()
        self.puppets[index:] = [puppet, *self.puppets[index + 1 :]]
        self.nodes[index].begin_life()
        self.nodes[index].start(cast(Any, puppet))
        return puppet

    def send(self, sender: int, to: int, frame: Frame, is_datagram: bool = False) -> None:
        """Let a node send a frame now."""
        node, world = self.nodes[sender], self.world
        world.courier.send(node, Send(address_of(to), frame, is_datagram), world.now_us)

    def perform(self, index: int, *effects: Effect) -> None:
        """Let a node want these effects now."""
        puppet, event = self.puppets[index], FrameReceived(address_of(index), Nack(0))
        puppet.answers[event.frame] = list(effects)
        self.world.handle(self.nodes[index], event)
        del puppet.answers[event.frame], puppet.heard[-1]

    def at(self, at_us: int, action: Any) -> None:
        """Do something when the time comes."""
        self.world.queue.push(at_us, None, 0, action)


class Log(Observer):
    """Writes down all that an observer is told, as tuples that begin with its time."""

    def __init__(self) -> None:
        self.drops: list[tuple[int, int, int, Frame, Lost]] = []
        self.changes: list[tuple[int, int, NodeChange]] = []

    def on_drop(self, now_us: int, sender: Any, to: Any, frame: Frame, why: Lost) -> None:
        self.drops.append((now_us, number(sender), number(to), frame, why))

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        self.changes.append((now_us, node.index, what))


def number(address: bytes) -> int:
    """`address_of` undone, for IPv4."""
    return int.from_bytes(address[13:16], "big") - 1


def nack(sequence: int) -> Nack:
    """A small frame, told from others by its number."""
    return Nack(sequence)


def data(origin: int, sequence: int, *, is_system: bool = False) -> Data:
    """A leaf's data frame."""
    id = MessageId(address_of(origin), 1, sequence)
    return Data(id, Tree.STANDARD, None, None, b"payload", is_system=is_system)


def flight(
    sender: int = 0,
    to: int = 1,
    *,
    sent_us: int = 0,
    is_datagram: bool = False,
    frame: Frame | None = None,
) -> Flight:
    """A flight between two nodes."""
    chosen = nack(1) if frame is None else frame
    return Flight(address_of(sender), address_of(to), chosen, is_datagram, sent_us)


def key(sequence: int) -> TimerKey:
    """A timer key."""
    return PongTimer(sequence)
