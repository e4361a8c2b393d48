"""An outgoing connection to one peer: what waits for it, and what may have been lost with it.

Rules of this file:
- What is sent within one turn of the loop is written together, at the end of the turn.
- A frame that was written shortly before the connection broke may not have been read: it counts as
  unsent. Whoever gets it twice delivers it once.
- The kernel tries again at least once in `RETRY_MS`: left alone it waits twice as long each time,
  and a link would be late for long after the network is whole again.
- A large payload is handed to the transport as it is; only small ones are joined.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import deque
from contextlib import suppress
from typing import Protocol, cast

from snowcast.core.address import Address
from snowcast.core.codec import data_head, encode
from snowcast.core.effects import Forward
from snowcast.core.frames import Data, Frame, Hello
from snowcast.core.trees import Assignment
from snowcast.runtime.counters import Counters
from snowcast.runtime.framing import Framer, scratch
from snowcast.runtime.handshake import HELLO_BYTES_MAX
from snowcast.runtime.limits import Limits

JOINED_BYTES_MAX = 32 << 10  # a payload from this size on is written by itself
BATCH_BYTES = 256 << 10  # written at a time; the rest waits until the transport has room
LATELY_S = 0.25
LATELY_BYTES_MAX = 1 << 20
RETRY_MS = 1_000  # the least that Linux takes
TCP_RTO_MAX_MS = 44  # Linux 6.15; the socket module has no name for it yet

Queued = Frame | tuple[list[Forward], Assignment]
"""What is kept of frames in case they come back: one itself, or what some are made from."""


class Owner(Protocol):
    """Whom a link tells what becomes of it."""

    def on_open(self, link: Link) -> None:
        """The connection holds resources."""

    def on_hello(self, link: Link, hello: Hello) -> None:
        """The peer has said who it is."""

    def on_lost(self, link: Link, unsent: tuple[Frame, ...], why: str) -> None:
        """The connection could not be made or is no more, and not because it was closed here."""

    def on_gone(self, link: Link) -> None:
        """The connection's resources are free."""


class Link(asyncio.Protocol):
    """The way to one peer. Use `send`, then `flush` at the end of the turn."""

    __slots__ = (
        "_batch_bytes",
        "_chunks",
        "_counters",
        "_framer",
        "_frames",
        "_has_large",
        "_hello",
        "_is_closing",
        "_is_paused",
        "_lately",
        "_lately_bytes",
        "_loop",
        "_owner",
        "_queue_bytes_max",
        "_stall_timeout",
        "_stalled_bytes",
        "_stalled_since",
        "_transport",
        "is_dirty",
        "peer",
        "queued_bytes",
        "used_at",
    )

    def __init__(
        self,
        peer: Address,
        hello: bytes,
        limits: Limits,
        counters: Counters,
        owner: Owner,
    ) -> None:
        self.peer = peer
        self.queued_bytes = 0
        self.is_dirty = False
        self.used_at = 0.0
        self._queue_bytes_max = limits.queue_bytes_max
        self._stall_timeout = limits.stall_timeout
        self._counters = counters
        self._loop = asyncio.get_running_loop()
        self._owner = owner
        self._hello = hello
        self._framer = Framer(scratch()[:HELLO_BYTES_MAX], HELLO_BYTES_MAX, HELLO_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._is_paused = False
        self._is_closing = False
        self._frames: list[Queued] = []
        self._chunks: list[bytes] = []  # two for each frame: its head and its payload
        self._has_large = False
        self._lately: deque[tuple[float, int, list[Queued]]] = deque()
        self._lately_bytes = 0
        self._stalled_since: float | None = None
        self._stalled_bytes = 0

    def send(self, frame: Frame) -> bool:
        """Queue a frame; False if the queue is full."""
        if isinstance(frame, Data):
            return self.put(frame, data_head(frame), frame.payload)
        return self.put(frame, encode(frame), b"")

    def put(self, what: Queued, head: bytes, payload: bytes) -> bool:
        """Queue what is encoded already, in two pieces; False if the queue is full."""
        queued_bytes = self.queued_bytes + len(head) + len(payload)
        if queued_bytes > self._queue_bytes_max and self._frames:
            return False
        self._frames.append(what)
        self._chunks += (head, payload)
        self.queued_bytes = queued_bytes
        if len(payload) >= JOINED_BYTES_MAX:
            self._has_large = True
        return True

    def flush(self) -> None:
        """Write what waits, as far as the transport has room."""
        if self._transport is None or self._is_paused or not self._frames:
            return
        if not self._has_large and self.queued_bytes <= BATCH_BYTES:
            self._write_out(self._frames, self._chunks)
            self._frames, self._chunks = [], []
        else:
            self._write_in_batches()

    def fail(self, why: str) -> None:
        """Give up: what waits is unsent, what was written lately may be."""
        if self._is_closing:
            return
        self._is_closing = True
        if self._transport is not None:
            self._transport.abort()
        lately = [what for _, _, frames in self._lately for what in frames]
        unsent = tuple([one for what in (*lately, *self._frames) for one in _spelt_out(what)])
        self._forget()
        self._owner.on_lost(self, unsent, why)

    def close(self) -> None:
        """Write what waits and end the connection."""
        self._is_paused = False
        self.flush()
        self._is_closing = True
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End the connection at once, without a word to anybody."""
        self._is_closing = True
        self._forget()
        if self._transport is not None:
            self._transport.abort()

    def is_stalled(self, now: float) -> bool:
        """Whether the peer has read nothing for so long, though there was something to read."""
        if not self._is_paused or self._transport is None:
            self._stalled_since = None
            return False
        left = self._transport.get_write_buffer_size()
        if self._stalled_since is None or left < self._stalled_bytes:
            self._stalled_since = now
        self._stalled_bytes = left
        return now - self._stalled_since >= self._stall_timeout

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say who is here, and all that has gathered meanwhile."""
        self._transport = cast(asyncio.Transport, transport)
        _retry_soon_and_give_up(self._transport.get_extra_info("socket"), self._stall_timeout)
        self._owner.on_open(self)
        self._transport.write(self._hello)
        self.flush()
        if self._is_closing:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        """The peer's hello; nothing else comes this way."""
        scratch = self._framer.buffer()
        if len(data) > len(scratch):
            self.fail("it sent more than a hello")
            return
        scratch[: len(data)] = data
        for frame in self._framer.received(len(data)):
            if isinstance(frame, Hello) and not self._is_closing:
                self._owner.on_hello(self, frame)
        if self._framer.broken is not None:
            self.fail(str(self._framer.broken))

    def pause_writing(self) -> None:
        """The transport has had enough for now."""
        self._is_paused = True
        self._stalled_since = None

    def resume_writing(self) -> None:
        """The transport has room again."""
        self._is_paused = False
        self.flush()

    def connection_lost(self, error: Exception | None) -> None:
        """The peer has closed, or the network has."""
        self.fail(str(error) if error else "it closed the connection")
        self._transport = None
        self._owner.on_gone(self)

    def _write_in_batches(self) -> None:
        done = 0
        while done < len(self._frames) and not self._is_paused:
            first, batch_bytes = done, 0
            while done < len(self._frames) and batch_bytes < BATCH_BYTES:
                batch_bytes += len(self._chunks[2 * done]) + len(self._chunks[2 * done + 1])
                done += 1
            self._write_out(self._frames[first:done], self._chunks[2 * first : 2 * done])
        del self._frames[:done], self._chunks[: 2 * done]
        if not self._frames:
            self._has_large = False

    def _write_out(self, frames: list[Queued], chunks: list[bytes]) -> None:
        """Hand some frames to the transport, and remember them for a moment."""
        assert self._transport is not None
        size = 0
        if self._has_large:
            small: list[bytes] = []
            for chunk in chunks:
                size += len(chunk)
                if len(chunk) >= JOINED_BYTES_MAX:
                    self._transport.write(b"".join(small))
                    small.clear()
                    self._transport.write(chunk)
                else:
                    small.append(chunk)
            data = b"".join(small)
        else:
            data = b"".join(chunks)
            size = len(data)
        if data:
            self._transport.write(data)
        self.queued_bytes -= size
        self._counters.bytes_sent += size
        self._remember(frames, size)

    def _remember(self, frames: list[Queued], size: int) -> None:
        now = self._loop.time()
        lately = self._lately
        lately.append((now, size, frames))
        self._lately_bytes += size
        while len(lately) > 1 and (
            lately[0][0] < now - LATELY_S or self._lately_bytes > LATELY_BYTES_MAX
        ):
            self._lately_bytes -= lately.popleft()[1]

    def forget_lately(self, now: float) -> None:
        """Let go of what was written long enough ago to have been read."""
        if not self._is_paused:
            while self._lately and self._lately[0][0] < now - LATELY_S:
                self._lately_bytes -= self._lately.popleft()[1]

    def _forget(self) -> None:
        self._frames, self._chunks = [], []
        self._lately.clear()
        self._lately_bytes = self.queued_bytes = 0


def _spelt_out(what: Queued) -> list[Frame]:
    if isinstance(what, tuple):
        forwards, child = what
        return [forward.frame(child) for forward in forwards]
    return [what]


def _retry_soon_and_give_up(sock: socket.socket, seconds: float) -> None:
    """Have the kernel try again often what was lost, and break a connection whose peer's machine
    has vanished. Linux can."""
    if sys.platform != "linux" or sock.family == socket.AF_UNIX:
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))
    with suppress(OSError):  # an older kernel
        sock.setsockopt(socket.IPPROTO_TCP, TCP_RTO_MAX_MS, RETRY_MS)
