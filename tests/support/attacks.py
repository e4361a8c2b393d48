"""What strangers do to a node: floods, silence, halves of frames, garbage. With plain sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

from snowcast.core.address import Address
from snowcast.core.codec import PAYLOAD_BYTES_MAX, encode
from snowcast.core.config import Config
from snowcast.core.frames import Data, Hello, MessageId
from snowcast.core.trees import Tree
from snowcast.core.wire import uvarint
from support.garbage import garbage


class Attacker:
    """Does things to the node at `address`, and keeps its connections until the end."""

    def __init__(self, address: str) -> None:
        self.target = Address.parse(address)
        self.where = self.target.host, self.target.port
        self._open: list[socket.socket] = []

    def connect(self, count: int, first: bytes = b"") -> list[socket.socket]:
        """Open connections, and say this on each."""
        opened = []
        for _ in range(count):
            sock = socket.socket()
            sock.settimeout(60)
            sock.connect(self.where)
            sock.setblocking(False)
            self._open.append(sock)
            opened.append(sock)
            if first:
                self.say(sock, first)
        return opened

    def say(self, sock: socket.socket, data: bytes) -> None:
        """Send, if the other side still listens."""
        with suppress(OSError):
            sock.send(data)

    def halves(self, count: int, size: int) -> None:
        """Peers that say who they are and begin a large frame."""
        for number in range(count):
            head = encode(_large(size))[:1_000]
            self.connect(1, encode(peer(number)) + head)

    def over_the_limit(self, count: int) -> None:
        """Peers that announce more than a frame can be; strangers that announce a long hello."""
        for number in range(count):
            self.connect(1, encode(peer(number)) + uvarint(PAYLOAD_BYTES_MAX * 2) + bytes(100))
            self.connect(1, uvarint(5_000) + bytes(100))

    def garbage(self, count: int, seed: int) -> None:
        """Streams that begin well, or not, and go on as nearly frames."""
        for number, chunk in enumerate(garbage(seed, count)):
            prefix = encode(peer(number)) if number % 2 else b""
            for sock in self.connect(1, prefix + chunk):
                sock.close()

    def datagrams(self, count: int, seed: int, head: bytes) -> None:
        """Datagrams that are nearly right; `head` is how right ones begin."""
        random = Random(seed)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for chunk in garbage(seed, count):
                sender = peer(random.randrange(100)).address
                prefix = random.choice((b"", head[:1], head, head + sender))
                sock.sendto(prefix + chunk, self.where)

    def send(self, datagram: bytes, times: int) -> None:
        """The same datagram, again and again."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for _ in range(times):
                sock.sendto(datagram, self.where)

    def close(self) -> None:
        """Stop."""
        for sock in self._open:
            sock.close()
        self._open.clear()


@contextmanager
def attacker(address: str) -> Iterator[Attacker]:
    """An attacker who stops at the end of the block."""
    made = Attacker(address)
    try:
        yield made
    finally:
        made.close()


def peer(number: int) -> Hello:
    """Somebody who could be a member, but is not."""
    config = Config()
    address = Address.of(f"127.9.{number >> 8}.{number & 0xFF}", 7946)
    return Hello(config.cluster, config.fanout, config.ring_order, address, 1)


def _large(size: int) -> Data:
    return Data(MessageId(peer(0).address, 1, 1), Tree.STANDARD, None, None, bytes(size))
