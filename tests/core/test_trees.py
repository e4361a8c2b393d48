"""Children of one node: literal cases, refusals, naive twins. The theorems are in tests/paper."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import trees
from snowcast.core.address import Address
from snowcast.core.errors import FrameError, UsageError
from snowcast.core.region import Region
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import FANOUT_MAX, Assignment, Mode, Tree
from support import twins
from support.effort import THOROUGH, seeds
from support.rings import addresses, fanouts, member, number, ring
from support.walks import View, planning_ring

Numbers = list[tuple[int, int, int]]


def plan(
    n: int, left: int, right: int, me: int, fanout: int, tree: Tree = Tree.STANDARD, origin: int = 0
) -> Numbers:
    """The children that `me` picks, as (left, child, right) by their numbers."""
    region = Region(member(left), member(right))
    picked = trees.children(ring(n), region, member(me), fanout, tree, member(origin))
    return [
        (number(each.region.left), number(each.child), number(each.region.right)) for each in picked
    ]


def test_an_origin_of_ten_with_fanout_2_halves_each_side() -> None:
    assert plan(10, 0, 9, me=5, fanout=2) == [(0, 2, 4), (6, 8, 9)]


def test_an_origin_of_ten_with_fanout_4_quarters_the_ring() -> None:
    expected = [(0, 1, 2), (3, 4, 4), (6, 7, 7), (8, 9, 9)]
    assert plan(10, 0, 9, me=5, fanout=4) == expected


def test_a_coloring_origin_sends_to_its_own_colour() -> None:
    expected = [(0, 1, 2), (3, 3, 4), (6, 7, 7), (8, 9, 9)]
    assert plan(10, 0, 9, me=5, fanout=4, tree=Tree.PRIMARY, origin=5) == expected


def test_a_coloring_side_short_of_its_colour_takes_the_other_as_leaves() -> None:
    picked = plan(8, 0, 6, me=3, fanout=4, tree=Tree.PRIMARY, origin=3)
    assert picked == [(0, 0, 0), (1, 1, 2), (4, 5, 5), (6, 6, 6)]
    assert plan(8, 0, 4, me=2, fanout=2, tree=Tree.PRIMARY, origin=2) == [(0, 0, 1), (3, 4, 4)]


def test_a_region_of_at_most_fanout_others_is_all_leaves() -> None:
    assert plan(9, 2, 6, me=3, fanout=4) == [(2, 2, 2), (4, 4, 4), (5, 5, 5), (6, 6, 6)]


def test_a_node_alone_in_its_region_has_no_children() -> None:
    assert plan(9, 3, 3, me=3, fanout=4) == []


def test_the_node_at_the_end_of_its_region_has_children_on_one_side_only() -> None:
    assert plan(20, 0, 12, me=0, fanout=4) == [(1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)]
    assert plan(20, 0, 12, me=12, fanout=4) == [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)]


def test_a_small_side_gets_one_slot_and_a_large_side_the_rest() -> None:
    picked = plan(20, 0, 12, me=1, fanout=4)
    assert picked == [(0, 0, 0), (2, 4, 5), (6, 8, 9), (10, 11, 12)]


@pytest.mark.parametrize("tree", Tree)
def test_a_region_without_its_receiver_is_a_bad_frame(tree: Tree) -> None:
    with pytest.raises(FrameError, match="does not contain its receiver"):
        plan(20, 4, 9, me=3, fanout=4, tree=tree)
    with pytest.raises(FrameError, match="does not contain its receiver"):
        plan(20, 15, 2, me=3, fanout=4, tree=tree)


def test_a_node_that_is_not_on_the_ring_cannot_plan() -> None:
    with pytest.raises(UsageError, match=r"10\.0\.0\.20:7946 is not on the ring"):
        plan(20, 0, 19, me=20, fanout=4)
    with pytest.raises(UsageError, match="not on the ring"):
        trees.roots(ring(20), member(20), Mode.STANDARD)


@pytest.mark.parametrize("fanout", [-2, 0, 1, 3, 7, 255, 257, 258])
def test_an_odd_or_senseless_fanout_is_refused(fanout: int) -> None:
    with pytest.raises(UsageError, match=f"even and from 2 to 256, not {fanout}$"):
        trees.check_fanout(fanout)


def test_an_even_fanout_is_taken() -> None:
    for fanout in range(2, FANOUT_MAX + 1, 2):
        trees.check_fanout(fanout)


def test_an_assignment_without_boundaries_is_a_leaf_and_covers_itself() -> None:
    one, two = member(1), member(2)
    assert Assignment(one, None, None).is_leaf
    assert Assignment(one, None, None).region == Region(one, one)
    assert Assignment(one, None, two).region == Region(one, two)
    assert not Assignment(one, None, two).is_leaf
    assert not Assignment(two, one, None).is_leaf


def test_a_child_that_is_a_boundary_of_its_own_region_is_not_named_twice() -> None:
    whole = Region(member(0), member(9))
    picked = trees.children(ring(10), whole, member(5), 4, Tree.STANDARD, member(5))
    assert picked[1] == Assignment(member(4), member(3), None)
    assert all(each.child not in (each.left, each.right) for each in picked)


def test_a_root_is_in_the_middle_of_its_region() -> None:
    assert trees.whole_ring(ring(10), member(5)) == Region(member(0), member(9))
    assert trees.whole_ring(ring(10), member(0)) == Region(member(5), member(4))
    assert trees.whole_ring(ring(9), member(0)) == Region(member(5), member(4))
    assert trees.whole_ring(ring(1), member(0)) == Region(member(0), member(0))


def test_every_whole_ring_is_the_naive_twins() -> None:
    for n in range(1, 40):
        for root in addresses(n):
            line = twins.whole_ring_of(addresses(n), root)
            region = trees.whole_ring(ring(n), root)
            assert ring(n).members(region) == line
            assert line.index(root) == n // 2


def case(seed: int) -> tuple[Ring, Region, Address]:
    """A ring with gaps, a region of it whose ends may be gaps, and a member inside."""
    random = Random(seed)
    density, order = random.random(), random.choice(list(RingOrder))
    members = [x for x in addresses(80) if random.random() < density] or addresses(1)
    me = random.choice(members)
    line = twins.whole_ring_of(twins.ring_sorted(addresses(80), order), me)
    at = line.index(me)
    left, right = random.randint(0, at), random.randint(at, len(line) - 1)
    return Ring(members, order), Region(line[left], line[right]), me


@THOROUGH
@given(seeds(), fanouts())
def test_standard_children_are_the_naive_twins(seed: int, fanout: int) -> None:
    ring, region, me = case(seed)
    line = twins.members_inside(ring, region, ring.order)
    picked = trees.children(ring, region, me, fanout, Tree.STANDARD, me)
    assert as_picks(picked) == twins.standard_children(line, me, fanout)


@THOROUGH
@given(seeds(), fanouts(), st.integers(0, 79).map(member))
def test_coloring_children_are_the_naive_twins(seed: int, fanout: int, origin: Address) -> None:
    ring, region, me = case(seed)
    line = twins.members_inside(ring, region, ring.order)
    for tree, absent in ((Tree.PRIMARY, None), (Tree.SECONDARY, origin)):
        picked = trees.children(ring, region, me, fanout, tree, origin)
        expected = twins.coloring_children(line, me, fanout, absent)
        if expected is not None:
            assert as_picks(picked) == expected


@THOROUGH
@given(seeds(), fanouts(), st.sampled_from(Tree), st.integers(0, 79).map(member))
def test_whoever_is_in_the_region_is_in_exactly_one_part(
    seed: int, fanout: int, tree: Tree, origin: Address
) -> None:
    ring, region, me = case(seed)
    picked = trees.children(ring, region, me, fanout, tree, origin)
    parts = [x for each in picked for x in ring.members(each.region)]
    nobodys = {me, origin} if tree is Tree.SECONDARY else {me}
    inside = [x for x in ring.members(region) if x not in nobodys]
    assert [x for x in parts if x not in nobodys] == inside
    assert me not in parts
    assert all(ring.covers(each.region, each.child) for each in picked)
    assert len(picked) <= fanout
    if tree is Tree.SECONDARY:
        assert origin not in {each.child for each in picked}


@THOROUGH
@given(seeds(), fanouts(), st.sampled_from(Tree))
def test_a_plan_leaves_the_ring_as_it_was(seed: int, fanout: int, tree: Tree) -> None:
    ring, region, me = case(seed)
    before, version = list(ring), ring.version
    trees.children(ring, region, me, fanout, tree, me)
    assert (list(ring), ring.version) == (before, version)


def test_an_unknown_boundary_is_a_candidate_and_one_known_to_have_left_is_not() -> None:
    known = Ring([member(2), member(4), member(6)])
    work = Assignment(member(4), member(1), member(7))
    for departed, expected in (
        (frozenset[Address](), [1, 2, 6, 7]),
        (frozenset([member(1)]), [2, 6, 7]),
        (frozenset([member(1), member(7)]), [2, 6]),
    ):
        planning = planning_ring(View(known, departed), member(4), work)
        picked = trees.children(planning, work.region, member(4), 4, Tree.STANDARD, member(0))
        assert [number(each.child) for each in picked] == expected
    assert list(known) == [member(2), member(4), member(6)]


def as_picks(picked: tuple[Assignment, ...]) -> list[twins.Pick]:
    return [(each.region.left, each.child, each.region.right) for each in picked]
