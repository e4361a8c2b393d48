"""What can be seen of a cluster as it runs: checkers, recorders, transcripts observe."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from snowcast.core.address import Address
from snowcast.core.effects import Notice, Send
from snowcast.core.events import Broadcast
from snowcast.core.frames import Frame, MessageId

if TYPE_CHECKING:
    from snowcast.sim.simnode import SimNode


class NodeChange(StrEnum):
    """What has happened to a node."""

    BOOTED = "booted"
    JOINING = "joining"
    LEAVING = "leaving"
    LEFT = "left"
    CRASHED = "crashed"
    KILLED = "killed"
    RESTARTED = "restarted"
    PAUSED = "paused"
    RESUMED = "resumed"


class Lost(StrEnum):
    """Why a frame did not arrive."""

    RULE = "rule"  # a rule said DROP
    REFUSED = "refused"  # its stream broke, and the sender is told
    CLOSED = "closed"  # a datagram to a node that is not there
    SILENT = "silent"  # the node has crashed
    UNSENT = "unsent"  # the sender died before the frame had left it


class Observer:
    """Does nothing. Override what you want to see: only that is called, the rest costs nothing."""

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        """A frame leaves `sender`, whatever becomes of it."""

    def on_drop(self, now_us: int, sender: Address, to: Address, frame: Frame, why: Lost) -> None:
        """A frame is lost: known when it leaves if a rule loses it, else when it would arrive."""

    def on_frame(self, now_us: int, node: SimNode, sender: Address, frame: Frame) -> None:
        """A frame has arrived at `node`, which is about to handle it."""

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """`node` tells its application something."""

    def on_broadcast(self, now_us: int, node: SimNode, id: MessageId, broadcast: Broadcast) -> None:
        """The application of `node` has broadcast; the first frames have left already."""

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """Something has happened to `node`; for `BOOTED`, before it has handled anything."""


def overrides(observer: Observer, method: str) -> bool:
    """Whether `observer` wants to be called for this."""
    return getattr(type(observer), method) is not getattr(Observer, method)
