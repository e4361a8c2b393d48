"""What relays: a real node with its whole runtime, and the bare asyncio relay it is compared with.

The bare relay knows nothing but lengths. It writes each frame to each child as it comes, and has
neither members nor ids, duplicates, bounds, failures or an application. Each runs in a process of
its own, on the loop that it is told to use.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory
from typing import cast

import snowcast
from bench.sinks import SPAWN
from snowcast.core.address import Address
from snowcast.core.wire import read_uvarint

PREFIX_BYTES = 4


class Relay:
    """A relay in a process of its own, at `address`. To be used as a context."""

    def __init__(self, kind: str, loop: str, towards: Sequence[Address]) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        places = [(address.host, address.port) for address in towards]
        self._process = SPAWN.Process(target=_run, args=(theirs, kind, loop, places), daemon=True)
        self._process.start()
        self.address = Address.parse(self._pipe.recv())

    def cpu_seconds(self) -> float:
        """How much of the processor it has used so far."""
        self._pipe.send("cpu")
        return float(self._pipe.recv())

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()


def _run(pipe: Connection, kind: str, loop: str, towards: list[tuple[str, int]]) -> None:
    with asyncio.Runner(loop_factory=loop_factory(loop)) as runner:
        if kind == "bare":
            runner.run(_bare(pipe, towards))
        else:
            runner.run(_node(pipe, is_traced=kind == "traced node"))


def loop_factory(name: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """How loops of a kind are made."""
    if name == "uvloop":
        import uvloop  # an extra: without it the other loop can be measured

        return cast(Callable[[], asyncio.AbstractEventLoop], uvloop.new_event_loop)
    return asyncio.new_event_loop


async def _node(pipe: Connection, is_traced: bool) -> None:
    with TemporaryDirectory() as folder:
        trace_dir = folder if is_traced else None
        async with snowcast.join(linger=0.0, trace_dir=trace_dir) as cluster:
            await _serve(pipe, str(cluster.address))


async def _bare(pipe: Connection, towards: list[tuple[str, int]]) -> None:
    loop = asyncio.get_running_loop()
    transports: list[asyncio.Transport] = []
    for host, port in towards:
        transport, _ = await loop.create_connection(asyncio.Protocol, host, port)
        transports.append(transport)
    server = await loop.create_server(lambda: BareRelay(transports), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    await _serve(pipe, f"{host}:{port}")
    server.close()


async def _serve(pipe: Connection, address: str) -> None:
    """Tell where the relay is, then answer questions until nobody asks any more."""
    loop = asyncio.get_running_loop()
    is_over = asyncio.Event()

    def on_question() -> None:
        try:
            pipe.recv()
        except EOFError:
            loop.remove_reader(pipe.fileno())
            is_over.set()
        else:
            pipe.send(time.process_time())

    loop.add_reader(pipe.fileno(), on_question)
    pipe.send(address)
    await is_over.wait()


class BareRelay(asyncio.BufferedProtocol):
    """The simplest relay that is written with care: no copy but the one out of the buffer."""

    def __init__(self, transports: list[asyncio.Transport]) -> None:
        self._transports = transports
        self._scratch = memoryview(bytearray(256 << 10))
        self._rest = b""
        self._large: bytearray | None = None
        self._filled = 0

    def get_buffer(self, sizehint: int) -> memoryview:
        """A large frame is read in place."""
        if self._large is not None:
            return memoryview(self._large)[self._filled :]
        return self._scratch

    def buffer_updated(self, nbytes: int) -> None:
        """Cut out the frames and pass them on."""
        if self._large is not None:
            self._filled += nbytes
            if self._filled == len(self._large):
                self._pass_on(self._large)
                self._large = None
            return
        data = self._rest + self._scratch[:nbytes]
        at, size = 0, len(data)
        while size - at >= PREFIX_BYTES:
            length, start = read_uvarint(data, at)
            end = start + length
            if end > size:
                if length >= len(self._scratch) // 4:
                    self._large = bytearray(end - at)
                    self._filled = size - at
                    self._large[: self._filled] = data[at:]
                    at = size
                break
            self._pass_on(data[at:end])
            at = end
        self._rest = data[at:]

    def _pass_on(self, frame: bytes | bytearray) -> None:
        for transport in self._transports:
            transport.write(frame)
