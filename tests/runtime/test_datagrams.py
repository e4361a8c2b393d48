"""Datagrams on real sockets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.frames import Frame, Nack, Ping, ViewPart
from snowcast.core.member import Member
from snowcast.runtime.counters import Counters
from snowcast.runtime.datagrams import Datagrams
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.ports import bind
from snowcast.runtime.refusals import Refusals
from support.loops import hello, local, on_loop, until

KEY, OTHER = bytes(32), bytes(range(32))


class End:
    """One node's datagrams, and what they have brought."""

    def __init__(self, keys: KeyRing | None, config: Config, host: str) -> None:
        sockets = bind(f"{host}:0")
        sockets.stream.close()
        self.sock = sockets.datagram
        self.address = Address.parse(f"{host}:{sockets.port}")
        self.arrived: list[tuple[Address, list[Frame]]] = []
        self.counters = Counters()
        self.keys = keys
        mine = msgspec.structs.replace(hello(config=config), address=self.address)
        self.datagrams = Datagrams(
            self.sock,
            mine,
            self.counters,
            Refusals(self.counters),
            lambda sender, frames: self.arrived.append((sender, frames)),
            keys,
        )
        self.datagrams.start()


@contextmanager
def end(
    keys: KeyRing | None = None, config: Config | None = None, host: str = "127.0.0.1"
) -> Iterator[End]:
    """A node's datagrams."""
    one = End(keys, config or Config(), host)
    try:
        yield one
    finally:
        one.datagrams.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "sealed"])
def test_a_frame_arrives_with_the_address_that_its_sender_is_known_by(
    host: str, key: bytes | None
) -> None:
    @on_loop
    async def story() -> None:
        def ring() -> KeyRing | None:
            return KeyRing([key]) if key else None

        with end(ring(), host=host) as a, end(ring(), host=host) as b:
            for number in range(200):
                a.datagrams.send(b.address, Ping(number))
            await until(lambda: len(b.arrived) == 200)

            assert b.arrived == [(a.address, [Ping(number)]) for number in range(200)]
            assert a.counters.datagrams_sent == b.counters.datagrams_received == 200
            assert not b.counters.refused

    story()


@pytest.mark.parametrize(
    ("keys", "their_keys", "config", "reason"),
    [
        pytest.param(None, None, Config(cluster="b"), "cluster", id="another cluster"),
        pytest.param(None, None, Config(fanout=8), "cluster", id="another fanout"),
        pytest.param(KEY, KEY, Config(cluster="b"), "cluster", id="another cluster, sealed"),
        pytest.param(KEY, OTHER, Config(), "key", id="another key"),
        pytest.param(KEY, None, Config(), "unsealed", id="no key"),
        pytest.param(None, KEY, Config(), "key", id="a key where there are none"),
    ],
)
def test_what_is_of_another_cluster_or_key_is_refused_and_counted(
    keys: bytes | None, their_keys: bytes | None, config: Config, reason: str
) -> None:
    @on_loop
    async def story() -> None:
        mine = KeyRing([keys]) if keys else None
        theirs = KeyRing([their_keys]) if their_keys else None
        with end(mine) as a, end(theirs, config) as b:
            for _ in range(10):
                b.datagrams.send(a.address, Nack(1))
            await until(lambda: a.counters.datagrams_received == 10)

            assert a.arrived == []
            assert a.counters.refused == {reason: 10}

    story()


@on_loop
async def test_a_recorded_datagram_sent_again_is_refused() -> None:
    with end() as wire, end(KeyRing([KEY])) as a, end(KeyRing([KEY])) as b:
        recorded: list[bytes] = []
        b.datagrams._sock = _Tap(b.sock, recorded)  # type: ignore[assignment]
        b.datagrams.send(a.address, Nack(1))
        await until(lambda: a.arrived)
        for _ in range(5):
            wire.sock.sendto(recorded[0], ("127.0.0.1", a.address.port))
        await until(lambda: a.counters.datagrams_received == 6)

        assert a.arrived == [(b.address, [Nack(1)])]
        assert a.counters.refused == {"replay": 5}


@on_loop
async def test_what_was_sealed_for_one_node_is_refused_by_another() -> None:
    with end(KeyRing([KEY])) as a, end(KeyRing([KEY])) as b, end(KeyRing([KEY])) as c:
        recorded: list[bytes] = []
        a.datagrams._sock = _Tap(a.sock, recorded)  # type: ignore[assignment]
        a.datagrams.send(b.address, Nack(1))
        await until(lambda: b.arrived)
        b.sock.sendto(recorded[0], ("127.0.0.1", c.address.port))
        await until(lambda: c.counters.datagrams_received == 1)

        assert c.arrived == []
        assert c.counters.refused == {"key": 1}


@on_loop
async def test_keys_are_changed_while_datagrams_flow() -> None:
    with end(KeyRing([KEY])) as a, end(KeyRing([KEY])) as b:
        sent = 0

        async def both_understand() -> bool:
            nonlocal sent
            sent += 1
            a.datagrams.send(b.address, Nack(sent))
            b.datagrams.send(a.address, Nack(sent))
            await until(lambda: len(a.arrived) == len(b.arrived) == sent)
            return True

        assert a.keys is not None
        assert b.keys is not None
        old = a.keys.ids[0]
        for ring in (a.keys, b.keys):
            new = ring.install(OTHER)
            assert await both_understand()
        for ring in (a.keys, b.keys):
            ring.use(new)
            assert await both_understand()
        for ring in (a.keys, b.keys):
            ring.remove(old)
            assert await both_understand()
        assert not a.counters.refused


@given(st.lists(st.binary(max_size=120), min_size=1, max_size=10))
@settings(max_examples=30)
def test_garbage_is_refused_and_the_next_frame_arrives(garbage: list[bytes]) -> None:
    @on_loop
    async def story() -> None:
        with end() as a, end() as b:
            for data in garbage:
                for head in (b"", b"\x01", a.datagrams._head, a.datagrams._head + b.address):
                    b.sock.sendto(head + data, (a.address.host, a.address.port))
            b.datagrams.send(a.address, Nack(77))
            await until(lambda: (b.address, [Nack(77)]) in a.arrived)

    story()


@on_loop
async def test_what_no_datagram_can_hold_is_counted_as_unsent() -> None:
    with end() as a, end() as b:
        members = tuple(Member(local(port), 1, name="n" * 60) for port in range(1, 1_001))
        a.datagrams.send(b.address, ViewPart(members, True))
        a.datagrams.close()
        a.datagrams.send(b.address, Nack(1))

        assert a.counters.datagrams_unsent == 2


class _Tap:
    """A socket that keeps what is sent through it."""

    def __init__(self, sock: object, kept: list[bytes]) -> None:
        self._sock = sock
        self._kept = kept

    def sendto(self, data: bytes, where: object) -> int:
        self._kept.append(data)
        return self._sock.sendto(data, where)  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> object:
        return getattr(self._sock, name)
