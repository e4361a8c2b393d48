"""One outgoing connection: what waits for it and what may have been lost with it."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest

from snowcast.core.frames import Data, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.runtime.limits import Limits
from snowcast.runtime.link import (
    BATCH_BYTES,
    JOINED_BYTES_MAX,
    LATELY_S,
    RETRY_MS,
    TCP_RTO_MAX_MS,
)
from support.loops import hello, local, on_loop, turns, until
from support.sockets import serving, streams


def data(payload: bytes, sequence: int = 1) -> Data:
    """A data frame for a leaf."""
    return Data(MessageId(local(7001), 1, sequence), Tree.STANDARD, None, None, payload)


@on_loop
async def test_a_hello_comes_first_and_the_rest_in_its_order_small_and_large() -> None:
    sizes = [0, 10, JOINED_BYTES_MAX, 5, BATCH_BYTES, 1, 3 * BATCH_BYTES, JOINED_BYTES_MAX - 1]
    frames = [data(bytes([i]) * size, i) for i, size in enumerate(sizes * 4)]
    async with serving() as server, streams() as (out, returned, counters):
        for frame in frames:
            out.send(server.address, frame)
        await until(lambda: len(server.frames) == 1 + len(frames))

        assert server.frames == [hello(7001), *frames]
        assert returned == []
        assert len(server.connections) == 1
        assert counters.frames_sent == len(frames)
        assert out.queued_bytes == 0


@on_loop
async def test_frames_of_one_turn_are_written_together() -> None:
    async with serving() as server, streams() as (out, _, _):
        out.send(server.address, Nack(0))
        await until(lambda: server.frames)
        link = out._links[server.address]
        writes: list[bytes] = []
        transport = link._transport
        assert transport is not None
        link._transport = type("Spy", (), {"write": lambda self, data: writes.append(data)})()
        for number in range(100):
            out.send(server.address, Nack(number))
        await turns()
        link._transport = transport

        assert len(writes) == 1


@on_loop
async def test_what_was_written_just_before_the_peer_vanished_counts_as_unsent() -> None:
    async with serving() as server, streams() as (out, returned, counters):
        out.send(server.address, Nack(1))
        await until(lambda: len(server.frames) == 2)
        # A moment later it has been read, or never will be.
        out.sweep(asyncio.get_running_loop().time() + 2 * LATELY_S)
        out.send(server.address, Nack(2))
        await turns()
        server.connections[0].transport.abort()
        await until(lambda: returned)

        assert returned == [(server.address, (Nack(2),))]
        assert counters.links_failed == 1
        assert len(out) == 0


@on_loop
async def test_a_peer_that_reads_nothing_is_given_up_with_all_that_waits_for_it() -> None:
    limits = Limits(stall_timeout=0.2)
    async with serving(reads=False) as server, streams(limits) as (out, returned, counters):
        frames = [data(bytes(1 << 20), number) for number in range(12)]
        for frame in frames:
            out.send(server.address, frame)

        def swept() -> bool:
            out.sweep(asyncio.get_running_loop().time())
            return bool(returned)

        await until(swept)
        peer, unsent = returned[0]
        assert peer == server.address
        assert unsent[-1] == frames[-1]
        assert unsent == tuple(frames[-len(unsent) :])
        assert counters.links_stalled == 1
        assert counters.frames_returned == len(unsent)


@on_loop
@pytest.mark.skipif(sys.platform != "linux", reason="other kernels have no such options")
async def test_the_kernel_gives_a_peer_up_in_time_and_never_waits_long_to_try_again() -> None:
    async with serving() as server, streams(Limits(stall_timeout=2.5)) as (out, _, _):
        out.send(server.address, Nack(0))
        await until(lambda: server.frames)
        transport = out._links[server.address]._transport
        assert transport is not None
        sock = transport.get_extra_info("socket")
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 2_500
        try:
            retry_ms = sock.getsockopt(socket.IPPROTO_TCP, TCP_RTO_MAX_MS)
        except OSError:
            pytest.skip("this kernel cannot be told how often to try again")
        assert retry_ms == RETRY_MS


@on_loop
async def test_a_peer_that_says_more_than_hello_is_no_peer() -> None:
    for answer in (data(bytes(5_000)), data(bytes(900))):
        async with serving(answer) as server, streams() as (out, returned, _):
            out.send(server.address, Nack(1))
            if len(answer.payload) > 1_000:
                await until(lambda returned=returned: returned)
                assert returned[0][1] == (Nack(1),)
