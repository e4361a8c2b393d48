"""An accepted connection: a stranger until its hello, then a peer whose frames are taken in.

Rules of this file:
- Nothing but a hello is looked at before the hello, and that is short and has a deadline.
- Whatever is wrong with what comes closes the connection; the peer will open another.
"""

from __future__ import annotations

import asyncio
from typing import Protocol, cast

from snowcast.core.address import Address
from snowcast.core.frames import Frame, Hello
from snowcast.runtime.framing import Framer, scratch
from snowcast.runtime.handshake import HELLO_BYTES_MAX


class Owner(Protocol):
    """Whom a connection tells what becomes of it."""

    def on_hello(self, inbound: Inbound, hello: Hello) -> bool:
        """A stranger has said who it is; False if it may not come in."""

    def on_frames(self, inbound: Inbound, frames: list[Frame], size: int) -> None:
        """A peer has sent something."""

    def on_large(self, inbound: Inbound) -> None:
        """A large frame has begun, and holds memory until it is complete."""

    def on_bad(self, inbound: Inbound, kind: str, why: str) -> None:
        """What came is no use; the connection is being closed."""

    def on_gone(self, inbound: Inbound) -> None:
        """The connection's resources are free."""


class Inbound(asyncio.BufferedProtocol):
    """One accepted connection."""

    __slots__ = ("_framer", "_owner", "peer", "transport", "used_at", "where")

    def __init__(self, where: str, frame_bytes_max: int, owner: Owner) -> None:
        self.where = where
        """Where it comes from, to be shown."""
        self.peer: Address | None = None
        """By which address members know it; None while it is a stranger."""
        self.transport: asyncio.Transport | None = None
        self.used_at = 0.0
        self._owner = owner
        self._framer = Framer(
            scratch(), HELLO_BYTES_MAX, frame_bytes_max, lambda: owner.on_large(self)
        )

    @property
    def pending_bytes(self) -> int:
        """How much of an incomplete frame has come."""
        return self._framer.pending_bytes

    @property
    def reserved_bytes(self) -> int:
        """How much memory an incomplete frame has of its own."""
        return self._framer.reserved_bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there, its TLS handshake over."""
        self.transport = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the loop is to put what arrives."""
        return self._framer.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have arrived."""
        frames = self._framer.received(nbytes)
        if frames and self.peer is None:
            frames = self._welcome(frames)
        if frames:
            self._owner.on_frames(self, frames, nbytes)
        if self._framer.broken is not None:
            self._owner.on_bad(self, "frame", str(self._framer.broken))
            self.abort()

    def eof_received(self) -> None:
        """The peer has closed its end: close ours."""

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is no more."""
        self.transport = None
        self._framer.close()
        self._owner.on_gone(self)

    def abort(self) -> None:
        """End the connection at once. What it held goes now, for the loop may come to it late."""
        self._framer.close()
        if self.transport is not None:
            self.transport.abort()

    def _welcome(self, frames: list[Frame]) -> list[Frame]:
        """What a stranger's first frames leave to be taken in."""
        hello = frames[0]
        if not isinstance(hello, Hello):
            self._owner.on_bad(self, "hello", "it did not begin with a hello")
            self.abort()
            return []
        if not self._owner.on_hello(self, hello):
            return []
        return frames[1:]
