"""Planning: the children of one node, the bytes of a ring and of a member table, and of a frame."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import TypeVar

from bench.harness import Row, best_seconds
from snowcast.core.address import Address
from snowcast.core.member import Member, first_incarnation
from snowcast.core.region import Region
from snowcast.core.ring import Ring
from snowcast.core.trees import Mode, Tree, children, roots
from snowcast.core.view import View
from snowcast.planning.build import build_plan
from snowcast.planning.figures import LIFE, PAYLOAD_BYTES, plan_figures

FEW, MANY = 1_000, 100_000
FANOUT = 4
ORIGINS = 100
LEVELS = 4
CALLS_A_STEP = 10
ROUNDS = 60
CHILDREN_US_MAX = 15
RATIO_MAX = 2
RING_BYTES_MAX = 2_000_000
TABLE_BYTES_MAX = 25_000_000
FRAME_BYTES_MAX = 122

T = TypeVar("T")
Call = tuple[Region, Address, Address]  # a region, who plans it, and the origin


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    yield from _children_rows()
    yield Row(f"ring of {MANY:,} IPv6 members", _ring_bytes(MANY), RING_BYTES_MAX, "bytes")
    table = f"member table of {MANY:,}, IPv6, with names"
    yield Row(table, _table_bytes(MANY), TABLE_BYTES_MAX, "bytes")
    yield Row(
        f"mean data frame, n=500, k=4, payload {PAYLOAD_BYTES}, IPv4",
        _frame_bytes_mean(),
        FRAME_BYTES_MAX,
        "bytes",
    )


def _children_rows() -> Iterator[Row]:
    rings = {n: Ring(_addresses(n)) for n in (FEW, MANY)}
    calls = {(tree, n): list(_calls(ring, tree)) for n, ring in rings.items() for tree in Tree}
    cases = {f"{tree.name} {n}": list(_steps(rings[n], tree, calls[tree, n])) for tree, n in calls}
    seconds = best_seconds(cases, ROUNDS)
    for tree in Tree:
        few, many = (seconds[f"{tree.name} {n}"] / len(calls[tree, n]) * 1e6 for n in (FEW, MANY))
        name = f"children, {tree.name.lower()} tree"
        yield Row(f"{name}, n={MANY:,}", many, CHILDREN_US_MAX, "us")
        yield Row(f"{name}, n={MANY:,} to n={FEW:,}", many / few, RATIO_MAX, "x")


def _steps(ring: Ring, tree: Tree, calls: list[Call]) -> Iterator[Callable[[], None]]:
    """The calls in short runs."""

    def run(some: list[Call]) -> None:
        for region, me, origin in some:
            children(ring, region, me, FANOUT, tree, origin)

    for begin in range(0, len(calls), CALLS_A_STEP):
        yield partial(run, calls[begin : begin + CALLS_A_STEP])


def _calls(ring: Ring, tree: Tree) -> Iterator[Call]:
    """What nodes are asked on the way down from many origins: root regions and inner ones alike."""
    random = Random(f"calls {tree.name} {len(ring)}")
    mode = Mode.STANDARD if tree is Tree.STANDARD else Mode.COLORING
    for _ in range(ORIGINS):
        origin = ring[random.randrange(len(ring))]
        work = dict(roots(ring, origin, mode))[tree]
        for _ in range(LEVELS):
            yield work.region, work.child, origin
            found = children(ring, work.region, work.child, FANOUT, tree, origin)
            inner = [assignment for assignment in found if not assignment.is_leaf]
            if not inner:
                break
            work = random.choice(inner)


def _addresses(n: int) -> Iterator[Address]:
    """Addresses of hosts spread over one /32, as if drawn by chance."""
    random = Random("addresses")
    for _ in range(n):
        yield Address(b"\xfd\x00\x00\x01" + random.randbytes(12) + (7946).to_bytes(2, "big"))


def _ring_bytes(n: int) -> int:
    """What a ring holds on to, the ring object included."""
    addresses = list(_addresses(n + 1))[1:]  # no ring is equal to it, so it has bytes of its own
    ring, held = _held(lambda: Ring(addresses))
    assert len(ring) == n
    return held


def _table_bytes(n: int) -> int:
    """What a view holds on to: the ring, all that is known of each member, the digests."""

    def learned() -> View:
        view = View()
        lives = enumerate(_addresses(n), start=LIFE)
        view.merge((_member(address, life) for life, address in lives), 0)
        return view

    view, held = _held(learned)
    assert len(view) == n
    return held


def _member(address: Address, life: int) -> Member:
    return Member(address, first_incarnation(life), name=f"node-{life - LIFE}")


def _held(make: Callable[[], T]) -> tuple[T, int]:
    """What was made, and how many bytes it keeps."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    made = make()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, after - before


def _frame_bytes_mean() -> float:
    figures = plan_figures(build_plan(500, 4, 0, Mode.STANDARD))
    return figures.frame_bytes / figures.frames
