"""Broadcasts walked through frame by frame, in order of time: naive twins of the kernels.

The trees come from the core's own `children`; the gossip is as dumb as can be.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import NamedTuple

from snowcast.core.codec import frame_size
from snowcast.core.frames import Data, MessageId
from snowcast.core.ring import Ring
from snowcast.core.trees import Assignment, Mode, Tree, children, roots
from support.rings import number


class Came(NamedTuple):
    """A frame that arrived."""

    tree: Tree
    node: int
    sender: int
    at_us: int
    hop: int
    bytes: int


class _Frame(NamedTuple):
    tree: Tree
    assignment: Assignment
    sender: int
    hop: int


def snow(
    ring: Ring,
    fanout: int,
    mode: Mode,
    origin: int,
    latency_us: Callable[[int, int], int],
    delay_us: Sequence[int],
    dead: Collection[int],
    payload: bytes,
) -> list[Came]:
    """Every frame that arrives, each node planning with the core; `latency_us(tree, node)`."""
    came: list[Came] = []
    due: list[tuple[int, int, _Frame]] = []
    order = count()
    first_us = {origin: 0}
    id = MessageId(ring[origin], 1, 1)

    def send(frame: _Frame, leaves_us: int) -> None:
        lane = 1 if frame.tree is Tree.SECONDARY else 0
        at_us = leaves_us + latency_us(lane, number(frame.assignment.child))
        heapq.heappush(due, (at_us, next(order), frame))

    def forward(me: int, work: Assignment, tree: Tree, hop: int, leaves_us: int) -> None:
        if not work.is_leaf:
            for child in children(ring, work.region, ring[me], fanout, tree, ring[origin]):
                send(_Frame(tree, child, me, hop), leaves_us)

    for tree, root in roots(ring, ring[origin], mode):
        if number(root.child) == origin:
            forward(origin, root, tree, 1, 0)
        else:
            send(_Frame(tree, root, origin, 1), 0)
    while due:
        at_us, _, (tree, work, sender, hop) = heapq.heappop(due)
        me = number(work.child)
        if me in dead:
            continue
        data = Data(id, tree, work.left, work.right, payload, hop)
        came.append(Came(tree, me, sender, at_us, hop, frame_size(data)))
        ready_us = first_us.setdefault(me, at_us) + delay_us[me]
        forward(me, work, tree, hop + 1, max(at_us, ready_us))
    return came


def gossip(
    origin: int,
    targets: Sequence[Sequence[int]],
    latency_us: Sequence[Sequence[int]],
    delay_us: Sequence[int],
    dead: Collection[int],
) -> tuple[dict[int, tuple[int, int, int]], list[tuple[int, int, int]]]:
    """When, by how many hops and from whom each node has it; and all frames: from, to, when.

    Of frames that arrive together, that of the earlier sender is first.
    """
    had = {origin: (0, 0, -1)}
    frames: list[tuple[int, int, int]] = []
    under_way: list[tuple[int, int, int, int]] = []  # when, the sender's turn, its frame's number
    me = origin
    while True:
        at_us, *_ = had[me]
        leaves_us = at_us + (0 if me == origin else delay_us[me])
        for place, other in enumerate(targets[me]):
            if other not in dead:
                arrives_us = leaves_us + latency_us[me][place]
                frames.append((me, other, arrives_us))
                under_way.append((arrives_us, len(had), place, me))
        under_way = [frame for frame in under_way if targets[frame[3]][frame[2]] not in had]
        if not under_way:
            return had, frames
        at_us, _, place, sender = min(under_way)
        me = targets[sender][place]
        had[me] = (at_us, had[sender][1] + 1, sender)
