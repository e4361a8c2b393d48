"""Paper, Algorithm 1: read literally it drops the remainder of each division, and loses nodes.

The first entry of docs/DECISIONS.md: parts differ by at most one member instead (DESIGN 4.2).
"""

from __future__ import annotations

import pytest

from snowcast.core.trees import Mode
from support import algorithm1
from support.rings import addresses, member, ring
from support.walks import broadcast, receivers

LOST = [
    (4, 50, 5),
    (4, 100, 15),
    (4, 500, 159),
    (4, 1000, 147),
    (8, 100, 27),
    (8, 500, 43),
    (8, 1000, 415),
]


@pytest.mark.parametrize(("k", "n", "lost"), LOST)
def test_the_printed_algorithm_never_reaches_some_nodes(k: int, n: int, lost: int) -> None:
    assert n - len(algorithm1.reached(n, k)) == lost


def test_with_a_fanout_of_two_there_is_no_remainder_and_nobody_is_lost() -> None:
    for n in range(1, 600):
        assert algorithm1.reached(n, 2) == set(range(n))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("k", "n", "lost"), LOST)
def test_ours_reaches_all_of_them(k: int, n: int, lost: int, mode: Mode) -> None:
    origin = member(n // 2)
    got = {origin, *receivers(broadcast(ring(n), origin, k, mode))}
    assert got == set(addresses(n))


def test_where_every_division_comes_out_even_both_pick_the_same_children() -> None:
    """The repair changes nothing else: with no remainder it is Algorithm 1."""
    for k, n in ((2, 7), (2, 31), (4, 21), (4, 85), (4, 341)):
        by_parent: dict[int, list[algorithm1.Pick]] = {}
        for send in broadcast(ring(n), member(n // 2), k, Mode.STANDARD):
            region, line = send.assignment.region, addresses(n)
            pick = tuple(line.index(x) for x in (region.left, send.child, region.right))
            by_parent.setdefault(line.index(send.parent), []).append(pick)  # type: ignore[arg-type]
        literal = algorithm1.find_node(0, n - 1, n // 2, k)
        assert sorted(by_parent[n // 2]) == sorted(literal)
        assert algorithm1.reached(n, k) == set(range(n))
