"""The other end of a connection, by hand: what a node sends, and whatever one likes to send it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from snowcast.core.address import Address
from snowcast.core.codec import Splitter, encode
from snowcast.core.frames import Frame
from snowcast.runtime.counters import Counters
from snowcast.runtime.limits import Limits
from snowcast.runtime.listener import Listener
from snowcast.runtime.ports import bind
from snowcast.runtime.refusals import Refusals
from snowcast.runtime.streams import Streams
from support.loops import hello, local

Arrived = list[tuple[Address, Frame]]
Returned = list[tuple[Address, tuple[Frame, ...]]]


class Server:
    """Accepts connections and keeps what comes, until told to do otherwise."""

    def __init__(self, server: asyncio.Server, reads: bool = True) -> None:
        self.address = local(server.sockets[0].getsockname()[1])
        self.frames: list[Frame] = []
        self.connections: list[asyncio.StreamWriter] = []
        self.ended = 0


@asynccontextmanager
async def serving(answer: Frame | None = None, reads: bool = True) -> AsyncIterator[Server]:
    """A server that answers each connection with one frame, if any; it may read nothing."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        kept.connections.append(writer)
        if answer is not None:
            writer.write(encode(answer))
        splitter = Splitter()
        try:
            while reads and (data := await reader.read(1 << 16)):
                kept.frames += splitter.feed(data)
            if not reads:
                writer.transport.pause_reading()
                await asyncio.Event().wait()
        except ConnectionError:
            pass
        finally:
            kept.ended += 1
            writer.transport.abort()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    kept = Server(server)
    try:
        yield kept
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)


@asynccontextmanager
async def streams(
    limits: Limits | None = None,
) -> AsyncIterator[tuple[Streams, Returned, Counters]]:
    """The outgoing side of a node at port 7001, and what it could not send."""
    returned: Returned = []
    counters = Counters()
    made = Streams(
        hello(7001),
        limits or Limits(),
        counters,
        Refusals(counters),
        lambda peer, unsent: returned.append((peer, unsent)),
    )
    try:
        yield made, returned, counters
    finally:
        await made.close()


@asynccontextmanager
async def listening(
    limits: Limits | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[tuple[Address, Arrived, Counters, Listener]]:
    """The accepting side of a node, and what has come in."""
    sockets = bind("127.0.0.1:0")
    sockets.datagram.close()
    arrived: Arrived = []
    counters = Counters()
    listener = Listener(
        sockets.stream,
        hello(sockets.port),
        limits or Limits(),
        counters,
        Refusals(counters),
        lambda sender, frames: arrived.extend((sender, frame) for frame in frames),
        tls,
    )
    listener.start()
    try:
        yield local(sockets.port), arrived, counters, listener
    finally:
        await listener.close()


@asynccontextmanager
async def dialled(
    address: Address,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to a node, by hand."""
    reader, writer = await asyncio.open_connection(address.host, address.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the other side closes, in whatever way."""
    data = b""
    try:
        while chunk := await reader.read(1 << 16):
            data += chunk
    except ConnectionError:
        pass
    return data
