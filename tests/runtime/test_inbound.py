"""An accepted connection, before and after its hello."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from snowcast.core.codec import encode
from snowcast.core.frames import Data, Frame, Hello, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.runtime.counters import Counters
from snowcast.runtime.inbound import Inbound
from snowcast.runtime.limits import Limits
from snowcast.runtime.link import Link
from support.frames import frames
from support.loops import hello, local, on_loop, until
from support.sockets import dialled, listening, rest, streams

PEER = hello(7002)


def data(size: int) -> Data:
    """A data frame for a leaf."""
    return Data(MessageId(local(7002), 1, 1), Tree.STANDARD, None, None, bytes(size))


@on_loop
async def test_frames_after_the_hello_come_from_the_address_that_it_names() -> None:
    sent = [Nack(1), data(200), data(300_000), Nack(2)]
    async with listening() as (address, arrived, counters, _):
        async with dialled(address) as (reader, writer):
            writer.write(encode(PEER) + b"".join(map(encode, sent)))
            await until(lambda: len(arrived) == len(sent))

            assert arrived == [(PEER.address, frame) for frame in sent]
            answer = encode(hello(address.port))
            assert await reader.readexactly(len(answer)) == answer
        assert counters.frames_received == len(sent)
        assert counters.inbound_accepted == 1


@on_loop
async def test_nothing_before_a_hello_is_taken_in() -> None:
    async with listening() as (address, arrived, counters, _):
        async with dialled(address) as (reader, writer):
            writer.write(encode(Nack(1)) + encode(PEER) + encode(Nack(2)))
            assert await rest(reader) == b""

        assert arrived == []
        assert counters.refused == {"hello": 1}


def test_loops_that_may_run_in_other_threads_read_into_buffers_of_their_own() -> None:
    """A socket is read without the lock that keeps threads apart."""

    async def buffers() -> list[object]:
        async with listening() as (_, _, _, listener), streams() as (out, _, _):
            made = [Inbound("here", 1000, listener).get_buffer(-1) for _ in range(2)]
            link = Link(PEER.address, b"", Limits(), Counters(), out)
            return [buffer.obj for buffer in (*made, link._framer.buffer())]

    one, two = asyncio.run(buffers()), asyncio.run(buffers())
    assert one[0] is one[1], "one for all connections of a loop"
    assert not {id(buffer) for buffer in one} & {id(buffer) for buffer in two}


@on_loop
async def test_a_stranger_may_not_send_a_long_frame() -> None:
    async with listening() as (address, arrived, counters, _):
        async with dialled(address) as (reader, writer):
            writer.write(encode(data(5_000))[:10])
            assert await rest(reader) == b""

        assert arrived == []
        assert counters.refused == {"frame": 1}


@on_loop
async def test_garbage_from_a_peer_closes_its_connection_and_no_other() -> None:
    async with (
        listening() as (address, arrived, counters, _),
        dialled(address) as (_, good),
        dialled(address) as (reader, bad),
    ):
        good.write(encode(hello(7003)))
        bad.write(encode(PEER) + b"\x03\xff\xff\xff")
        await rest(reader)
        good.write(encode(Nack(7)))
        await until(lambda: arrived)

        assert arrived == [(local(7003), Nack(7))]
        assert counters.refused == {"frame": 1}


@given(st.lists(st.one_of(st.binary(max_size=300), frames().map(encode)), max_size=6))
@settings(max_examples=40)
def test_whatever_is_sent_the_listener_stays_up(chunks: list[bytes]) -> None:
    @on_loop
    async def story() -> None:
        async with listening() as (address, arrived, _, listener):
            for prefix in (b"", encode(PEER)):
                async with dialled(address) as (_, writer):
                    writer.write(prefix + b"".join(chunks))
                    await writer.drain()
            async with dialled(address) as (_, writer):
                writer.write(encode(hello(7009)) + encode(Nack(9)))
                await until(lambda: (local(7009), Nack(9)) in arrived)
            assert len(listener._strangers) <= 3

    story()


def test_a_frame_is_what_it_was_sent_as() -> None:
    sent: list[Frame] = [Nack(1)]
    assert b"".join(map(encode, sent)) == encode(Nack(1))


class Doorman:
    """An owner that lets everybody in."""

    def on_hello(self, inbound: Inbound, hello: Hello) -> bool:
        return True

    def on_frames(self, inbound: Inbound, frames: list[Frame], size: int) -> None: ...
    def on_large(self, inbound: Inbound) -> None: ...
    def on_bad(self, inbound: Inbound, kind: str, why: str) -> None: ...
    def on_gone(self, inbound: Inbound) -> None: ...


@on_loop
async def test_a_connection_that_is_aborted_holds_no_memory_while_the_loop_closes_it() -> None:
    inbound = Inbound("somewhere", 1_000_000, Doorman())
    begun = encode(PEER) + encode(data(500_000))[:1_000]
    inbound.get_buffer(-1)[: len(begun)] = begun
    inbound.buffer_updated(len(begun))
    assert inbound.reserved_bytes > 500_000

    inbound.abort()

    assert inbound.reserved_bytes == 0
