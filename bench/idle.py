"""What an agent costs that has nothing to do: processor, memory and bytes, in a cluster of 100.

One `snowcast agent` as people run it, and 99 nodes with the library in a process of their own, all
with their defaults. Bytes are counted where memberlist's were taken: the content of the datagrams a
node receives. What anti-entropy sends over TCP is told beside it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import snowcast
from bench.audience import LOOK_AGAIN_S
from bench.harness import Row
from bench.sinks import DEADLINE_S, SPAWN
from snowcast.runtime.loop import install

MEMBERS = 100
SECONDS = float(os.environ.get("SNOWCAST_BENCH_IDLE_S", "30"))
REST_S = 3.0  # for the joins to be over
LIMIT_BYTES = 220.0
"""What memberlist's defaults cost a node on the wire, in UDP a second."""
MIB = 1 << 20


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    what = f"idle in a cluster of {MEMBERS}"
    found = measure(MEMBERS, SECONDS)
    yield Row(f"{what}: UDP received", found["datagrams"], LIMIT_BYTES, "bytes/s")
    yield Row(f"{what}: TCP received", found["streams"], None, "bytes/s")
    yield Row(f"{what}: processor of an agent", found["cpu"] * 100, None, "% of a core")
    yield Row(f"{what}: processor of a node of 99", found["cpu_node"] * 100, None, "% of a core")
    yield Row(f"{what}: memory of an agent", found["rss_bytes"] / MIB, None, "MiB")


def measure(members: int, seconds: float) -> dict[str, float]:
    """What an agent and the others use of everything in a second, and the agent's memory."""
    with ExitStack() as stack:
        pipe, theirs = SPAWN.Pipe()
        crowd = SPAWN.Process(target=_crowd, args=(theirs, members), daemon=True)
        crowd.start()
        theirs.close()
        stack.callback(crowd.join, 10)
        stack.callback(pipe.close)
        seed = str(_receive(pipe))
        folder = Path(stack.enter_context(TemporaryDirectory()))
        agent = _agent(folder, seed)
        stack.callback(agent.wait)
        stack.callback(agent.terminate)
        _receive(pipe)  # all know each other
        time.sleep(REST_S)
        begun, before, used = time.monotonic(), _ask(pipe), _cpu_seconds(agent.pid)
        time.sleep(seconds)
        took = time.monotonic() - begun
        after, used = _ask(pipe), _cpu_seconds(agent.pid) - used
        rss_bytes = _rss_bytes(agent.pid)
    found = {name: (after[name] - before[name]) / took / (members - 1) for name in after}
    return {**found, "cpu": used / took, "rss_bytes": rss_bytes}


def _agent(folder: Path, seed: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "snowcast", "agent", "--name", "measured", "--seed", seed]
    command += ["--bind", "127.0.0.1:0", "--control-socket", str(folder / "agent.sock")]
    clean = {key: value for key, value in os.environ.items() if "SNOWCAST_" not in key}
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, env=clean)


def _ask(pipe: Connection) -> dict[str, float]:
    pipe.send(None)
    found: dict[str, float] = _receive(pipe)  # type: ignore[assignment]
    return found


def _receive(pipe: Connection) -> object:
    if not pipe.poll(DEADLINE_S):
        raise TimeoutError("the other nodes of the cluster do not agree")
    return pipe.recv()


def _crowd(pipe: Connection, members: int) -> None:
    install()
    asyncio.run(_run_crowd(pipe, members))


async def _run_crowd(pipe: Connection, members: int) -> None:
    """All but one of so many members, until nobody asks any more."""
    loop = asyncio.get_running_loop()
    is_over = asyncio.Event()
    nodes = [snowcast.Cluster(snowcast.Options())]
    await nodes[0].start()
    seeds = [str(nodes[0].address)]
    nodes += [snowcast.Cluster(snowcast.Options(seeds=seeds)) for _ in range(members - 2)]
    for node in nodes[1:]:
        await node.start()
        await node.joined()
    pipe.send(seeds[0])
    while not all(len(node.members) == members for node in nodes):
        await asyncio.sleep(LOOK_AGAIN_S)
    pipe.send(True)

    def on_question() -> None:
        try:
            pipe.recv()
        except EOFError:
            loop.remove_reader(pipe.fileno())
            is_over.set()
        else:
            counters = [node.counters for node in nodes]
            pipe.send(
                {
                    "datagrams": sum(one.datagram_bytes_received for one in counters),
                    "streams": sum(one.bytes_received for one in counters),
                    "cpu_node": time.process_time(),
                }
            )

    loop.add_reader(pipe.fileno(), on_question)
    await is_over.wait()
    await asyncio.gather(*[node.abort() for node in nodes])


def _cpu_seconds(pid: int) -> float:
    """What all threads of a process have used; clock ticks would be too coarse."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def _rss_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
