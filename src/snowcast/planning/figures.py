"""What a plan costs and what it risks, in numbers.

Bytes are those of `core.codec`, for a payload of 100 bytes (paper, Experimental Setting).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from snowcast.core.codec import frame_size
from snowcast.core.frames import Data, MessageId
from snowcast.core.trees import Tree
from snowcast.planning.build import Edge, Plan, PlannedTree, node_address

PAYLOAD_BYTES = 100
LIFE = 1_760_000_000 * 16  # a start time in ticks, as a node's life may be
SEQUENCE = 1_000


class Figures(msgspec.Struct, frozen=True):
    """One tree, or all trees of a plan together. Fan-out is over those who send."""

    name: str
    levels: int
    internal: int
    leaves: int
    fanout_min: int
    fanout_mean: float
    fanout_max: int
    frames: int
    frame_bytes: int


class Reach(msgspec.Struct, frozen=True):
    """Who gets the message; numbers in order.

    `missed`: not reached by any tree. `once`: reached by one tree where others are by two.
    `duplicates`: reached more than once by one tree, and the origin if its own message comes back.
    """

    missed: list[int]
    once: list[int]
    duplicates: list[int]


class Blast(msgspec.Struct, frozen=True):
    """How many others miss the message if one node dies unseen, for each that sends anything."""

    lost: dict[int, int]

    @property
    def mean(self) -> float:
        """Over the internal nodes, the origin aside."""
        return sum(self.lost.values()) / len(self.lost) if self.lost else 0.0

    @property
    def worst(self) -> int:
        """The greatest number lost by one death."""
        return max(self.lost.values(), default=0)

    def ranking(self) -> list[tuple[int, int]]:
        """(node, lost), the worst first."""
        return sorted(self.lost.items(), key=lambda item: (-item[1], item[0]))


def levels_optimum(nodes: int, fanout: int) -> int:
    """The paper's height of a tree, ceil(log_k((k-1) n + 1)), in whole numbers (DESIGN 4.9)."""
    levels, room = 1, 1
    while room < nodes:
        levels, room = levels + 1, room * fanout + 1
    return levels


def tree_figures(plan: Plan, tree: PlannedTree) -> Figures:
    """The figures of one tree; the frame from the origin to a secondary root counts as a frame."""
    senders = Counter(edge.parent for edge in tree.edges_below)
    receivers = {tree.root, *(edge.child for edge in tree.edges)}
    return _figures(tree.name, tree.levels, senders, receivers, tree.edges, plan)


def plan_figures(plan: Plan) -> Figures:
    """The figures of all trees together: a leaf sends in none of them."""
    edges = [edge for tree in plan.trees for edge in tree.edges]
    levels = max(tree.levels for tree in plan.trees)
    receivers = {plan.origin, *(edge.child for edge in edges)}
    senders = Counter(edge.parent for edge in edges)
    return _figures("together", levels, senders, receivers, edges, plan)


def _figures(
    name: str,
    levels: int,
    senders: Counter[int],
    receivers: set[int],
    edges: list[Edge],
    plan: Plan,
) -> Figures:
    sent = senders.values()
    return Figures(
        name=name,
        levels=levels,
        internal=len(senders),
        leaves=len(receivers) - len(senders),
        fanout_min=min(sent, default=0),
        fanout_mean=sum(sent) / len(sent) if sent else 0.0,
        fanout_max=max(sent, default=0),
        frames=len(edges),
        frame_bytes=_frame_bytes(edges, plan.origin),
    )


def _frame_bytes(edges: Iterable[Edge], origin: int) -> int:
    """The bytes of all frames; a data frame's size depends on which boundaries it carries."""
    shapes = Counter((edge.left != edge.child, edge.right != edge.child) for edge in edges)
    id, payload = MessageId(node_address(origin), LIFE, SEQUENCE), bytes(PAYLOAD_BYTES)
    edge_of_region = node_address(0)
    total = 0
    for (has_left, has_right), count in shapes.items():
        left, right = edge_of_region if has_left else None, edge_of_region if has_right else None
        total += count * frame_size(Data(id, Tree.STANDARD, left, right, payload))
    return total


def reach(plan: Plan) -> Reach:
    """Who is reached, how often."""
    copies = [Counter(edge.child for edge in tree.edges) for tree in plan.trees]
    missed, once, duplicates = [], [], []
    for number in range(plan.nodes):
        found = [count[number] for count in copies]
        if number == plan.origin:
            if any(found):
                duplicates.append(number)
            continue
        if not any(found):
            missed.append(number)
        elif not all(found):
            once.append(number)
        if max(found) > 1:
            duplicates.append(number)
    return Reach(missed, once, duplicates)


def blast(plan: Plan) -> Blast:
    """How many members lose the message with each internal node that dies unseen.

    The dead node itself is not counted, nor is who would have missed the message anyway.
    """
    parents = [{edge.child: edge.parent for edge in tree.edges} for tree in plan.trees]
    internal = [{edge.parent for edge in tree.edges} - {plan.origin} for tree in plan.trees]
    lost = dict.fromkeys(sorted(set().union(*internal)), 0)
    if len(parents) == 1:
        for edge in reversed(plan.trees[0].edges):
            if edge.parent in lost:
                lost[edge.parent] += 1 + lost.get(edge.child, 0)
        return Blast(lost)
    shared = internal[0] & internal[1]
    for number in range(plan.nodes):
        paths = [_relays(number, parent) for parent in parents if number in parent]
        if number == plan.origin or not paths or (len(paths) == 2 and not shared):
            continue
        for relay in set.intersection(*paths) - {plan.origin}:
            lost[relay] += 1
    return Blast(lost)


def _relays(number: int, parents: dict[int, int]) -> set[int]:
    """Everybody above `number` in one tree."""
    relays = set()
    while number in parents:
        number = parents[number]
        relays.add(number)
    return relays
