"""Datagrams: one socket, read until it is empty, each datagram saying whose it is.

    form      1 byte: 1 plain, 2 sealed
    cluster   4 bytes: a hash of what all agents of a cluster agree on
    plain     the sender's address (18 bytes), then one frame as on a stream
    sealed    see `keyring`; what is sealed is what a plain one holds

Rules of this file:
- With a key ring nothing plain is taken in, without one nothing sealed.
- What is sealed is sealed for one receiver, by its address: a copy is no use at another node.
- What does not fit is refused, counted, and logged once in a while. Datagrams may get lost, so one
  that the socket has no room for is only counted.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.codec import decode, encode
from snowcast.core.errors import FrameError
from snowcast.core.frames import Frame, Hello
from snowcast.runtime.counters import Counters
from snowcast.runtime.keyring import KeyRing, Refused
from snowcast.runtime.refusals import Refusals
from snowcast.runtime.replays import Replays

DRAINED_PER_TURN = 64
DATAGRAM_BYTES_MAX = 60_000
PLAIN, SEALED = b"\x01", b"\x02"
TAG_BYTES = 4
_HEAD_BYTES = 1 + TAG_BYTES


class Datagrams:
    """The datagrams of one node."""

    def __init__(
        self,
        sock: socket.socket,
        hello: Hello,
        counters: Counters,
        refusals: Refusals,
        on_frame: Callable[[Address, list[Frame]], None],
        keys: KeyRing | None = None,
        replays: Replays | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._address = hello.address
        self._head = (SEALED if keys else PLAIN) + cluster_tag(hello)
        self._counters = counters
        self._refusals = refusals
        self._on_frame = on_frame
        self._keys = keys
        self._replays = replays or Replays()
        self._buffer = bytearray(1 << 16)
        self._view = memoryview(self._buffer)
        self._is_closed = False

    def start(self) -> None:
        """Receive from now on."""
        self._sock.setblocking(False)
        self._loop.add_reader(self._sock.fileno(), self._drain)

    def send(self, to: Address, frame: Frame) -> None:
        """Send a frame as one datagram, which may be lost."""
        body = self._address + encode(frame)
        if self._keys is not None:
            body = self._keys.seal(body, self._head + to)
        data = self._head + body
        if self._is_closed or len(data) > DATAGRAM_BYTES_MAX:
            self._counters.datagrams_unsent += 1
            return
        try:
            self._sock.sendto(data, _sockaddr(to, self._sock.family == socket.AF_INET6))
        except OSError:
            self._counters.datagrams_unsent += 1
            return
        self._counters.datagrams_sent += 1
        self._counters.datagram_bytes_sent += len(data)

    def close(self) -> None:
        """Receive nothing more."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._sock.fileno())
            self._sock.close()

    def _drain(self) -> None:
        for _ in range(DRAINED_PER_TURN):
            if self._is_closed:
                return
            try:
                size, where = self._sock.recvfrom_into(self._buffer)
            except OSError:
                return
            self._counters.datagrams_received += 1
            self._counters.datagram_bytes_received += size
            try:
                sender, frame = self._open(bytes(self._view[:size]))
            except Refused as refused:
                self._refusals.note(refused.kind, f"a datagram from {where[0]}", str(refused))
            except FrameError as error:
                self._refusals.note("datagram", f"a datagram from {where[0]}", str(error))
            else:
                self._on_frame(sender, [frame])

    def _open(self, data: bytes) -> tuple[Address, Frame]:
        head, body = data[:_HEAD_BYTES], data[_HEAD_BYTES:]
        if head != self._head:
            raise _wrong_head(head, self._head)
        sealed = None
        if self._keys is not None:
            sealed = self._keys.open(body, head + self._address)
            body = sealed.content
        sender = Address(body[:ADDRESS_BYTES])
        if len(sender) < ADDRESS_BYTES or not sender.port or sender == self._address:
            raise FrameError("no sender, or this node itself")
        frame = decode(body[ADDRESS_BYTES:])
        if sealed is not None:
            self._replays.check(sender, sealed)
        return sender, frame


def cluster_tag(hello: Hello) -> bytes:
    """A hash of what all agents of a cluster agree on."""
    text = f"{hello.cluster}\0{hello.fanout}\0{hello.ring_order}"
    return blake2b(text.encode(), digest_size=TAG_BYTES).digest()


def _wrong_head(head: bytes, wanted: bytes) -> Exception:
    if len(head) < _HEAD_BYTES or head[:1] not in (PLAIN, SEALED):
        return FrameError("it is no datagram of snowcast")
    if head[1:] != wanted[1:]:
        return Refused("cluster", "it is from another cluster, or one with another fanout or ring")
    if head[:1] == PLAIN:
        return Refused("unsealed", "it is not sealed with a key, as this cluster's are")
    return Refused("key", "it is sealed with a key, and this node has none")


@lru_cache(maxsize=4096)
def _sockaddr(address: Address, is_v6: bool) -> tuple[str, int]:
    host = f"::ffff:{address.host}" if is_v6 and address.is_ipv4 else address.host
    return host, address.port
