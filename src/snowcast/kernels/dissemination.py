"""One broadcast over many nodes: arrays in, a frozen result of arrays out (`results`).

Paper, Standard Snow Broadcasting Mechanism, Node Coloring, and Gossip of the Evaluation. A node is
its place on the ring, from 0 to n - 1, and all views are equal; times are from the send. What is
random is drawn by the caller and handed in, so every protocol can meet the same delays.

Rules of this file:
- Compiled code is compiled again for other types of arrays, so all are brought to one form here.
- The dead get nothing and send nothing, and nobody knows it: frames to them are sent and lost.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from snowcast.core.address import Address
from snowcast.core.codec import frame_size
from snowcast.core.errors import UsageError
from snowcast.core.frames import Data, MessageId
from snowcast.core.trees import Mode, Tree, check_fanout
from snowcast.kernels import compiled
from snowcast.kernels.jit import NEVER, Flags, Ints, Times
from snowcast.kernels.results import NOBODY, GossipSpread, TreeSpread

_FORM: list[Literal["C", "W"]] = ["C", "W"]
_Frames: TypeAlias = tuple[Ints, Ints, Ints]  # senders, hops and bytes, by tree and receiver


def spread_snow(
    n: int,
    fanout: int,
    mode: Mode,
    origin: int = 0,
    *,
    latency_us: Times | int = 0,
    delay_us: Times | int = 0,
    dead: Flags | None = None,
    frame_sizes: Ints | None = None,
) -> TreeSpread:
    """A message sent along Snow's tree, or both trees.

    `latency_us[t, i]` is how long the frame to node i takes in tree t, `delay_us[i]` how long node
    i works on the message before it forwards it, `frame_sizes` as `sizes_of_frames` gives them.
    """
    check_fanout(fanout)
    delays, is_dead = _conditions(n, origin, delay_us, dead)
    sizes = sizes_of_frames() if frame_sizes is None else frame_sizes
    trees = trees_of(mode, n)
    latencies = _shaped(latency_us, (len(trees), n), "latency_us")
    orders, senders, hops, frame_bytes = (np.zeros((len(trees), n), np.int32) for _ in range(4))
    at_us = np.full((len(trees), n), NEVER, np.int64)
    filled = np.zeros(len(trees), np.int32)
    for lane, tree in enumerate(trees):
        rows = orders[lane], senders[lane], hops[lane], frame_bytes[lane]
        filled[lane] = compiled.grow(n, fanout, origin, int(tree), is_dead, sizes, *rows)
    if len(trees) == 2:
        compiled.walk_both(orders, filled, senders, is_dead, latencies, delays, at_us)
    else:
        other_us, leaves_us = np.full(n, NEVER, np.int64), np.empty(n, np.int64)
        compiled.walk(
            orders[0],
            int(filled[0]),
            senders[0],
            is_dead,
            latencies[0],
            delays,
            other_us,
            at_us[0],
            leaves_us,
        )
    return _tree_spread(origin, is_dead, trees, (senders, hops, frame_bytes), at_us, filled)


def spread_gossip(
    targets: Ints,
    origin: int = 0,
    *,
    latency_us: Times | int = 0,
    delay_us: Times | int = 0,
    dead: Flags | None = None,
    frame_sizes: Ints | None = None,
) -> GossipSpread:
    """A message by gossip: node i sends it to the nodes in row i of `targets`.

    `latency_us[i, j]` is how long its j-th frame takes; `draw_targets` draws them.
    """
    targets = np.require(targets, np.int32, _FORM)
    n = len(targets)
    delays, is_dead = _conditions(n, origin, delay_us, dead)
    sizes = sizes_of_frames() if frame_sizes is None else frame_sizes
    latencies = _shaped(latency_us, targets.shape, "latency_us")
    at_us = np.full(targets.shape, NEVER, np.int64)
    first_us = np.full(n, NOBODY, np.int64)
    senders, hops = np.full(n, NOBODY, np.int32), np.full(n, NOBODY, np.int32)
    sent = compiled.gossip(
        origin, targets, is_dead, latencies, delays, first_us, senders, hops, at_us
    )
    at_us[at_us == NEVER] = NOBODY
    copies = np.bincount(targets[at_us >= 0], minlength=n).astype(np.int32)
    return GossipSpread(
        origin=origin,
        dead=is_dead,
        first_us=first_us,
        hops=hops,
        senders=senders,
        copies=copies,
        received_bytes=copies * np.int64(sizes[0]),
        frames_sent=int(sent),
        targets=targets,
        at_us=at_us,
        frame_bytes=int(sizes[0]),
    )


def trees_of(mode: Mode, n: int) -> tuple[Tree, ...]:
    """The trees of a broadcast among so many nodes, as `core.trees.roots` makes them."""
    if mode is Mode.STANDARD:
        return (Tree.STANDARD,)
    return (Tree.PRIMARY, Tree.SECONDARY) if n > 2 else (Tree.PRIMARY,)


def draw_targets(n: int, fanout: int, random: np.random.Generator) -> Ints:
    """For each node `fanout` different others, or all others if there are no more."""
    count = min(fanout, n - 1)
    drawn = random.integers(0, max(n - 1, 1), size=(n, count), dtype=np.int32)
    while count > 1:
        ordered = np.sort(drawn, axis=1)
        again = np.nonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))[0]
        if not len(again):
            break
        drawn[again] = random.integers(0, n - 1, size=(len(again), count), dtype=np.int32)
    drawn += drawn >= np.arange(n, dtype=np.int32)[:, None]  # nobody draws itself
    return drawn


def sizes_of_frames(
    payload_bytes: int = 100, is_ipv6: bool = False, life: int = 1, sequence: int = 1
) -> Ints:
    """The bytes of a data frame with no, one and two boundaries, from the codec itself."""
    address = Address.of("fd00::1" if is_ipv6 else "10.0.0.1", 7946)
    id, payload = MessageId(address, life, sequence), bytes(payload_bytes)
    boundaries = ((None, None), (address, None), (address, address))
    frames = (Data(id, Tree.STANDARD, left, right, payload) for left, right in boundaries)
    return np.array([frame_size(frame) for frame in frames], np.int32)


def _conditions(
    n: int, origin: int, delay_us: Times | int, dead: Flags | None
) -> tuple[Times, Flags]:
    is_dead = np.zeros(n, np.bool_) if dead is None else np.require(dead, np.bool_, _FORM)
    if n < 1 or not 0 <= origin < n:
        raise UsageError(f"origin must be one of the {n} nodes, not {origin}")
    if is_dead.shape != (n,):
        raise UsageError(f"dead must have {n} places, not {is_dead.shape}")
    if is_dead[origin]:
        raise UsageError("a dead node cannot be the origin")
    return _shaped(delay_us, (n,), "delay_us"), is_dead


def _shaped(times: Times | int, shape: tuple[int, ...], name: str) -> Times:
    """An array of that shape; one number stands for all."""
    array: Times = np.asarray(times, np.int64)
    if array.ndim and array.shape != shape:
        raise UsageError(f"{name} must be one number or {shape}, not {array.shape}")
    if array.size and array.min() < 0:
        raise UsageError(f"{name} must not be negative")
    whole: Times = np.require(array, np.int64, _FORM) if array.ndim else np.full(shape, array)
    return whole


def _tree_spread(
    origin: int,
    dead: Flags,
    trees: tuple[Tree, ...],
    frames: _Frames,
    at_us: Times,
    filled: Ints,
) -> TreeSpread:
    """What is known of each node, from what is known of its frame in each tree."""
    n = len(dead)
    first_us, received_bytes = np.empty(n, np.int64), np.empty(n, np.int64)
    first_row, hops, senders, copies = (np.empty(n, np.int32) for _ in range(4))
    nodes = first_row, senders, hops, copies
    compiled.sum_up(origin, at_us, *frames, first_us, *nodes, received_bytes)
    return TreeSpread(
        origin=origin,
        dead=dead,
        first_us=first_us,
        hops=hops,
        senders=senders,
        copies=copies,
        received_bytes=received_bytes,
        frames_sent=int(filled.sum()) - len(at_us),
        trees=trees,
        first_row=first_row,
        at_us=at_us,
        tree_senders=frames[0],
        tree_hops=frames[1],
        frame_bytes=frames[2],
    )
