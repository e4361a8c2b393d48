"""A whole cluster that runs in virtual time: what scenarios, checkers and tests drive.

Paper, Evaluation, with machines that can also crash, restart, stand still and have wrong clocks.
Nodes are numbered as they come; the first ones' addresses grow with their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.errors import UsageError
from snowcast.core.events import Broadcast, Leave, Start
from snowcast.core.frames import MessageId
from snowcast.core.node import Node
from snowcast.core.trees import Mode
from snowcast.sim.clocks import ClockSkew
from snowcast.sim.network import Network
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.processing import Processing
from snowcast.sim.seeds import stream
from snowcast.sim.simnode import SimNode
from snowcast.sim.verdicts import Rule
from snowcast.sim.world import World

PORT = 7946
RESTART_CONTACTS = 3

MakeBroadcaster = Callable[..., Any]


def address_of(index: int, ipv6: bool = False) -> Address:
    """The address of the node with this number: 10.0.0.1 for 0, and so on."""
    host = index + 1
    if ipv6:
        return Address.of(f"fd00::{host >> 16:x}:{host & 0xFFFF:x}", PORT)
    return Address.of(f"10.{host >> 16}.{host >> 8 & 0xFF}.{host & 0xFF}", PORT)


class Cluster:
    """Nodes on a virtual network. Everything follows from the arguments: same seed, same run."""

    def __init__(
        self,
        seed: int,
        config: Config | None = None,
        *,
        rules: Sequence[Rule] = (),
        make_broadcaster: MakeBroadcaster | None = None,
        observers: Sequence[Observer] = (),
        ipv6: bool = False,
        processing: Processing | None = None,
        clocks: ClockSkew | None = None,
    ) -> None:
        self.seed = seed
        self.config = Config() if config is None else config
        self.nodes: list[SimNode] = []
        self.processing = processing
        self._make_broadcaster = make_broadcaster
        self._ipv6 = ipv6
        self._clocks = clocks
        self._requests = 0
        self._contacts = stream(seed, "contacts")
        if processing is not None:
            processing.seed(seed)
        if clocks is not None:
            clocks.seed(seed)
        self._world = World(Network(seed, rules), processing, observers)

    @property
    def now_us(self) -> int:
        """True time, in microseconds since the cluster was made."""
        return self._world.now_us

    @property
    def frames(self) -> int:
        """How many frames nodes have handled."""
        return self._world.frames

    @property
    def running(self) -> list[SimNode]:
        """The nodes that are up and not paused."""
        return [node for node in self.nodes if node.running]

    def node_at(self, address: Address) -> SimNode:
        """The node with this address."""
        return self._world.courier.nodes[address]

    def install(self, rule: Rule) -> None:
        """Let `rule` decide about frames from now on, after the rules that are there."""
        self._world.courier.network.install(rule)
        self._world.courier.choose_path()

    def uninstall(self, rule: Rule) -> None:
        """Take a rule away."""
        self._world.courier.network.uninstall(rule)
        self._world.courier.choose_path()

    # Nodes come, in whatever way

    def boot(self, count: int) -> list[SimNode]:
        """Start `count` nodes that all know one another: every view is accurate."""
        if self.nodes:
            raise UsageError("boot comes first; later nodes join")
        if self.processing is not None:
            self.processing.boot(count)
        nodes = [self._new_node() for _ in range(count)]
        for node in nodes:
            self._begin_life(node)
        members = tuple([node.member for node in nodes])
        for node in nodes:
            self._world.change(node, NodeChange.BOOTED)
        for node in nodes:
            self._world.handle(node, Start(members=members))
        return nodes

    def join(
        self,
        contact: SimNode | None = None,
        name: str = "",
        tags: tuple[tuple[str, str], ...] = (),
    ) -> SimNode:
        """Start a new node, which joins through `contact` or any node that runs."""
        contacts = self._draw_contacts(1) if contact is None else [contact]
        node = self._new_node(name, tags)
        self._begin_life(node)
        self._world.change(node, NodeChange.JOINING)
        self._world.handle(node, Start(seeds=tuple([other.address for other in contacts])))
        return node

    def restart(self, node: SimNode, contacts: Iterable[SimNode] | None = None) -> None:
        """A new life at the same address, which joins through `contacts` or some that run.

        A node that still runs is killed first.
        """
        if node.is_up:
            self.kill(node)
        seeds = self._draw_contacts(RESTART_CONTACTS) if contacts is None else list(contacts)
        self._begin_life(node)
        self._world.change(node, NodeChange.RESTARTED)
        self._world.handle(node, Start(seeds=tuple([other.address for other in seeds])))

    # Nodes go, or stand still

    def leave(self, node: SimNode) -> None:
        """Let a node announce that it leaves; it goes down when it is done forwarding."""
        _check_running(node)
        self._world.change(node, NodeChange.LEAVING)
        self._world.handle(node, Leave())

    def crash(self, node: SimNode) -> None:
        """The machine is gone: what is sent to it vanishes, and no sender gets an error."""
        _check_up(node)
        self._world.stop(node, refuses=False, what=NodeChange.CRASHED)

    def kill(self, node: SimNode) -> None:
        """The process is gone: its machine refuses connections, so senders of streams are told."""
        _check_up(node)
        self._world.stop(node, refuses=True, what=NodeChange.KILLED)

    def pause(self, node: SimNode, for_us: int) -> None:
        """Stand still: what arrives and the timers that come due wait, and are handled together.

        A node that is paused already goes on at the later of the two times.
        """
        _check_up(node)
        self._world.pause(node, self.now_us + for_us)

    # The rest

    def broadcast(
        self,
        node: SimNode,
        payload: bytes,
        mode: Mode = Mode.STANDARD,
        is_reliable: bool = False,
    ) -> MessageId:
        """Let a node that runs broadcast; the id of the message."""
        _check_running(node)
        self._requests += 1
        event = Broadcast(payload, mode, is_reliable, self._requests)
        return self._world.broadcast(node, event)

    def at(self, at_us: int, action: Callable[[], object]) -> None:
        """Do `action` when the time comes: in the order of the calls, if at the same time."""
        if at_us < self.now_us:
            raise UsageError(f"{at_us} is over: it is {self.now_us}")
        self._world.queue.push(at_us, None, 0, action)

    def run_until(self, at_us: int) -> None:
        """Let time pass until `at_us`, with all that is due at that moment."""
        if at_us < self.now_us:
            raise UsageError(f"{at_us} is over: it is {self.now_us}")
        self._world.run(at_us)

    def run_for(self, us: int) -> None:
        """Let `us` microseconds pass."""
        self.run_until(self.now_us + us)

    def idle(self) -> bool:
        """Whether nothing is under way: no frame, no held one, no action, nobody paused."""
        return self._world.queue.is_idle()

    def _new_node(self, name: str = "", tags: tuple[tuple[str, str], ...] = ()) -> SimNode:
        index = len(self.nodes)
        clock = None if self._clocks is None else self._clocks.of(index)
        is_straggler = self.processing is not None and self.processing.is_straggler(index)
        node = SimNode(index, address_of(index, self._ipv6), clock, is_straggler, name, tags)
        self.nodes.append(node)
        self._world.courier.nodes[node.address] = node
        return node

    def _begin_life(self, node: SimNode) -> None:
        node.begin_life()
        random = stream(self.seed, "node", node.index, node.life)
        if self._make_broadcaster is None:
            node.start(Node(node.member, self.config, random))
        else:
            broadcaster = self._make_broadcaster
            node.start(Node(node.member, self.config, random, make_broadcaster=broadcaster))

    def _draw_contacts(self, count: int) -> list[SimNode]:
        running = self.running
        return self._contacts.sample(running, min(count, len(running)))


def _check_up(node: SimNode) -> None:
    if not node.is_up:
        raise UsageError(f"{node} is down")


def _check_running(node: SimNode) -> None:
    if not node.running:
        raise UsageError(f"{node} is down or paused")
