"""Paper, Root Node Broadcasting and Algorithm 1, lines 15-20: equal parts, the relay in the middle.

Held against `twins.standard_children`, which takes a list of members and cuts plain slices.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import trees
from snowcast.core.address import Address
from snowcast.core.region import Region, midpoint
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Mode, Tree
from support import algorithm1, twins
from support.effort import THOROUGH
from support.rings import addresses, fanouts, member, number, orders, ring
from support.walks import broadcast

Pick = tuple[Address, Address, Address]


def children_in(line: list[Address], me: Address, fanout: int) -> list[Pick]:
    """What `children` makes of a region that begins and ends with members of `line`."""
    region = Region(line[0], line[-1])
    picked = trees.children(Ring(line), region, me, fanout, Tree.STANDARD, me)
    return [(each.region.left, each.child, each.region.right) for each in picked]


@pytest.mark.parametrize("fanout", range(2, 17, 2))
def test_children_are_the_naive_twins_for_every_place_in_every_small_region(fanout: int) -> None:
    for size in range(1, 64):
        line = addresses(size)
        for me in line:
            assert children_in(line, me, fanout) == twins.standard_children(line, me, fanout)


@THOROUGH
@given(st.integers(1, 1500), st.integers(0, 10**6), fanouts(64))
def test_and_in_regions_of_any_size(size: int, at: int, fanout: int) -> None:
    line = addresses(size)
    me = line[at % size]
    assert children_in(line, me, fanout) == twins.standard_children(line, me, fanout)


@given(st.integers(1, 400), st.integers(0, 10**6), fanouts(), orders())
def test_a_whole_broadcast_is_what_the_naive_twins_would_send(
    n: int, at: int, fanout: int, order: RingOrder
) -> None:
    line = twins.ring_sorted(addresses(n), order)
    origin = line[at % n]
    expected = set()
    todo = [(twins.whole_ring_of(line, origin), origin)]
    while todo:
        part, me = todo.pop()
        for first, relay, last in twins.standard_children(part, me, fanout):
            expected.add((me, first, relay, last))
            todo.append((part[part.index(first) : part.index(last) + 1], relay))
    sends = broadcast(ring(n, order), origin, fanout, Mode.STANDARD)
    regions = [(send.parent, send.child, send.assignment.region) for send in sends]
    assert {(me, region.left, relay, region.right) for me, relay, region in regions} == expected


def test_the_midpoint_is_line_17_of_algorithm_1() -> None:
    for low in range(20):
        for high in range(low, 40):
            assert midpoint(low, high) == (low + (high + 1)) // 2


def test_the_parts_of_a_side_differ_by_at_most_one_the_larger_first() -> None:
    """Root Node Broadcasting: each side is divided into k' equal regions, remainders spread."""
    for n in range(6, 200):
        for fanout in (2, 4, 8):
            if n - 1 <= fanout:
                continue
            picks = children_in(addresses(n), member(n // 2), fanout)
            for side in (picks[: fanout // 2], picks[fanout // 2 :]):
                sizes = [1 + number(last) - number(first) for first, _, last in side]
                assert sizes == sorted(sizes, reverse=True)
                assert sizes[0] - sizes[-1] <= 1


def test_the_middle_child_of_a_part_has_as_many_on_its_left_or_one_more() -> None:
    for n in range(6, 200):
        for first, relay, last in children_in(addresses(n), member(n // 2), 4):
            assert (number(relay) - number(first)) - (number(last) - number(relay)) in (0, 1)


def test_a_region_of_at_most_k_others_is_all_leaves() -> None:
    """Algorithm 1, lines 4-12."""
    for fanout in range(2, 17, 2):
        for size in range(1, fanout + 2):
            line = addresses(size)
            for me in line:
                assert children_in(line, me, fanout) == [(x, x, x) for x in line if x != me]
                literal = algorithm1.find_node(0, size - 1, line.index(me), fanout)
                assert literal == [(i, i, i) for i in range(size) if line[i] != me]
