"""What it takes in bytes: a ring and a member table of 100,000, comparing two such, a data frame.

DESIGN 9. Members are at IPv6 addresses and have names; the data frame is the paper's, over IPv4.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import TypeVar

from promises.figures import Figure
from snowcast.core.address import Address
from snowcast.core.member import Member, State, first_incarnation
from snowcast.core.ring import Ring
from snowcast.core.trees import Mode
from snowcast.core.view import View
from snowcast.planning.build import build_plan
from snowcast.planning.figures import plan_figures
from support.pair import Pair
from support.rings import member

N = 100_000
LIFE = 1_760_000_000 * 16

T = TypeVar("T")


def address(i: int) -> Address:
    """An IPv6 address."""
    return Address(b"\xfd" + i.to_bytes(15, "big") + b"\x1f\x0a")


def named(i: int) -> Member:
    """A member at an IPv6 address, whose life began at a real time."""
    return Member(address(i), first_incarnation(LIFE + i), State.ALIVE, f"node-{i}")


def held(make: Callable[[], T]) -> tuple[T, int]:
    """What was made, and how many bytes it keeps."""
    tracemalloc.start()
    try:
        made = make()
        return made, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_a_ring_of_100_000_takes_at_most_2_megabytes(figure: Figure) -> None:
    members = [address(i) for i in range(7, N + 7)]  # equal rings share their bytes: no other is
    ring, taken = held(lambda: Ring(members))
    figure("bytes", f"{taken:,}")
    assert len(ring) == N
    assert N * 18 <= taken <= 2_000_000


def test_a_member_table_of_100_000_takes_at_most_25_megabytes(figure: Figure) -> None:
    """With ring, records and digests, and all that is remembered beside them."""

    def learned() -> View:
        view = View()
        view.merge(map(named, range(N)), 0)
        return view

    view, taken = held(learned)
    figure("bytes", f"{taken:,}")
    assert len(view) == N
    assert taken <= 25_000_000


def test_comparing_100_000_members_costs_less_than_200_bytes_or_8_kilobytes(
    figure: Figure,
) -> None:
    pair = Pair((), ())
    here = [Member(member(i), first_incarnation(1), name=f"node-{i}") for i in (0, 1)]
    for node in pair.nodes:
        node.context.view.merge([*map(named, range(N)), *here], 0)
    equal = pair.compare()
    pair.nodes[1].context.view.merge((named(N),), 0)
    different = pair.compare()
    figure("bytes between equal views, and where one member differs", f"{equal}, {different:,}")
    assert equal < 200
    assert 1_000 < different < 8_000
    assert pair.digests[0] == pair.digests[1]
    assert pair.compare() == equal


def test_a_data_frame_of_the_paper_takes_at_most_122_bytes_on_average(figure: Figure) -> None:
    """tests/paper/test_rmr.py holds the same over every message of the paper's runs."""
    figures = plan_figures(build_plan(500, 4, 0, Mode.STANDARD))
    mean = figures.frame_bytes / figures.frames
    figure("bytes of 100 that are payload", f"{mean:.2f}")
    assert mean <= 122
