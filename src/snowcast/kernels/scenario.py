"""Many messages by kernel: what a scenario asks for, with the simulator's draws where it has them.

Paper, Evaluation. Meant for `snowcast sim run --kernel`: whoever wires it hands in
`partial(sim.seeds.stream, seed)` as `stream`, the quantiles of the scenario's latency, and reads
the rows. Under one seed stragglers and processing delays are those of `sim.processing`, node by
node and message by message, if node i is at place i of the ring (it is, unless the order is
hashed). Latencies and gossip's targets are drawn under names of their own: in the simulator they
come in the order of its events, which a kernel does not have. There is no membership here: nobody
joins, and the dead are dead to all but never missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np

from snowcast.core.config import SECOND
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from snowcast.kernels.dissemination import (
    draw_targets,
    sizes_of_frames,
    spread_gossip,
    spread_snow,
)
from snowcast.kernels.jit import Flags, Ints, Times
from snowcast.kernels.results import GossipSpread, TreeSpread

Stream: TypeAlias = Callable[..., Random]
"""A random stream of its own for each name, as `sim.seeds.stream` gives under one seed."""

MODES = {"standard": Mode.STANDARD, "coloring": Mode.COLORING}
PROTOCOLS = (*MODES, "gossip")
PLACEMENTS = ("none", "aligned", "random")  # sim.processing.Placement


@dataclass(frozen=True)
class Work:
    """How long nodes work on a message before they forward it: `sim.processing.Processing`."""

    min_us: int = 0
    max_us: int = 0
    stragglers: str = "none"
    straggler_us: int = 1 * SECOND
    straggler_every: int = 20

    def __post_init__(self) -> None:
        if not 0 <= self.min_us <= self.max_us:
            raise UsageError(f"a delay from {self.min_us} to {self.max_us} makes no sense")
        if self.stragglers not in PLACEMENTS:
            allowed = ", ".join(PLACEMENTS)
            raise UsageError(f"no placement {self.stragglers!r}; allowed: {allowed}")
        if self.straggler_every < 1:
            raise UsageError(f"straggler_every must be positive, not {self.straggler_every}")


@dataclass(frozen=True)
class MessageResult:
    """One message: a row of numbers, and behind it what became of it at each node."""

    number: int
    origin: int
    live: int
    reached: int
    last_us: int
    hops_max: int
    copies: int
    received_bytes: int
    frames_sent: int
    spread: TreeSpread | GossipSpread


def run_messages(
    n: int,
    fanout: int,
    protocol: str,
    messages: int,
    stream: Stream,
    *,
    work: Work | None = None,
    latency_us: Times | int = 0,
    origin: int = 0,
    payload_bytes: int = 100,
    is_ipv6: bool = False,
    dead: Callable[[int], Flags] | None = None,
) -> Iterator[MessageResult]:
    """The results of messages 1 to `messages`, each as soon as it is there.

    `latency_us` is one time for all frames, or quantiles to draw from, as `sim.latency.Latency`
    keeps them. `dead` tells who is dead when message `number` is sent.
    """
    if protocol not in PROTOCOLS:
        raise UsageError(f"no kernel for {protocol!r}; allowed: {', '.join(PROTOCOLS)}")
    work = Work() if work is None else work
    stragglers = straggler_flags(n, work, stream)
    for number in range(1, messages + 1):
        random = _numpy_random(stream("kernel", protocol, number))
        delay_us = delays(n, number, work, stragglers, stream)
        sizes = sizes_of_frames(payload_bytes, is_ipv6, sequence=number)
        gone = None if dead is None else dead(number)
        spread: TreeSpread | GossipSpread
        if protocol in MODES:
            mode = MODES[protocol]
            lanes = 2 if mode is Mode.COLORING and n > 2 else 1
            spread = spread_snow(
                n,
                fanout,
                mode,
                origin,
                latency_us=_drawn(latency_us, (lanes, n), random),
                delay_us=delay_us,
                dead=gone,
                frame_sizes=sizes,
            )
        else:
            targets = draw_targets(n, fanout, random)
            spread = spread_gossip(
                targets,
                origin,
                latency_us=_drawn(latency_us, targets.shape, random),
                delay_us=delay_us,
                dead=gone,
                frame_sizes=sizes,
            )
        yield _result(number, spread)


def straggler_flags(n: int, work: Work, stream: Stream) -> Flags:
    """Who is a straggler, as `Processing.is_straggler` says of the nodes there at the start."""
    flags = np.zeros(n, np.bool_)
    every = work.straggler_every
    if work.stragglers == "aligned":
        flags[every - 1 :: every] = True
    elif work.stragglers == "random":
        flags[stream("stragglers", n).sample(range(n), n // every)] = True
    return flags


def delays(n: int, number: int, work: Work, stragglers: Flags, stream: Stream) -> Times:
    """How long each node works on message `number`, as `Processing.delay_us` says."""
    size = max(16, 1 << (n - 1).bit_length())
    raw = stream("processing", f"message {number}").randbytes(4 * size)
    draws: Ints = np.frombuffer(raw, "<u4")[:n].astype(np.int64)
    usual = work.min_us + draws % (work.max_us - work.min_us + 1)
    return np.where(stragglers, np.int64(work.straggler_us), usual)


def _drawn(
    latency_us: Times | int, shape: tuple[int, ...], random: np.random.Generator
) -> Times | int:
    """A latency for each frame, or the one that there is."""
    quantiles = np.asarray(latency_us, np.int64)
    if not quantiles.ndim:
        return int(quantiles)
    chosen: Times = quantiles[random.integers(0, len(quantiles), size=shape, dtype=np.int32)]
    return chosen


def _numpy_random(random: Random) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(random.getrandbits(128)))


def _result(number: int, spread: TreeSpread | GossipSpread) -> MessageResult:
    return MessageResult(
        number=number,
        origin=spread.origin,
        live=spread.live,
        reached=spread.reached,
        last_us=spread.last_us,
        hops_max=spread.hops_max,
        copies=int(spread.copies.sum(dtype=np.int64)),
        received_bytes=int(spread.received_bytes.sum()),
        frames_sent=spread.frames_sent,
        spread=spread,
    )
