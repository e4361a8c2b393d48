"""How much views really differed while messages travelled: how many frames met another view.

A churn test proves nothing if every view was the same by the time a message came along. A frame
meets diverging views if its receiver's view, as it arrives, is not what its sender's was as it left.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.effects import Send
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.trees import Tree
from snowcast.sim.simnode import SimNode

_Trip = tuple[Address, Address, MessageId, Tree, int]


class Divergence:
    """Compares views along the way of every message of the application."""

    def __init__(self) -> None:
        self.frames = 0
        self.frames_diverging = 0
        self.messages_diverging: set[MessageId] = set()
        self._nodes: dict[Address, SimNode] = {}
        self._digests: dict[_Trip, int] = {}

    def on_node(self, node: SimNode) -> None:
        """A node has come."""
        self._nodes[node.address] = node

    def on_send(self, sender: Address, send: Send) -> None:
        """Note the sender's view as a frame leaves."""
        frame = send.frame
        if isinstance(frame, Data) and not frame.is_system:
            view = self._nodes[sender].node.view
            self._digests[_trip(sender, send.to, frame)] = view.digest

    def on_drop(self, sender: Address, to: Address, frame: Frame) -> None:
        """A frame that does not arrive meets no view."""
        if isinstance(frame, Data):
            self._digests.pop(_trip(sender, to, frame), None)

    def on_arrival(self, node: SimNode, sender: Address, frame: Frame) -> None:
        """Compare with the receiver's view as the frame arrives."""
        if not isinstance(frame, Data):
            return
        digest = self._digests.pop(_trip(sender, node.address, frame), None)
        if digest is None:
            return
        self.frames += 1
        if digest != node.node.view.digest:
            self.frames_diverging += 1
            self.messages_diverging.add(frame.id)


def _trip(sender: Address, to: Address, data: Data) -> _Trip:
    return sender, to, data.id, data.tree, data.attempt
