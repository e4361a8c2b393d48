"""A day in the life of ten nodes: messages come and go, nodes restart, nothing piles up.

What is counted is what Python's allocator has in use, of the nodes and of the simulator together,
when the day is young and at its end; and what the nodes themselves say they remember.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from itertools import count

import pytest

from promises.figures import Figure
from snowcast.core.config import HOUR, SECOND
from snowcast.core.trees import Mode
from snowcast.sim.cluster import Cluster

NODES = 10
MESSAGE_EVERY_US = 10 * SECOND
SETTLED_US = 180 * SECOND  # longer than a message is remembered, and than a restart is news
GROWTH_MAX = 500
"""So many more blocks may be in use: one for each message of a day would be sixteen times that."""
ALWAYS = {"timers", "probes", "relays"}
"""What some are always under way of."""


class Life:
    """Ten nodes, each sending in turn, in both modes, every other message reliable."""

    def __init__(self) -> None:
        self.cluster = Cluster(1)
        self.cluster.boot(NODES)
        self._sent = count()

    def go_on(self, for_us: int) -> None:
        """Let so much time pass, with its messages."""
        for _ in range(for_us // MESSAGE_EVERY_US):
            number = next(self._sent)
            origin = self.cluster.nodes[number % NODES]
            mode = (Mode.STANDARD, Mode.COLORING)[number % 2]
            self.cluster.broadcast(origin, bytes(100), mode, is_reliable=number // 2 % 2 == 0)
            self.cluster.run_for(MESSAGE_EVERY_US)

    def restart(self, index: int) -> None:
        """One node begins a new life, and is known to all again."""
        self.cluster.restart(self.cluster.nodes[index])

    def rest(self) -> tuple[int, Counter[str]]:
        """After a while of silence: blocks in use, and the most that a node remembers."""
        self.cluster.run_for(SETTLED_US)
        views = {node.node.view.digest for node in self.cluster.nodes}
        assert len(views) == 1
        sizes = Counter[str]()
        for node in self.cluster.nodes:
            sizes |= Counter(node.node.sizes()) | Counter({"timers": len(node.timers)})
        gc.collect()
        return sys.getallocatedblocks(), sizes


def endure(periods: int, period_us: int, figure: Figure) -> None:
    """Every period has a restart and its messages; from the third on nothing may grow."""
    life = Life()
    blocks, remembered = [], []
    for period in range(periods):
        life.restart(period % NODES)
        life.go_on(period_us)
        in_use, sizes = life.rest()
        blocks.append(in_use)
        remembered.append(sizes)
    figure("frames", f"{life.cluster.frames:,}")
    figure("blocks in use, after each period", blocks)
    figure("remembered at the end, the most of any node", dict(remembered[-1]))
    # Each node restarts once before the count begins: a second life takes what a first does not.
    settled = blocks[NODES + 1]
    assert max(blocks[NODES + 1 :]) - settled < GROWTH_MAX
    assert all(sizes.keys() <= ALWAYS for sizes in remembered)


def test_minutes_in_which_every_node_restarts_leave_nothing_behind(figure: Figure) -> None:
    endure(NODES + 4, 60 * SECOND, figure)


@pytest.mark.soak
def test_a_day_of_ten_nodes_leaves_nothing_behind(figure: Figure) -> None:
    endure(24, HOUR - SETTLED_US, figure)
