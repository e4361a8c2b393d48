"""The network between namespaces, with sockets of the kernel in them."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from snowcast.lab.hub import Hub, HubError
from snowcast.lab.namespaces import Namespaces, host_of
from snowcast.lab.rules import Rules
from support.lab import needs_namespaces

pytestmark = needs_namespaces

PORT = 7946


class Net:
    """A hub, and a datagram socket in each namespace."""

    def __init__(self, namespaces: Namespaces, hub: Hub) -> None:
        self.namespaces = namespaces
        self.hub = hub
        self.sockets: list[socket.socket] = []
        for node in range(len(namespaces)):
            with namespaces.inside(node):
                sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind((host_of(node), PORT))
            sock.settimeout(60)
            self.sockets.append(sock)

    def send(self, sender: int, receiver: int, text: bytes) -> None:
        """Send a datagram."""
        self.sockets[sender].sendto(text, (host_of(receiver), PORT))

    def passes(self, sender: int, receiver: int) -> bool:
        """Whether a datagram gets through. The hub's counts tell, without waiting for nothing."""
        before = self.hub.counts()
        self.send(sender, receiver, b"?")
        while (counts := self.hub.counts()).carried + counts.dropped == (
            before.carried + before.dropped
        ):
            pass
        if counts.dropped > before.dropped:
            return False
        assert self.sockets[receiver].recv(10) == b"?"
        return True


@contextmanager
def net(nodes: int, rules: Rules | None = None, seed: int = 1) -> Iterator[Net]:
    """Namespaces with a hub between them."""
    with Namespaces(nodes) as namespaces, Hub(namespaces, rules, seed) as hub:
        made = Net(namespaces, hub)
        yield made
        for sock in made.sockets:
            sock.close()


def test_rules_hold_as_soon_as_they_are_given() -> None:
    with net(4) as n:
        assert n.passes(0, 3)
        n.hub.partition((0, 1), (2, 3))
        assert n.passes(0, 1)
        assert n.passes(3, 2)
        assert not n.passes(1, 2)
        n.hub.heal()
        assert n.passes(1, 2)
        n.hub.silence(2)
        assert not n.passes(2, 0)
        assert not n.passes(0, 2)
        n.hub.silence()
        n.hub.one_way((0, 1))
        assert not n.passes(0, 1)
        assert n.passes(1, 0)
        n.hub.loss(1.0)
        assert not n.passes(1, 0)
        assert n.hub.rules == Rules(loss=1.0, one_way=((0, 1),))


def test_a_packet_takes_at_least_its_delay() -> None:
    with net(2, Rules(delay_us=40_000)) as n:
        for _ in range(3):
            begin = time.monotonic()
            n.send(0, 1, b"x")
            n.sockets[1].recv(10)
            assert time.monotonic() - begin >= 0.040


def test_the_same_seed_loses_the_same_packets() -> None:
    def lost(seed: int) -> list[bool]:
        with net(2, Rules(loss=0.3), seed) as n:
            return [not n.passes(0, 1) for _ in range(60)]

    assert lost(5) == lost(5) != lost(6)


def test_a_stream_of_megabytes_gets_through_loss_and_delay_unharmed() -> None:
    sent = bytes(range(256)) * 4_096
    with net(2, Rules(delay_us=2_000, jitter_us=1_000, loss=0.01)) as n:
        with n.namespaces.inside(0):
            server, into = socket.create_server((host_of(0), 80)), socket.socket()
        with n.namespaces.inside(1):
            out = socket.socket()
        into.close()
        out.settimeout(60)
        out.connect((host_of(0), 80))
        into, _ = server.accept()
        received = bytearray()
        into.setblocking(False)
        out.setblocking(False)
        left = memoryview(sent)
        while len(received) < len(sent):
            ready = select.select([into], [out] if left else [], [], 60)
            if ready[1]:
                left = left[out.send(left) :]
            if ready[0]:
                received += into.recv(1 << 16)
        assert bytes(received) == sent
        for sock in (server, into, out):
            sock.close()


def test_a_hub_whose_process_has_died_says_so() -> None:
    with Namespaces(1) as namespaces, Hub(namespaces) as hub:
        os.kill(hub._process.pid, signal.SIGKILL)
        hub._process.wait()
        with pytest.raises(HubError, match="status -9"):
            hub.loss(0.5)
