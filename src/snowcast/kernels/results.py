"""What became of a message, as arrays: what the façade `dissemination` returns.

Rules of this file:
- Nothing here is summed up over messages: metrics are the pipeline's (DESIGN 1).
- Whoever has not got the message has -1 in `first_us`, `hops` and `senders`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snowcast.core.trees import Tree
from snowcast.kernels.jit import Flags, Ints, Times

NOBODY = -1


@dataclass(frozen=True)
class Arrivals:
    """Every frame that arrived, a column for each fact, as in the trace's table of that name."""

    node: Ints
    sender: Ints
    at_us: Times
    bytes: Ints
    hop: Ints
    tree: Ints
    first: Flags

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True)
class Spread:
    """What became of one message, for each node."""

    origin: int
    dead: Flags
    first_us: Times
    """When its first copy arrived; 0 at the origin."""
    hops: Ints
    """How many sends from the origin its first copy was."""
    senders: Ints
    """Who sent its first copy."""
    copies: Ints
    received_bytes: Times
    frames_sent: int
    """Those to the dead are among them."""

    @property
    def reached(self) -> int:
        """How many have the message, the origin among them."""
        return int(np.count_nonzero(self.first_us >= 0))

    @property
    def live(self) -> int:
        """How many could have it."""
        return len(self.dead) - int(np.count_nonzero(self.dead))

    @property
    def last_us(self) -> int:
        """When the last of them got it."""
        return int(self.first_us.max())

    @property
    def hops_max(self) -> int:
        """The longest way a first copy took."""
        return int(self.hops.max())


@dataclass(frozen=True)
class TreeSpread(Spread):
    """With Snow: one frame for each node in each tree, so the second index is the receiver."""

    trees: tuple[Tree, ...]
    """Which trees the rows of the arrays below are."""
    first_row: Ints
    """By which tree its first copy came: a row of the arrays below, the first one at a draw."""
    at_us: Times
    """When it arrived; -1 if it did not."""
    tree_senders: Ints
    tree_hops: Ints
    frame_bytes: Ints

    def arrivals(self) -> Arrivals:
        """All frames that arrived: those of the first tree, then those of the second."""
        has_come = self.at_us >= 0
        has_come[:, self.origin] = False
        lane, node = np.nonzero(has_come)
        firsts = np.zeros_like(has_come)
        firsts[self.first_row, np.arange(len(self.dead))] = True
        return Arrivals(
            node=node.astype(np.int32),
            sender=self.tree_senders[has_come],
            at_us=self.at_us[has_come],
            bytes=self.frame_bytes[has_come],
            hop=self.tree_hops[has_come],
            tree=np.array(self.trees, np.int32)[lane],
            first=firsts[has_come],
        )


@dataclass(frozen=True)
class GossipSpread(Spread):
    """With gossip: k frames from each node that has the message, so the first index is the sender.

    A node can get two frames of one sender only if it is drawn twice, which `draw_targets` avoids.
    """

    targets: Ints
    at_us: Times
    """When it arrived; -1 if it was not sent or its target is dead."""
    frame_bytes: int

    def arrivals(self) -> Arrivals:
        """All frames that arrived, in the order of their senders."""
        sender, number = np.nonzero(self.at_us >= 0)
        node = self.targets[sender, number]
        return Arrivals(
            node=node,
            sender=sender.astype(np.int32),
            at_us=self.at_us[sender, number],
            bytes=np.full(len(node), self.frame_bytes, np.int32),
            hop=self.hops[sender] + np.int32(1),
            tree=np.zeros(len(node), np.int32),
            first=self.senders[node] == sender,
        )
