"""Sharing out offsets: splits, midpoints and slots, against naive twins (DESIGN 4.2, 4.3)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.region import Region, midpoint, share_slots, split
from support import twins
from support.rings import addresses, member

SIZES = range(40)
SLOTS = range(2, 18, 2)


def test_a_region_is_its_two_boundaries() -> None:
    assert Region(member(1), member(2)) == Region(left=member(1), right=member(2))
    assert Region(member(1), member(2)) != Region(member(2), member(1))


def test_a_split_is_literal() -> None:
    assert split(0, 9, 4) == [(0, 2), (3, 5), (6, 7), (8, 9)]
    assert split(5, 5, 1) == [(5, 5)]
    assert split(3, 6, 2) == [(3, 4), (5, 6)]


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 256))
def test_the_runs_of_a_split_follow_on_each_other_and_lose_nothing(
    first: int, size: int, parts: int
) -> None:
    runs = split(first, first + size - 1, parts)
    assert len(runs) == parts
    assert runs[0][0] == first
    assert runs[-1][1] == first + size - 1
    assert all(after[0] == before[1] + 1 for before, after in pairwise(runs))


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 256))
def test_the_runs_of_a_split_differ_by_at_most_one_and_the_larger_come_first(
    first: int, size: int, parts: int
) -> None:
    sizes = [high - low + 1 for low, high in split(first, first + size - 1, parts)]
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)


def test_a_split_agrees_with_the_naive_twin() -> None:
    for size in range(1, 60):
        side = addresses(size)
        for parts in range(1, 20):
            runs = split(0, size - 1, parts)
            assert [side[low : high + 1] for low, high in runs] == twins.chop(side, parts)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_midpoint_is_the_middle_member_or_the_right_one_of_the_two(low: int, size: int) -> None:
    high = low + size
    relay = midpoint(low, high)
    assert low <= relay <= high
    assert (relay - low) - (high - relay) in (0, 1)


def test_the_midpoint_is_literal() -> None:
    assert [midpoint(0, high) for high in range(6)] == [0, 1, 1, 2, 2, 3]


def test_slots_are_shared_as_the_naive_twin_shares_them() -> None:
    for slots in SLOTS:
        for left in SIZES:
            for right in SIZES:
                expected = twins.shares(slots, left, right)
                assert share_slots(slots, left, right) == expected, (slots, left, right)


@given(st.integers(1, 128).map(lambda half: 2 * half), st.integers(0, 10**7), st.integers(0, 10**7))
def test_slots_are_all_used_and_neither_side_starves_nor_hoards(
    slots: int, left: int, right: int
) -> None:
    to_left, to_right = share_slots(slots, left, right)
    assert to_left + to_right == min(slots, left + right)
    assert (left > 0) <= to_left <= left
    assert (right > 0) <= to_right <= right


@given(st.integers(1, 128).map(lambda half: 2 * half), st.integers(1, 10**7), st.integers(1, 10**7))
def test_slots_follow_the_sizes_of_the_sides_within_one(slots: int, left: int, right: int) -> None:
    if left + right > slots:
        to_left, _ = share_slots(slots, left, right)
        assert abs(to_left * (left + right) - slots * left) < left + right


def test_a_side_that_is_small_but_not_empty_keeps_one_slot() -> None:
    assert share_slots(4, 1, 1000) == (1, 3)
    assert share_slots(4, 1000, 1) == (3, 1)


def test_a_side_that_is_empty_gets_none() -> None:
    assert share_slots(4, 0, 1000) == (0, 4)
    assert share_slots(4, 1000, 0) == (4, 0)


def test_equal_sides_or_nearly_share_equally() -> None:
    for slots in SLOTS:
        for right in range(slots, 200):
            assert share_slots(slots, right, right) == (slots // 2, slots // 2)
            assert share_slots(slots, right + 1, right) == (slots // 2, slots // 2)


def test_with_as_many_slots_as_members_each_has_one() -> None:
    assert share_slots(4, 3, 1) == (3, 1)
    assert share_slots(4, 0, 0) == (0, 0)
    assert share_slots(4, 1, 1) == (1, 1)
