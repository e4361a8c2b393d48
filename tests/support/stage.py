"""A checker on a stage: nodes that do nothing by themselves, and a script of what happens."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from snowcast.core.config import Config
from snowcast.core.effects import Accepted, Delivered, Notice
from snowcast.core.events import Broadcast, Start
from snowcast.core.frames import MessageId
from snowcast.core.member import Member, State, first_incarnation
from snowcast.core.node import Node
from snowcast.core.trees import Mode
from snowcast.sim.checkers.checker import Checker, Outcome
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import NodeChange
from snowcast.sim.plan import AnyStep, Plan
from snowcast.sim.simnode import SimNode


def sim_node(index: int, knows: int = 0) -> SimNode:
    """A node that runs, and whose view holds the first `knows` nodes and itself."""
    node = SimNode(index, address_of(index))
    node.begin_life()
    node.start(Node(node.member, Config(), Random(0)))
    others = [member_of(other) for other in range(knows) if other != index]
    node.node.handle(Start(members=tuple(others)), 0)
    return node


def member_of(index: int, state: State = State.ALIVE) -> Member:
    """How the node with this number is known in its first life."""
    return Member(address_of(index), first_incarnation(1), state)


def message(origin: int = 0, sequence: int = 1) -> MessageId:
    """The id of a message."""
    return MessageId(address_of(origin), 1, sequence)


class Stage:
    """Some nodes that know each other, and one checker that watches."""

    def __init__(self, checker: Checker, nodes: int = 4, steps: tuple[AnyStep, ...] = ()) -> None:
        self.checker = checker
        self.nodes: list[SimNode] = []
        plan = Plan(booted=nodes, steps=steps, quiet_us=0, ends_us=0)
        checker.begin(SimpleNamespace(nodes=self.nodes), plan)
        for index in range(nodes):
            self.enter(sim_node(index, knows=nodes), NodeChange.BOOTED)

    def enter(self, node: SimNode, what: NodeChange = NodeChange.JOINING) -> None:
        """Another node comes."""
        self.nodes.append(node)
        self.checker.on_node(0, node, what)

    def change(self, index: int, what: NodeChange, at_us: int = 0) -> None:
        """Something happens to a node; whoever crashes is down then."""
        if what in (NodeChange.CRASHED, NodeChange.KILLED):
            self.nodes[index].stop(refuses=False)
        self.checker.on_node(at_us, self.nodes[index], what)

    def notice(self, index: int, notice: Notice, at_us: int = 0) -> None:
        """A node tells its application something."""
        self.checker.on_notice(at_us, self.nodes[index], notice)

    def broadcast(self, id: MessageId, is_reliable: bool = False, at_us: int = 0) -> None:
        """The origin of a message sends it."""
        origin = next(node for node in self.nodes if node.address == id.origin)
        self.notice(origin.index, Accepted(1, id), at_us)
        event = Broadcast(b"", Mode.STANDARD, is_reliable, 1)
        self.checker.on_broadcast(at_us, origin, id, event)

    def deliver(self, id: MessageId, *indices: int, at_us: int = 0) -> None:
        """These nodes deliver it."""
        for index in indices:
            self.notice(index, Delivered(id, b"", 1), at_us)

    def outcome(self, at_us: int = 0) -> Outcome:
        """What the checker says when all is over."""
        self.checker.finish(at_us)
        return self.checker.outcome()

    def findings(self, at_us: int = 0) -> tuple[str, ...]:
        """What it found to be wrong."""
        return self.outcome(at_us).findings
