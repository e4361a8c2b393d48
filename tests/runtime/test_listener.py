"""Who may come in, how many, and for how long at rest."""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import msgspec
import pytest

from snowcast.core.codec import decode, encode
from snowcast.core.frames import Data, Hello, MessageId, Nack
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import uvarint
from snowcast.runtime import listener as listener_module
from snowcast.runtime.limits import Limits
from snowcast.runtime.listener import Listener
from support.certificates import Authority
from support.loops import hello, local, on_loop, turns, until
from support.sockets import dialled, listening, rest

PEER = hello(7002)


def large(size: int) -> Data:
    """A frame that is read in place."""
    return Data(MessageId(local(7002), 1, 1), Tree.STANDARD, None, None, bytes(size))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cluster": "another"}, "cluster"),
        ({"fanout": 8}, "fanout"),
        ({"ring_order": RingOrder.HASHED}, "ring_order"),
    ],
)
def test_a_stranger_of_another_cluster_is_told_what_this_one_is_and_sent_away(
    change: dict[str, object], reason: str
) -> None:
    @on_loop
    async def story() -> None:
        async with listening() as (address, arrived, counters, _):
            async with dialled(address) as (reader, writer):
                theirs = msgspec.structs.replace(PEER, **change)
                writer.write(encode(theirs) + encode(Nack(1)))
                assert decode(await rest(reader)) == hello(address.port)

            assert arrived == []
            assert counters.refused == {reason: 1}

    story()


@on_loop
async def test_another_node_at_this_nodes_address_is_refused_but_not_this_node_itself() -> None:
    async with listening() as (address, _, counters, _):
        for life in (1, 2):  # its own life, as when it is among its own seeds, and another
            async with dialled(address) as (reader, writer):
                writer.write(encode(hello(address.port, life=life)))
                await rest(reader)
        assert counters.refused == {"address": 1}


@on_loop
async def test_who_says_nothing_or_says_it_too_slowly_is_closed() -> None:
    async with listening(Limits(hello_timeout=0.1)) as (address, arrived, counters, _):
        async with dialled(address) as (idle, _), dialled(address) as (slow, writer):
            drip = asyncio.create_task(_drip(writer, encode(PEER)))
            assert await rest(idle) == b""
            assert await rest(slow) == b""
            drip.cancel()
            await asyncio.wait([drip])
        assert arrived == []
        assert counters.refused == {"silence": 2}


@on_loop
async def test_a_flood_of_idle_connections_is_bounded_and_keeps_nobody_out() -> None:
    limits = Limits(strangers_max=20, hello_timeout=60)
    with ExitStack() as stack:
        async with listening(limits) as (address, arrived, counters, listener):
            for _ in range(500):
                idle = stack.enter_context(socket.socket())
                idle.setblocking(False)
                idle.connect_ex((address.host, address.port))
            await until(lambda: counters.refused["strangers"] >= 480)
            async with dialled(address) as (_, writer):
                writer.write(encode(PEER) + encode(Nack(1)))
                await until(lambda: arrived)

            assert len(listener._strangers) <= 20
            await until(lambda: len(listener._open) <= 21)


@on_loop
async def test_many_nodes_that_come_at_once_are_all_let_in() -> None:
    with ExitStack() as stack:
        async with listening(Limits(strangers_max=20)) as (address, arrived, counters, listener):
            for port in range(10_001, 10_601):
                one = stack.enter_context(socket.create_connection((address.host, address.port)))
                one.send(encode(hello(port)) + encode(Nack(port)))
            await until(lambda: len(arrived) == 600)
            assert not counters.refused
            assert len(listener) == 600


@on_loop
async def test_who_says_hello_makes_room_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(strangers_max=1)
    async with listening(limits) as (address, arrived, counters, listener):
        monkeypatch.setattr(listener_module, "MOMENT_S", 60)
        async with dialled(address) as (_, first), dialled(address) as (_, second):
            second.write(encode(hello(7003)) + encode(Nack(2)))
            await until(lambda: listener._waiting)
            first.write(encode(PEER) + encode(Nack(1)))
            await until(lambda: len(arrived) == 2)
        assert not counters.refused


@on_loop
async def test_many_handshakes_at_once_wait_for_each_other_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_module, "TLS_MOMENT_S", 60)
    accepting, dialling = Authority(tmp_path).tls("127.0.0.1").contexts()
    limits = Limits(strangers_max=8, hello_timeout=90)
    async with listening(limits, accepting) as (address, arrived, counters, _):

        async def come(port: int) -> asyncio.StreamWriter:
            _, writer = await asyncio.open_connection(
                address.host, address.port, ssl=dialling, server_hostname="127.0.0.1"
            )
            writer.write(encode(hello(port)) + encode(Nack(port)))
            return writer

        writers = await asyncio.gather(*[come(port) for port in range(10_001, 10_061)])
        await until(lambda: len(arrived) == 60)
        assert not counters.refused
        for writer in writers:
            writer.transport.abort()
        await turns()


@on_loop
async def test_aborting_does_not_wait_for_a_peer_that_does_not_close_its_end(
    tmp_path: Path,
) -> None:
    """A connection that was refused is closed politely: over TLS both sides take part in that."""
    tls = Authority(tmp_path).tls("127.0.0.1")
    accepting, dialling = tls.contexts()
    async with listening(tls=accepting) as (address, _, counters, listener):
        with socket.create_connection((address.host, address.port)) as sock:
            theirs = msgspec.structs.replace(PEER, cluster="another")
            async with asyncio.TaskGroup() as group:
                shaken = group.create_task(asyncio.to_thread(_say, sock, dialling, encode(theirs)))
            kept = shaken.result()
            await until(lambda: counters.refused)
            assert listener._open, "the peer stands still"
            listener.abort()
            await turns(10)
            assert not listener._open
            kept.close()


@on_loop
async def test_peers_are_bounded_and_the_longest_unused_makes_room() -> None:
    async with (
        listening(Limits(inbound_max=2)) as (address, arrived, counters, listener),
        AsyncExitStack() as stack,
    ):
        ends = []
        for port in (7002, 7003, 7004):
            reader, writer = await stack.enter_async_context(dialled(address))
            writer.write(encode(hello(port)) + encode(Nack(port)))
            await until(lambda port=port: (local(port), Nack(port)) in arrived)
            ends.append(reader)
        await rest(ends[0])

        assert len(listener) == 2
        assert counters.inbound_closed == 1


@on_loop
async def test_one_peer_has_no_more_connections_than_it_can_use() -> None:
    async with listening() as (address, arrived, _, listener), AsyncExitStack() as stack:
        for number in range(5):
            _, writer = await stack.enter_async_context(dialled(address))
            writer.write(encode(PEER) + encode(Nack(number)))
            await until(lambda number=number: len(arrived) == number + 1)

        assert len(listener) == 2


@on_loop
async def test_a_peer_that_has_been_idle_for_long_is_closed() -> None:
    async with listening(Limits(idle_timeout=60)) as (address, arrived, _, listener):
        async with dialled(address) as (reader, writer):
            writer.write(encode(PEER) + encode(Nack(1)))
            await until(lambda: arrived)
            now = asyncio.get_running_loop().time()
            listener.sweep(now + 179)
            assert len(listener) == 1
            listener.sweep(now + 181)
            await rest(reader)
        assert len(listener) == 0


@on_loop
async def test_large_frames_that_only_begin_are_bounded_and_the_first_makes_room() -> None:
    limits = Limits(partial_bytes_max=1 << 20)
    head = encode(large(400_000))[:100]
    async with listening(limits) as (address, arrived, counters, listener), AsyncExitStack() as s:
        ends = []
        for port in range(7002, 7007):
            reader, writer = await s.enter_async_context(dialled(address))
            writer.write(encode(hello(port)) + head)
            ends.append(reader)
            await until(lambda: len(listener._large) + counters.refused["partial"] == len(ends))
        await rest(ends[0])
        await until(lambda: len(listener) == 2)

        assert sum(one.reserved_bytes for one in listener._large) <= limits.partial_bytes_max
        assert counters.refused == {"partial": 3}
        _, writer = await s.enter_async_context(dialled(address))
        writer.write(encode(hello(7010)) + encode(large(1_000_000)))
        await until(lambda: arrived)
        assert arrived == [(local(7010), large(1_000_000))]


@on_loop
async def test_who_stops_in_the_middle_of_a_frame_is_closed_and_who_is_slow_is_not() -> None:
    whole = encode(large(100_000))
    async with listening(Limits(stall_timeout=5)) as (address, arrived, counters, listener):
        async with dialled(address) as (stopped, one), dialled(address) as (_, two):
            one.write(encode(PEER) + whole[:70_000])
            two.write(encode(hello(7003)))
            now = asyncio.get_running_loop().time()
            for seconds in range(8):  # an hour would do as well
                sent = 80_000 + 1_000 * seconds
                two.write(whole[sent - 1_000 if seconds else 0 : sent])
                wanted = {70_000, sent} if seconds < 6 else {sent}
                await until(lambda wanted=wanted: wanted <= pending(listener))
                listener.sweep(now + seconds)
            two.write(whole[sent:])
            await rest(stopped)
            await until(lambda: arrived)
        assert arrived == [(local(7003), large(100_000))]
        assert counters.refused == {"stall": 1}


@on_loop
async def test_connections_that_break_in_any_phase_leave_nothing_behind() -> None:
    async with listening() as (address, _, _, listener):
        whole = encode(PEER) + encode(Nack(1)) * 3
        for size in range(len(whole)):
            async with dialled(address) as (_, writer):
                writer.write(whole[:size])
                await writer.drain()
        await until(lambda: not listener._open and not listener._tasks)
        assert len(listener) == 0
        assert not listener._strangers


@on_loop
async def test_closing_closes_those_that_have_only_just_been_accepted() -> None:
    async with listening() as (address, _, _, listener):
        with socket.create_connection((address.host, address.port)):
            listener._accept()


def test_a_hello_is_short() -> None:
    assert len(encode(Hello("c" * 255, 64, RingOrder.HASHED, local(1), 1 << 40))) < 1024


def _say(sock: socket.socket, context: ssl.SSLContext, data: bytes) -> ssl.SSLSocket:
    """Shake hands, say something, and read nothing."""
    sealed = context.wrap_socket(sock, server_hostname="127.0.0.1")
    sealed.sendall(data)
    return sealed


def pending(listener: Listener) -> set[int]:
    """How much has come of the frames that peers have begun, the lengths before them included."""
    return {peer.pending_bytes + len(uvarint(peer.reserved_bytes)) for peer in listener._peers}


async def _drip(writer: asyncio.StreamWriter, data: bytes) -> None:
    while True:
        for byte in data[:-1]:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.02)
        await asyncio.sleep(60)
