"""What all views have in common at one moment, and how much they differ along a message's way.

Paper, Algorithm Review: the guarantee is for those whom all know, so checkers ask who that is.
And a churn test proves nothing if all views were the same by the time a message came.
"""

from __future__ import annotations

from collections.abc import Iterable

from snowcast.core.address import Address
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.sim.simnode import SimNode


def known_to_all(nodes: Iterable[SimNode]) -> set[Address]:
    """Who is in every view. Views of nodes that know nobody yet do not count: they forward nothing.

    Nodes that are leaving count, for they still forward.
    """
    views = {
        node.node.view.digest: node.node.view
        for node in nodes
        if node.is_up and len(node.node.view) > 1
    }
    rings = [set(view.ring) for view in views.values()]
    return set.intersection(*rings) if rings else set()


class Divergence:
    """How many frames met another view: a receiver's that is not the same as its sender's."""

    def __init__(self) -> None:
        self.frames = 0
        self.frames_diverging = 0
        self.messages_diverging: set[MessageId] = set()
        self._nodes: dict[Address, SimNode] = {}

    def on_node(self, node: SimNode) -> None:
        """A node has come."""
        self._nodes[node.address] = node

    def on_frame(self, node: SimNode, sender: Address, frame: Frame) -> None:
        """A frame has arrived."""
        if not isinstance(frame, Data) or frame.is_system:
            return
        self.frames += 1
        if node.node.view.digest != self._nodes[sender].node.view.digest:
            self.frames_diverging += 1
            self.messages_diverging.add(frame.id)
