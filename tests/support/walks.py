"""A broadcast walked through by hand: who sends to whom, with no clock and no node.

This is what the nodes of a cluster do together, with nothing lost: each receiver plans on its own
view, which may differ from everybody else's, and sends on. All paper properties are read off the
list of sends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from snowcast.core import trees
from snowcast.core.address import Address
from snowcast.core.ring import Ring
from snowcast.core.trees import Assignment, Mode, Tree

SENDS_MAX = 100_000  # far beyond what any test needs: a walk that reaches it goes in circles


class View(NamedTuple):
    """What one node believes: its ring, and whom it knows to have left."""

    ring: Ring
    departed: frozenset[Address] = frozenset()


class Send(NamedTuple):
    """One frame of a broadcast: `hop` counts sends from the origin, this one included."""

    parent: Address
    tree: Tree
    assignment: Assignment
    hop: int

    @property
    def child(self) -> Address:
        """Who receives it."""
        return self.assignment.child


def walk(
    view_of: Callable[[Address], View], origin: Address, fanout: int, mode: Mode
) -> list[Send]:
    """All sends of a broadcast, each node planning on its own view, in order of hops."""
    sends: list[Send] = []
    todo: deque[Send] = deque()
    for tree, root in trees.roots(view_of(origin).ring, origin, mode):
        if root.child == origin:
            todo.append(Send(origin, tree, root, 0))
        else:
            sends.append(Send(origin, tree, root, 1))
            todo.append(sends[-1])
    while todo:
        received = todo.popleft()
        if received.assignment.is_leaf:
            continue
        new = onward(view_of(received.child), received, origin, fanout)
        sends += new
        todo += new
        assert len(sends) < SENDS_MAX, "a broadcast that does not end"
    return sends


def onward(view: View, received: Send, origin: Address, fanout: int) -> list[Send]:
    """What the receiver of one frame sends on."""
    me, work = received.child, received.assignment
    ring = planning_ring(view, me, work)
    tree, hop = received.tree, received.hop + 1
    picked = trees.children(ring, work.region, me, fanout, tree, origin)
    return [Send(me, tree, assignment, hop) for assignment in picked]


def planning_ring(view: View, me: Address, work: Assignment) -> Ring:
    """The receiver's ring for this one computation, with the boundaries that it does not know.

    One that it knows to have left is only a position (DESIGN 4.4).
    """
    unknown = [
        boundary
        for boundary in (work.left, work.right)
        if boundary is not None and boundary not in view.departed and boundary not in view.ring
    ]
    if me not in view.ring:  # it is taken to have left, and forwards until it is gone
        unknown.append(me)
    return view.ring.with_members(unknown) if unknown else view.ring


def broadcast(ring: Ring, origin: Address, fanout: int, mode: Mode) -> list[Send]:
    """All sends of a broadcast where everybody holds the same view."""
    view = View(ring)
    return walk(lambda _: view, origin, fanout, mode)


def of_tree(sends: Iterable[Send], tree: Tree) -> list[Send]:
    """The sends of one tree."""
    return [send for send in sends if send.tree is tree]


def trees_of(mode: Mode, members: int) -> list[Tree]:
    """The trees that a broadcast among so many has."""
    if mode is Mode.STANDARD:
        return [Tree.STANDARD]
    return [Tree.PRIMARY, Tree.SECONDARY] if members > 2 else [Tree.PRIMARY]


def receivers(sends: Iterable[Send]) -> list[Address]:
    """Who receives, as often as it does."""
    return [send.child for send in sends]


def internal(sends: Iterable[Send]) -> set[Address]:
    """Who forwards."""
    return {send.parent for send in sends}


def levels_of(sends: Iterable[Send]) -> int:
    """The levels of one tree, its root's included, from the sends of that tree."""
    depth: dict[Address, int] = {}
    for send in sends:
        depth[send.child] = depth.setdefault(send.parent, 1) + 1
    return max(depth.values(), default=1)
