"""Compiled planning: the same children as the core's, region by region."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import region, trees
from snowcast.core.region import Region
from snowcast.core.trees import Tree
from support.effort import THOROUGH
from support.rings import fanouts, number, ring

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
kernel = pytest.importorskip("snowcast.kernels.children", reason=WHY)


def planned(count: int, at: int, absent: int, fanout: int, is_colored: bool) -> list[tuple]:
    picks = np.full((fanout, 3), -7, np.int32)
    scratch = np.full((2, 2 * fanout + 2), -7, np.int32)
    filled = kernel.plan(count, at, absent, fanout, is_colored, picks, scratch)
    return [tuple(map(int, row)) for row in picks[:filled]]


def planned_by_core(count: int, at: int, absent: int, fanout: int, tree: Tree) -> list[tuple]:
    """The core's children of one member of a ring that is all one region, as offsets."""
    members = ring(count)
    origin = members[absent] if absent >= 0 else members[at]
    whole = Region(members[0], members[count - 1])
    found = trees.children(members, whole, members[at], fanout, tree, origin)
    return [
        (number(each.region.left), number(each.child), number(each.region.right)) for each in found
    ]


@st.composite
def regions(draw: st.DrawFn, count_max: int = 400) -> tuple[int, int, int]:
    """A region's size, who plans it, and who is absent from it: anybody else, or nobody."""
    count = draw(st.integers(1, count_max))
    at = draw(st.integers(0, count - 1))
    absent = draw(st.integers(-1, count - 1).filter(lambda offset: offset != at))
    return count, at, absent


@THOROUGH
@given(regions(), fanouts())
def test_in_the_standard_tree_the_children_are_the_cores(
    of: tuple[int, int, int], fanout: int
) -> None:
    count, at, _ = of
    expected = planned_by_core(count, at, -1, fanout, Tree.STANDARD)
    assert planned(count, at, -1, fanout, False) == expected


@THOROUGH
@given(regions(), fanouts())
def test_in_the_secondary_tree_the_children_are_the_cores_wherever_the_origin_is(
    of: tuple[int, int, int], fanout: int
) -> None:
    count, at, absent = of
    expected = planned_by_core(count, at, absent, fanout, Tree.SECONDARY)
    assert planned(count, at, absent, fanout, True) == expected


@pytest.mark.parametrize("fanout", [2, 4, 6, 8])
def test_every_small_region_is_planned_as_by_the_core(fanout: int) -> None:
    for count in range(1, 3 * fanout + 6):
        for at in range(count):
            for absent in range(-1, count):
                if absent != at:
                    expected = planned_by_core(count, at, absent, fanout, Tree.SECONDARY)
                    assert planned(count, at, absent, fanout, True) == expected, (count, at, absent)


@given(st.integers(1, 20), st.integers(0, 1_000_000), st.integers(0, 1_000_000))
def test_slots_are_shared_as_by_the_core(slots: int, left: int, right: int) -> None:
    if slots == 1:
        left = 0  # one slot cannot serve two sides; the core never asks
    assert kernel.share_slots(slots, left, right) == region.share_slots(slots, left, right)
