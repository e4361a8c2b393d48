"""How much of everything a node holds at most. Nothing here needs to be equal across a cluster.

Rules of this file:
- Every queue, table and wait of the runtime has its bound here.
- Times are seconds: asyncio counts in them. The core's are microseconds, in `Config`.
"""

from __future__ import annotations

import msgspec

from snowcast.core.codec import FRAME_BYTES_MAX
from snowcast.core.errors import UsageError

MIB = 1 << 20


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one node. The defaults suit some hundreds of members."""

    queue_bytes_max: int = 16 * MIB
    """What may wait for one peer. When it is full, the protocol goes round that peer. One frame
    larger than this is taken by an empty queue."""
    links_max: int = 256
    """Outgoing connections. The one unused for longest is closed to make room."""
    inbound_max: int = 1024
    """Accepted connections. The one unused for longest is closed to make room."""
    strangers_max: int = 128
    """Connections that have not said who they are. The oldest is closed to make room."""
    frame_bytes_max: int = FRAME_BYTES_MAX
    """A longer frame closes its connection. Less than the others' payloads loses those."""

    partial_bytes_max: int = 256 * MIB
    """Large frames that have only begun to arrive, from all peers together. The one that began
    first is given up to make room."""

    connect_timeout: float = 3.0
    hello_timeout: float = 3.0
    """How long a connection may take to say who it is, its TLS handshake included."""
    stall_timeout: float = 5.0
    """A peer that reads nothing for so long is unreachable; one that stops for so long in the
    middle of a frame is disconnected."""
    idle_timeout: float = 60.0
    """An outgoing connection unused for so long is closed; an incoming one after three times."""

    messages_max: int = 1024
    messages_bytes_max: int = 64 * MIB
    """What a slow reader of `messages()` may be behind before the oldest are dropped."""
    events_max: int = 4096
    """The same for `events()`."""
    senders_max: int = 65_536
    """Of how many senders of datagrams it is remembered what they have sent, against replays."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) <= 0:
                raise UsageError(f"{name} must be positive, not {getattr(self, name)}")
