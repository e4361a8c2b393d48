"""Members of a cluster that do nothing but receive, and the sender to them: raw sockets, no node.

They speak enough of the protocol for a real node to take them for members: a hello on each
connection, a pong for each ping. So the same ends serve the node and the bare relay, and what they
cost is the same for both.

Rules of this file:
- While the clock runs bytes are counted and kept, and nothing is looked into.
- Then every frame of every child is decoded: all there, in order, nothing changed.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Sequence
from ctypes import c_uint64
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.codec import Splitter, decode, encode
from snowcast.core.frames import Data, Hello, Ping, Pong, Records
from snowcast.core.member import Member, first_incarnation
from snowcast.core.region import Region
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Assignment, Tree, children
from snowcast.runtime.datagrams import PLAIN, TAG_BYTES, cluster_tag
from snowcast.runtime.handshake import HELLO_BYTES_MAX

CLUSTER = "snowcast"
FANOUT = 4
LIFE = 1
FIRST = 1 << 14  # the first sequence: up to 2**21 frames of the same length follow
RECEIVE_BYTES = 1 << 20
DEADLINE_S = 120.0
SPAWN = get_context("spawn")


@dataclass(frozen=True)
class Expected:
    """What a child must have received in the end."""

    child: Address
    payload: bytes
    count: int
    frame_bytes: int


class Sinks:
    """Members in a process of their own; `addresses` are theirs. To be used as a context."""

    def __init__(self, count: int, talks: bool) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        # How many frames the slowest child has, for the sender to stay within its window.
        self.progress: Any = SPAWN.RawValue(c_uint64, 0)
        self._process = SPAWN.Process(
            target=_serve, args=(theirs, count, talks, self.progress), daemon=True
        )
        self._process.start()
        self.addresses: list[Address] = [Address(raw) for raw in self._pipe.recv()]

    def expect(self, expected: Sequence[Expected]) -> None:
        """Begin to count."""
        self._pipe.send(expected)

    def finished_at(self) -> float:
        """When the last child had its last byte, by the machine's monotonic clock."""
        if not self._pipe.poll(DEADLINE_S):
            raise TimeoutError("the sinks do not get what they were promised")
        found = self._pipe.recv()
        if isinstance(found, str):
            raise AssertionError(found)
        return float(found)

    def __enter__(self) -> Sinks:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()


def plan(members: Sequence[Address], relay: Address, sender: Address) -> tuple[Assignment, ...]:
    """The children of the relay, if it is the only child of the sender."""
    return children(
        Ring([*members, relay, sender]),
        region(members, relay, sender),
        relay,
        FANOUT,
        Tree.STANDARD,
        sender,
    )


def region(members: Sequence[Address], relay: Address, sender: Address) -> Region:
    """The whole ring but the sender."""
    ring = Ring([*members, relay, sender])
    at, n = ring.find(sender), len(ring)
    return Region(ring[(at + 1) % n], ring[(at - 1) % n])


def hello(address: Address) -> Hello:
    """How a sink and the sender introduce themselves."""
    return Hello(CLUSTER, FANOUT, RingOrder.ADDRESS, address, LIFE)


def records(addresses: Sequence[Address]) -> bytes:
    """The members, for a node to learn."""
    return encode(Records(tuple([Member(a, first_incarnation(LIFE)) for a in addresses])))


def _serve(pipe: Connection, count: int, talks: bool, progress: Any) -> None:
    selector = selectors.DefaultSelector()
    addresses = []
    for _ in range(count):
        stream, datagram = _bind()
        address = Address.of(*stream.getsockname())
        addresses.append(address)
        selector.register(stream, selectors.EVENT_READ, ("accept", address))
        selector.register(datagram, selectors.EVENT_READ, ("datagram", address))
    selector.register(pipe.fileno(), selectors.EVENT_READ, ("pipe", None))
    pipe.send([bytes(address) for address in addresses])
    tag = cluster_tag(hello(addresses[0]))
    streams: dict[Address, _Stream] = {}
    expected: Sequence[Expected] = ()
    while True:
        for key, _ in selector.select():
            what, address = key.data
            if what == "accept":
                connection, _ = key.fileobj.accept()  # type: ignore[union-attr]
                connection.setblocking(False)
                streams[address] = _Stream(connection, address, talks)
                selector.register(connection, selectors.EVENT_READ, ("stream", address))
            elif what == "stream":
                if not streams[address].receive():
                    selector.unregister(key.fileobj)
            elif what == "datagram":
                _answer(key.fileobj, address, tag)  # type: ignore[arg-type]
            else:
                try:
                    expected = pipe.recv()
                except EOFError:
                    return
        if expected:
            progress.value = min(_have(streams, one) for one in expected)
            if progress.value >= expected[0].count:
                finished_at = time.monotonic()
                pipe.send(_complaint(streams, expected) or finished_at)
                expected = ()


class _Stream:
    """One connection from a relay."""

    def __init__(self, connection: socket.socket, address: Address, talks: bool) -> None:
        self._connection = connection
        self._address = address
        self._greeting: bytes | None = b"" if talks else None
        self.chunks: list[bytes] = []
        self.size = 0

    def receive(self) -> bool:
        """Take in what is there; False if the connection has ended."""
        try:
            data = self._connection.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if self._greeting is not None and data:
            data = self._greet(self._greeting + data)
            if not data:
                return True
        if data:
            self.chunks.append(data)
            self.size += len(data)
        return bool(data)

    def _greet(self, data: bytes) -> bytes:
        """Answer the hello that everything begins with; what comes after it."""
        assert data[0] < 0x80, f"a hello longer than {HELLO_BYTES_MAX} bytes"
        end = 1 + data[0]
        if len(data) < end:
            self._greeting = data
            return b""
        assert isinstance(decode(data[:end]), Hello)
        self._greeting = None
        self._connection.send(encode(hello(self._address)))
        return data[end:]


def _have(streams: dict[Address, _Stream], expected: Expected) -> int:
    """How many frames a child has."""
    stream = streams.get(expected.child)
    return 0 if stream is None else stream.size // expected.frame_bytes


def _complaint(streams: dict[Address, _Stream], expected: Sequence[Expected]) -> str:
    """What is wrong with what the children have got; nothing if all is well."""
    for one in expected:
        wanted = list(range(FIRST, FIRST + one.count))
        splitter = Splitter()
        sequences = []
        for chunk in streams[one.child].chunks:
            for frame in splitter.feed(chunk):
                if isinstance(frame, Data) and not frame.is_system:
                    if frame.payload != one.payload:
                        return f"{one.child} got a payload that nobody has sent"
                    sequences.append(frame.id.sequence)
        if sequences != wanted:
            return f"{one.child} got {len(sequences)} frames of {one.count}, or out of order"
    return ""


def _bind() -> tuple[socket.socket, socket.socket]:
    """A listening socket, and a datagram socket with the same port."""
    while True:
        stream = socket.create_server(("127.0.0.1", 0))
        datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagram.bind(stream.getsockname())
        except OSError:
            stream.close()
            datagram.close()
            continue
        for sock in (stream, datagram):
            sock.setblocking(False)
        return stream, datagram


def _answer(sock: socket.socket, address: Address, tag: bytes) -> None:
    """Answer a ping."""
    data, where = sock.recvfrom(1 << 16)
    start = len(PLAIN) + TAG_BYTES + ADDRESS_BYTES
    frame = decode(data[start:])
    if isinstance(frame, Ping):
        pong = Pong(frame.sequence, time.time_ns() // 1000, 0)
        sock.sendto(PLAIN + tag + address + encode(pong), where)
