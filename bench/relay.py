"""One node that relays to 4 children over TCP, against a bare asyncio relay on the same loop.

The node is a whole one, made by `snowcast.join`; its children are inner nodes of the tree, so each
gets a head of its own. Sender, relay and children are processes of their own. The sender stays
within a window, for neither relay could hold what it is able to send. A number is the median of
rounds that run all relays in turns; every child then decodes what it got.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from bench.harness import Row, in_turns, not_measured
from bench.relays import Relay
from bench.sinks import (
    DEADLINE_S,
    FANOUT,
    FIRST,
    LIFE,
    Expected,
    Sinks,
    hello,
    plan,
    records,
    region,
)
from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.frames import Data, MessageId
from snowcast.core.trees import Tree

MEMBERS = 20
ROUNDS = 5
BATCH_BYTES = 32 << 10
MIB = 1 << 20
PAUSE_S = 20e-6


@dataclass(frozen=True)
class Load:
    """What is to be relayed."""

    what: str
    payload: bytes
    count: int
    warm_up: int
    window: int  # how many frames may be under way
    unit: str
    limit: float | None


LOADS = (
    Load("frames of 120 bytes", bytes(96), 60_000, 500, 8_000, "frames/s", 1.0),
    Load("the same, one at a time", bytes(96), 6_000, 500, 1, "frames/s", None),
    Load("payloads of 1 MiB", bytes(MIB), 200, 8, 4, "MiB/s", 0.7),
)
TRACED = Load("frames of 120 bytes", bytes(96), 20_000, 500, 8_000, "frames/s", None)


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    loops = ["asyncio"]
    try:
        import uvloop  # noqa: F401
    except ImportError:
        yield not_measured("relaying on uvloop", "uvloop is not installed")
    else:
        loops.insert(0, "uvloop")
    for load in LOADS:
        cpu: dict[str, list[float]] = {}
        cases = {
            f"{kind} {loop}": partial(_run, kind, loop, load, cpu)
            for loop in loops
            for kind in ("node", "bare")
        }
        speed = in_turns(cases, ROUNDS)
        for loop in loops:
            node, bare = speed[f"node {loop}"], speed[f"bare {loop}"]
            what = f"relaying {load.what} to {FANOUT}, {loop}"
            yield Row(what, node, load.limit, load.unit, True, "bare relay", bare)
            node, bare = (min(cpu[f"{kind} {loop}"]) for kind in ("node", "bare"))
            yield Row(f"{what}: processor", node, None, "us each", False, "bare relay", bare)
    yield from _traced(loops[0])


def _traced(loop: str) -> Iterator[Row]:
    """What a trace costs where the most is written: each frame in and each frame out is a row."""
    load = TRACED
    cpu: dict[str, list[float]] = {}
    cases = {
        f"{kind} {loop}": partial(_run, kind, loop, load, cpu) for kind in ("traced node", "node")
    }
    in_turns(cases, ROUNDS)
    traced, plain = (min(cpu[case]) for case in cases)
    what = f"relaying {load.what} to {FANOUT} with --trace, {loop}: processor"
    yield Row(what, traced, None, "us each", rival="without", rival_measured=plain)


def _run(kind: str, loop: str, load: Load, cpu: dict[str, list[float]]) -> float:
    """How many frames, or MiB of payload, one relay passes on in a second."""
    is_node = kind != "bare"
    with Sinks(MEMBERS, talks=is_node) as sinks, socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        me = Address.of(*sock.getsockname())
        with Relay(kind, loop, sinks.addresses[:FANOUT]) as relay:
            inside = region(sinks.addresses, relay.address, me)
            numbers = range(FIRST, FIRST + load.warm_up + load.count)
            frames = [_frame(load, me, number, inside.left, inside.right) for number in numbers]
            if is_node:
                parts = plan(sinks.addresses, relay.address, me)
                sizes = {p.child: len(_frame(load, me, FIRST, p.left, p.right)) for p in parts}
            else:
                sizes = dict.fromkeys(sinks.addresses[:FANOUT], len(frames[0]))
            sinks.expect(
                [Expected(child, load.payload, len(frames), sizes[child]) for child in sizes]
            )
            sock.connect((relay.address.host, relay.address.port))
            if is_node:
                sock.sendall(encode(hello(me)) + records([*sinks.addresses, me]))
            _send(sock, sinks, frames, load, 0, load.warm_up)
            used, begun = relay.cpu_seconds(), time.monotonic()
            _send(sock, sinks, frames, load, load.warm_up, len(frames))
            seconds = sinks.finished_at() - begun
            used = relay.cpu_seconds() - used
    cpu.setdefault(f"{kind} {loop}", []).append(used / load.count * 1e6)
    amount = load.count * len(load.payload) / MIB if load.unit == "MiB/s" else load.count
    return amount / seconds


def _frame(
    load: Load, origin: Address, number: int, left: Address | None, right: Address | None
) -> bytes:
    id = MessageId(origin, LIFE, number)
    return encode(Data(id, Tree.STANDARD, left, right, load.payload))


def _send(
    sock: socket.socket, sinks: Sinks, frames: list[bytes], load: Load, first: int, end: int
) -> None:
    """Send some frames, never more than a window ahead of the slowest child; wait for the last."""
    batch = min(max(1, BATCH_BYTES // len(frames[0])), load.window)
    for at in range(first, end, batch):
        some = frames[at : min(at + batch, end)]
        _wait(sinks, at + len(some) - load.window)
        sock.sendall(b"".join(some))
    _wait(sinks, end)


def _wait(sinks: Sinks, count: int) -> None:
    """Wait until every child has so many frames."""
    deadline = time.monotonic() + DEADLINE_S
    while sinks.progress.value < count:
        time.sleep(PAUSE_S)
        if time.monotonic() > deadline:
            raise TimeoutError(f"no child has more than {sinks.progress.value} frames")
