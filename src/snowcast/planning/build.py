"""Walk the trees of one broadcast, every relay planning as it would on its own view.

Rules of this file:
- Who sends to whom comes from `core.trees` and from nowhere else.
- A node is its number, its place on the ring of all nodes; addresses stay inside this file.
- Every node is up and forwards; only what the nodes know of each other may differ.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from snowcast.core.address import IPV4_PREFIX, Address
from snowcast.core.errors import UsageError
from snowcast.core.region import Region
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Assignment, Mode, Tree, check_fanout, children, roots
from snowcast.planning.views import RelayView, Views

NODES_MAX = 1_000_000
FIRST_HOST = 0x0A_00_00_01  # 10.0.0.1
PORT = 7946


class Edge(msgspec.Struct, frozen=True, gc=False):
    """One frame of the broadcast: the child and the region it covers, `left` to `right`.

    `level` is the child's; the root of a tree is at level 1.
    """

    parent: int
    child: int
    left: int
    right: int
    level: int

    @property
    def is_leaf(self) -> bool:
        """Whether the child has nobody to forward to."""
        return self.left == self.child == self.right


class PlannedTree(msgspec.Struct, frozen=True):
    """One tree, its edges level by level; a secondary tree's begin with origin to root."""

    tree: Tree
    root: int
    levels: int
    edges: list[Edge]

    @property
    def name(self) -> str:
        """standard, primary or secondary."""
        return self.tree.name.lower()

    @property
    def edges_below(self) -> list[Edge]:
        """The edges under the tree's own root."""
        return self.edges[1:] if self.tree is Tree.SECONDARY else self.edges


class Plan(msgspec.Struct, frozen=True):
    """A broadcast before it is sent. `views` is None where all share the origin's."""

    nodes: int
    fanout: int
    origin: int
    mode: Mode
    order: RingOrder
    views: Views | None
    trees: list[PlannedTree]


def build_plan(
    nodes: int,
    fanout: int,
    origin: int,
    mode: Mode,
    order: RingOrder = RingOrder.ADDRESS,
    views: Views | None = None,
) -> Plan:
    """Plan a broadcast from `origin` to all of `nodes`."""
    check_nodes(nodes)
    check_fanout(fanout)
    if not 0 <= origin < nodes:
        raise UsageError(f"origin must be from 0 to {nodes - 1}, not {origin}")
    walker = _Walker(nodes, fanout, origin, order, views or Views())
    return Plan(nodes, fanout, origin, mode, order, views, list(walker.trees(mode)))


def check_nodes(nodes: int) -> None:
    """Raise UsageError unless there can be so many nodes."""
    if not 1 <= nodes <= NODES_MAX:
        raise UsageError(f"nodes must be from 1 to {NODES_MAX}, not {nodes}")


def node_address(place: int) -> Address:
    """One of the addresses that the nodes are given: 10.0.0.1:7946 and so on."""
    host = (FIRST_HOST + place).to_bytes(4, "big")
    return Address(IPV4_PREFIX + host + PORT.to_bytes(2, "big"))


class _Walker:
    """The nodes of one broadcast: their addresses, their views, and what each sends on."""

    def __init__(
        self, nodes: int, fanout: int, origin: int, order: RingOrder, views: Views
    ) -> None:
        self.fanout = fanout
        self.views = views
        self.ring = Ring((node_address(place) for place in range(nodes)), order)
        self.numbers = {address: number for number, address in enumerate(self.ring)}
        self.origin_number = origin
        self.origin = self.ring[origin]
        self.rings: dict[int, Ring] = {}  # by the id of the view that all on it share

    def trees(self, mode: Mode) -> Iterator[PlannedTree]:
        """Each tree of the broadcast, walked to its leaves."""
        own_ring = self._own_ring(self.origin_number, self.views.of_origin(self.origin_number))
        for tree, root in roots(own_ring, self.origin, mode):
            edges = []
            if root.child != self.origin:
                edges.append(self._edge(self.origin_number, root, 1))
            edges += self._walk(tree, root)
            levels = edges[-1].level if edges else 1
            yield PlannedTree(tree, self.numbers[root.child], levels, edges)

    def _walk(self, tree: Tree, root: Assignment) -> Iterator[Edge]:
        todo = deque([(root, 1)])
        while todo:
            work, level = todo.popleft()
            if work.is_leaf:
                continue
            number, region = self.numbers[work.child], work.region
            ring = self._planning_ring(number, region)
            for child in children(ring, region, work.child, self.fanout, tree, self.origin):
                yield self._edge(number, child, level + 1)
                todo.append((child, level + 1))

    def _edge(self, parent: int, work: Assignment, level: int) -> Edge:
        child = self.numbers[work.child]
        left = child if work.left is None else self.numbers[work.left]
        right = child if work.right is None else self.numbers[work.right]
        return Edge(parent, child, left, right, level)

    def _planning_ring(self, number: int, region: Region) -> Ring:
        """What `number` plans `region` on.

        A boundary it does not know is a candidate for this once; one that it knows to have
        departed is only a position (DESIGN 4.4).
        """
        view = self._view(number)
        if view is None:
            return self.ring
        ring = self._own_ring(number, view)
        unknown = [
            boundary
            for boundary in (region.left, region.right)
            if boundary not in ring and self.numbers[boundary] not in view.departed
        ]
        return ring.with_members(unknown) if unknown else ring

    def _view(self, number: int) -> RelayView | None:
        if number == self.origin_number:
            return self.views.of_origin(number)
        return self.views.of(number)

    def _own_ring(self, number: int, view: RelayView | None) -> Ring:
        """The ring that `number` believes in; itself it always knows."""
        if view is None:
            return self.ring
        if id(view) not in self.rings:
            known = (a for a, other in self.numbers.items() if not view.lacks(other))
            self.rings[id(view)] = Ring(known, self.ring.order)
        ring = self.rings[id(view)]
        return ring.with_members([self.ring[number]]) if view.lacks(number) else ring
