"""Many who listen, in a few processes, and one who speaks: over Snow, NATS or ZeroMQ.

A listener notes what has arrived through the public way of its library: `Cluster.messages()`, the
callback of a subscription, `recv`. All that use asyncio use the same loop. ZeroMQ's listeners wait
in `poll`, which is the fastest that its users can do.

Rules of this file:
- Each listener has a connection, or a node, of its own. The speaker has a process of its own.
- A process reports a message once all of its listeners have it, and when that was.
"""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import snowcast
from bench.sinks import DEADLINE_S, SPAWN
from snowcast.runtime.loop import install

NUMBER_BYTES = 8
SUBJECT = "all"
LOOK_AGAIN_S = 0.05
NATS_SERVER = shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")

SECOND = 1_000_000
FANOUT = 16
PATIENT = snowcast.Config(
    fanout=FANOUT,
    probe_interval_us=60 * SECOND,
    probe_timeout_us=50 * SECOND,
    hop_timeout_us=100 * SECOND,
    reliable_deadline_us=200 * SECOND,
    anti_entropy_us=60 * SECOND,
    heal_us=60 * SECOND,
    suspicion_min_us=60 * SECOND,
    join_batch_us=2 * SECOND,
    join_timeout_us=120 * SECOND,
)
"""Hundreds of nodes on one loop, while they start, are slower than a node that is well may be: they
do not suspect each other for it, and come in together, in one announcement and not in a hundred.
What probes cost is in `idle`. On a loopback a hop costs more than a child: hence the fanout."""
WAITING = snowcast.Limits(
    connect_timeout=60.0,
    hello_timeout=60.0,
    stall_timeout=60.0,
    strangers_max=2048,
    links_max=2048,
)

Say = Callable[[bytes], Awaitable[None]]


class Audience:
    """One who speaks and all who listen. To be used as a context."""

    def __init__(self, kind: str, listeners: int, processes: int) -> None:
        self._stack = ExitStack()
        where = self._stack.enter_context(_server(kind))
        try:
            self._speaker = self._begin(_speak, kind, where, listeners)
            where = where or str(self._speaker.recv())
            share = listeners // processes
            counts = [share] * (processes - 1) + [listeners - share * (processes - 1)]
            self._listeners = [self._begin(_listen, kind, where, count) for count in counts]
            for pipe in self._listeners:
                _receive(pipe)
            self._ask("settle", listeners + 1)
        except BaseException:
            self._stack.close()
            raise

    def say(self, payload: bytes, patience_s: float = DEADLINE_S) -> float:
        """Seconds from the call that sends `payload` until the last listener has it."""
        self._speaker.send(("say", payload))
        begun = float(_receive(self._speaker))
        waiting = set(self._listeners)
        last = 0.0
        while waiting:
            ready = wait(list(waiting), patience_s)
            if not ready:
                raise TimeoutError("not everybody has heard it")
            for pipe in ready:
                assert isinstance(pipe, Connection)
                number, at = pipe.recv()
                if number == payload[:NUMBER_BYTES]:
                    waiting.discard(pipe)
                    last = max(last, at)
        return last - begun

    def cpu_seconds(self) -> float:
        """How much of the processor all of them together have used, the broker left out."""
        return sum(self._ask("cpu", None))

    def _ask(self, what: str, about: Any) -> list[Any]:
        pipes = [self._speaker, *self._listeners]
        for pipe in pipes:
            pipe.send((what, about))
        return [_receive(pipe) for pipe in pipes]

    def _begin(self, run: Callable[..., None], kind: str, where: str, count: int) -> Connection:
        ours, theirs = SPAWN.Pipe()
        process = SPAWN.Process(target=run, args=(theirs, kind, where, count), daemon=True)
        process.start()
        theirs.close()

        def end() -> None:
            ours.close()
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()

        self._stack.callback(end)
        return ours

    def __enter__(self) -> Audience:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _receive(pipe: Connection) -> Any:
    if not pipe.poll(DEADLINE_S):
        raise TimeoutError("a process of the benchmark does not answer")
    return pipe.recv()


@contextmanager
def _server(kind: str) -> Iterator[str]:
    """The broker, where there is one; where it is."""
    if kind != "nats":
        yield ""
        return
    assert NATS_SERVER is not None
    with TemporaryDirectory() as folder:
        command = [NATS_SERVER, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            ports = Path(folder) / f"nats-server_{server.pid}.ports"
            end = time.monotonic() + DEADLINE_S
            while not ports.exists() or not ports.stat().st_size:
                time.sleep(LOOK_AGAIN_S)
                if server.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("nats-server does not start")
            yield json.loads(ports.read_text())["nats"][0]
        finally:
            server.terminate()
            server.wait()


def _speak(pipe: Connection, kind: str, where: str, count: int) -> None:
    if kind == "zmq":
        _speak_zmq(pipe)
        return
    install()
    asyncio.run(_SPEAKERS[kind](pipe, where))


def _listen(pipe: Connection, kind: str, where: str, count: int) -> None:
    if kind == "zmq":
        _listen_zmq(pipe, where, count)
        return
    install()
    asyncio.run(_LISTENERS[kind](pipe, where, count))


class Counting:
    """Counts who has which message, and reports when all of this process have it."""

    def __init__(self, pipe: Connection, count: int) -> None:
        self._pipe = pipe
        self._count = count
        self._heard: dict[bytes, int] = {}

    def heard(self, payload: bytes) -> None:
        """One listener has a message."""
        number = payload[:NUMBER_BYTES]
        count = self._heard[number] = self._heard.get(number, 0) + 1
        if count == self._count:
            self._pipe.send((number, time.monotonic()))


async def _serve(
    pipe: Connection, say: Say | None = None, is_settled: Callable[[int], bool] = lambda n: True
) -> None:
    """Do as asked until nobody asks any more."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Queue[tuple[str, Any] | None] = asyncio.Queue()

    def on_question() -> None:
        try:
            asked.put_nowait(pipe.recv())
        except EOFError:
            loop.remove_reader(pipe.fileno())
            asked.put_nowait(None)

    loop.add_reader(pipe.fileno(), on_question)
    while (question := await asked.get()) is not None:
        what, about = question
        if what == "say":
            assert say is not None
            begun = time.monotonic()
            await say(about)
            pipe.send(begun)
        elif what == "settle":
            while not is_settled(about):
                await asyncio.sleep(LOOK_AGAIN_S)
            gc.collect()
            gc.freeze()
            pipe.send(True)
        else:
            pipe.send(time.process_time())


async def _speak_snow(pipe: Connection, where: str) -> None:
    async with snowcast.join(linger=0.0, config=PATIENT, limits=WAITING) as cluster:
        pipe.send(str(cluster.address))
        await _serve(pipe, cluster.broadcast, lambda n: len(cluster.members) == n)


async def _listen_snow(pipe: Connection, where: str, count: int) -> None:
    counting = Counting(pipe, count)

    async def read(node: snowcast.Cluster) -> None:
        async for message in node.messages():
            if isinstance(message, snowcast.Message):
                counting.heard(message.payload)

    options = snowcast.Options(seeds=[where], config=PATIENT, limits=WAITING)
    nodes = [snowcast.Cluster(options) for _ in range(count)]
    await asyncio.gather(*[node.start() for node in nodes])
    await asyncio.gather(*[node.joined() for node in nodes])
    reading = [asyncio.create_task(read(node)) for node in nodes]
    pipe.send(True)
    await _serve(pipe, is_settled=lambda n: all(len(node.members) == n for node in nodes))
    await asyncio.gather(*[node.abort() for node in nodes])
    await asyncio.gather(*reading)


async def _speak_nats(pipe: Connection, where: str) -> None:
    import nats

    client = await nats.connect(where, allow_reconnect=False)

    async def say(payload: bytes) -> None:
        await client.publish(SUBJECT, payload)
        await client.flush()

    await _serve(pipe, say)
    await client.close()


async def _listen_nats(pipe: Connection, where: str, count: int) -> None:
    import nats

    counting = Counting(pipe, count)

    async def on_message(message: Any) -> None:
        counting.heard(message.data)

    clients = []
    for _ in range(count):
        client = await nats.connect(where, allow_reconnect=False)
        await client.subscribe(SUBJECT, cb=on_message)
        await client.flush()
        clients.append(client)
    pipe.send(True)
    await _serve(pipe)
    for client in clients:
        await client.close()


_SPEAKERS = {"snow": _speak_snow, "nats": _speak_nats}
_LISTENERS = {"snow": _listen_snow, "nats": _listen_nats}


def _speak_zmq(pipe: Connection) -> None:
    import zmq

    context = zmq.Context()
    sock = context.socket(zmq.PUB)
    pipe.send(f"tcp://127.0.0.1:{sock.bind_to_random_port('tcp://127.0.0.1')}")
    try:
        while True:
            what, about = pipe.recv()
            begun = time.monotonic()
            if what == "say":
                sock.send(about)
            pipe.send(time.process_time() if what == "cpu" else begun)
    except EOFError:
        context.destroy(linger=0)


def _listen_zmq(pipe: Connection, where: str, count: int) -> None:
    import zmq

    counting = Counting(pipe, count)
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, 2 * count + 64)
    poller = zmq.Poller()
    for _ in range(count):
        sock = context.socket(zmq.SUB)
        sock.connect(where)
        sock.subscribe(b"")
        poller.register(sock, zmq.POLLIN)
    poller.register(pipe.fileno(), zmq.POLLIN)
    pipe.send(True)
    try:
        while True:
            for sock, _ in poller.poll():
                if isinstance(sock, int):
                    what, _ = pipe.recv()
                    pipe.send(time.process_time() if what == "cpu" else True)
                else:
                    counting.heard(sock.recv())
    except EOFError:
        context.destroy(linger=0)
