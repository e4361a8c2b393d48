"""What enters the core. Past tense for what has happened, imperative for what the owner wants.

A driver hands these to `Node.handle`, one at a time, with the time in microseconds.
"""

from __future__ import annotations

import msgspec

from snowcast.core.address import Address
from snowcast.core.frames import Frame, MessageId
from snowcast.core.member import Member
from snowcast.core.timers import TimerKey
from snowcast.core.trees import Mode


class Start(msgspec.Struct, frozen=True, gc=False):
    """Begin. `members` are known already (a snapshot, or a cluster that starts as one).

    With seeds and no members the node joins through one of the seeds; with neither it is a
    cluster of one that others may join. Seeds are retried for ever.
    """

    seeds: tuple[Address, ...] = ()
    members: tuple[Member, ...] = ()


class Broadcast(msgspec.Struct, frozen=True, gc=False):
    """Send `payload` to every member. `request` is the caller's own number for it."""

    payload: bytes
    mode: Mode = Mode.STANDARD
    is_reliable: bool = False
    request: int = 0
    is_control: bool = False  # for whoever runs the nodes, not for the application


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Say something to a control message that was delivered, to its origin alone."""

    id: MessageId
    text: str


class FrameReceived(msgspec.Struct, frozen=True, gc=False):
    """A frame has arrived from `sender`, the address by which members know that node."""

    sender: Address
    frame: Frame


class PeerUnreachable(msgspec.Struct, frozen=True, gc=False):
    """A connection was refused or reset, or its queue was full; `unsent` did not get through."""

    peer: Address
    unsent: tuple[Frame, ...] = ()


class TimerFired(msgspec.Struct, frozen=True, gc=False):
    """The time set for `key` has come."""

    key: TimerKey


class Leave(msgspec.Struct, frozen=True, gc=False):
    """Announce that this node leaves; it goes on forwarding until the `Stopped` notice."""


class Evict(msgspec.Struct, frozen=True, gc=False):
    """The operator knows that a member is gone for good: evict it everywhere at once."""

    address: Address


class Retag(msgspec.Struct, frozen=True, gc=False):
    """Give this node other tags, and tell everybody."""

    tags: tuple[tuple[str, str], ...]


Event = (
    Start
    | Broadcast
    | Answer
    | FrameReceived
    | PeerUnreachable
    | TimerFired
    | Leave
    | Evict
    | Retag
)
