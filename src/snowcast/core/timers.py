"""The names of timers. Setting a key again replaces it; a key that is not set never fires."""

from __future__ import annotations

import msgspec

from snowcast.core.address import Address
from snowcast.core.frames import MessageId
from snowcast.core.trees import Tree


class HopTimer(msgspec.Struct, frozen=True, gc=False):
    """Look which children of this assignment are silent."""

    id: MessageId
    tree: Tree
    attempt: int
    left: Address | None
    right: Address | None


class ReceiptTimer(msgspec.Struct, frozen=True, gc=False):
    """A reliable message is to be started again, or its deadline has come."""

    id: MessageId


class ProbeTimer(msgspec.Struct, frozen=True, gc=False):
    """Probe the next member."""


class PongTimer(msgspec.Struct, frozen=True, gc=False):
    """The ping with this number has had its time: ask others to try."""

    sequence: int


class ProbeEndTimer(msgspec.Struct, frozen=True, gc=False):
    """The probe with this number is over: suspect its target."""

    sequence: int


class RelayTimer(msgspec.Struct, frozen=True, gc=False):
    """A ping that this node made for another has had its time: send a nack."""

    sequence: int


class SuspicionTimer(msgspec.Struct, frozen=True, gc=False):
    """A suspect has had its time to refute."""

    suspect: Address


class AnnounceTimer(msgspec.Struct, frozen=True, gc=False):
    """Send the announcements that have gathered."""


class JoinTimer(msgspec.Struct, frozen=True, gc=False):
    """The contact has not let this node in: try another."""


class DoorTimer(msgspec.Struct, frozen=True, gc=False):
    """Let in the joiners that have gathered, or go on without those that are not ready."""


class SyncTimer(msgspec.Struct, frozen=True, gc=False):
    """Compare views with a random member."""


class HealTimer(msgspec.Struct, frozen=True, gc=False):
    """Look for seeds and evicted members that are there again."""


class LingerTimer(msgspec.Struct, frozen=True, gc=False):
    """This node has announced its leave and forwarded long enough."""


class LazyTimer(msgspec.Struct, frozen=True, gc=False):
    """Offer the messages that have gathered to those they are not pushed to (Plumtree)."""


class MissingTimer(msgspec.Struct, frozen=True, gc=False):
    """A message that was offered has not come by itself: ask for it (Plumtree)."""

    id: MessageId


TimerKey = (
    HopTimer
    | ReceiptTimer
    | ProbeTimer
    | PongTimer
    | ProbeEndTimer
    | RelayTimer
    | SuspicionTimer
    | AnnounceTimer
    | JoinTimer
    | DoorTimer
    | SyncTimer
    | HealTimer
    | LingerTimer
    | LazyTimer
    | MissingTimer
)
