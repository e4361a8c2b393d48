"""Outgoing connections: opened on demand, few, and never a frame lost in silence."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import msgspec
import pytest

from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.frames import Data, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.runtime.limits import Limits
from snowcast.runtime.ports import bind
from support.loops import hello, local, on_loop, turns, until
from support.sockets import serving, streams


def free_port() -> int:
    """A port at which nobody listens."""
    sockets = bind("127.0.0.1:0")
    sockets.close()
    return sockets.port


@on_loop
async def test_a_refused_connection_gives_its_frames_back_on_a_later_turn() -> None:
    nobody = local(free_port())
    async with streams() as (out, returned, counters):
        out.send(nobody, Nack(1))
        out.send(nobody, Nack(2))
        assert returned == []
        await until(lambda: returned)

        assert returned == [(nobody, (Nack(1), Nack(2)))]
        assert (counters.links_failed, counters.frames_returned) == (1, 2)


@on_loop
async def test_a_connection_that_takes_too_long_gives_its_frames_back() -> None:
    with socket.socket() as silent, contextlib.ExitStack() as stack:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        where = silent.getsockname()
        for _ in range(8):  # the backlog is full, and the kernel answers nobody any more
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(where)
        async with streams(Limits(connect_timeout=0.05)) as (out, returned, _):
            out.send(local(where[1]), Nack(1))
            await until(lambda: returned)

            assert returned == [(local(where[1]), (Nack(1),))]


@on_loop
async def test_a_full_queue_gives_back_what_does_not_fit_and_tells() -> None:
    told: list[tuple[Address, int]] = []
    async with (
        serving(reads=False) as server,
        streams(Limits(queue_bytes_max=1_000)) as (out, returned, counters),
    ):
        out.on_full = lambda peer, frames: told.append((peer, frames))
        id = MessageId(local(7001), 1, 1)
        frames = [Data(id, Tree.STANDARD, None, None, bytes(400), hop) for hop in range(1, 6)]
        for frame in frames:
            out.send(server.address, frame)
        await until(lambda: returned)

        assert returned == [(server.address, tuple(frames[2:]))]
        assert told == [(server.address, 3)]
        assert (counters.queue_full, counters.frames_returned) == (3, 3)


@on_loop
async def test_breaking_a_link_gives_back_what_may_not_have_arrived() -> None:
    async with serving() as server, streams() as (out, returned, _):
        out.send(server.address, Nack(1))
        out.drop(server.address, "it was evicted")
        assert returned == []
        await until(lambda: returned)

        assert returned == [(server.address, (Nack(1),))]
        assert len(out) == 0
        out.drop(server.address, "there is none")


@on_loop
async def test_a_frame_larger_than_the_queue_is_taken_when_nothing_else_waits() -> None:
    async with serving() as server, streams(Limits(queue_bytes_max=100)) as (out, returned, _):
        frame = Data(MessageId(local(7001), 1, 1), Tree.STANDARD, None, None, bytes(5_000))
        out.send(server.address, frame)
        await until(lambda: len(server.frames) == 2)

        assert returned == []


@on_loop
async def test_connections_are_kept_while_used_and_closed_when_idle() -> None:
    async with serving() as server, streams(Limits(idle_timeout=60)) as (out, returned, counters):
        for number in range(3):
            out.send(server.address, Nack(number))
            await turns()
        await until(lambda: len(server.frames) == 4)
        assert counters.links_opened == 1

        now = asyncio.get_running_loop().time()
        out.sweep(now + 59)
        assert len(out) == 1
        out.sweep(now + 61)
        await until(lambda: server.ended == 1)
        assert (len(out), counters.links_closed, counters.links_failed) == (0, 1, 0)
        assert returned == []

        out.send(server.address, Nack(9))
        await until(lambda: len(server.frames) == 6)
        assert counters.links_opened == 2


@on_loop
async def test_connections_are_few_the_longest_unused_makes_room() -> None:
    async with (
        serving() as one,
        serving() as two,
        serving() as three,
        streams(Limits(links_max=2)) as (out, returned, _),
    ):
        for server in (one, two):
            out.send(server.address, Nack(1))
            await until(lambda server=server: len(server.frames) == 2)
        out.send(one.address, Nack(2))
        await until(lambda: len(one.frames) == 3)
        out.send(three.address, Nack(1))
        await until(lambda: len(three.frames) == 2 and two.ended == 1)

        assert len(out) == 2
        assert one.ended == 0
        assert returned == []


@on_loop
async def test_without_room_for_another_connection_a_frame_comes_back() -> None:
    nowhere = [local(free_port()) for _ in range(2)]
    async with streams(Limits(links_max=1)) as (out, returned, _):
        out.send(nowhere[0], Nack(1))
        out.send(nowhere[1], Nack(2))
        await until(lambda: len(returned) == 2)

        assert sorted(returned) == sorted([(nowhere[0], (Nack(1),)), (nowhere[1], (Nack(2),))])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cluster": "other"}, "cluster"),
        ({"fanout": 8}, "fanout"),
        ({"address": local(9)}, "address"),
    ],
)
def test_whoever_answers_as_somebody_else_is_unreachable(
    change: dict[str, object], reason: str
) -> None:
    @on_loop
    async def story() -> None:
        async with serving() as server, streams() as (out, returned, counters):
            answer = msgspec.structs.replace(hello(server.address.port), **change)
            out.send(server.address, Nack(1))
            await until(lambda: server.connections)
            server.connections[0].write(encode(answer))
            await until(lambda: returned)

            assert returned == [(server.address, (Nack(1),))]
            assert counters.refused == {reason: 1}

    story()


@on_loop
async def test_a_seed_that_goes_by_another_address_is_told_of_and_let_go() -> None:
    asked: list[tuple[Address, Address]] = []
    async with serving(hello(9)) as server, streams() as (out, returned, counters):
        out.on_alias = lambda dialled, real: asked.append((dialled, real)) is None
        out.send(server.address, Nack(1))
        await until(lambda: server.ended)

        assert asked == [(server.address, local(9))]
        assert returned == []
        assert not counters.refused


@on_loop
async def test_what_waits_is_still_written_at_the_end() -> None:
    async with serving() as server:
        async with streams() as (out, _, _):
            out.send(server.address, Nack(1))
        await until(lambda: len(server.frames) == 2)


@on_loop
async def test_a_sender_that_is_too_fast_can_wait_for_relief() -> None:
    async with (
        serving(reads=False) as server,
        streams(Limits(queue_bytes_max=8 << 20, stall_timeout=0.1)) as (out, returned, _),
    ):
        for number in range(16):
            id = MessageId(local(7001), 1, number)
            out.send(server.address, Data(id, Tree.STANDARD, None, None, bytes(1 << 20)))
        await turns()
        assert out.is_congested
        relief = asyncio.create_task(out.relief())
        while not relief.done():
            out.sweep(asyncio.get_running_loop().time())
            await asyncio.sleep(0.01)
        assert returned
