"""The ring against sorted lists: membership, places, and what lies inside a region."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.region import Region
from snowcast.core.ring import Ring, RingOrder
from support import twins
from support.rings import addresses, any_addresses, member, orders, ring

FEW = st.integers(0, 11).map(member)  # so few that any two of them often meet
SOME = st.one_of(FEW, any_addresses())
REGIONS = st.builds(Region, SOME, SOME)


@given(st.lists(SOME), orders())
def test_a_ring_is_its_members_sorted_each_once(members: list[Address], order: RingOrder) -> None:
    ring = Ring(members, order)
    line = twins.ring_sorted(members, order)
    assert list(ring) == line
    assert [ring[index] for index in range(len(ring))] == line
    assert len(ring) == len(line)
    assert all(type(address) is Address for address in ring)


@given(st.lists(st.tuples(st.booleans(), FEW)), orders())
def test_a_ring_follows_a_sorted_list_through_any_changes(
    changes: list[tuple[bool, Address]], order: RingOrder
) -> None:
    ring, model, version = Ring((), order), set[Address](), 0
    for is_insert, address in changes:
        is_change = (address in model) is not is_insert
        assert (ring.insert if is_insert else ring.remove)(address) is is_change
        (model.add if is_insert else model.discard)(address)
        version += is_change
        assert list(ring) == twins.ring_sorted(model, order)
        assert ring.version == version


@given(st.lists(SOME), SOME, orders())
def test_members_are_found_at_their_index_and_others_not(
    members: list[Address], address: Address, order: RingOrder
) -> None:
    ring, line = Ring(members, order), twins.ring_sorted(members, order)
    assert ring.find(address) == (line.index(address) if address in line else -1)
    assert (address in ring) == (address in line)
    assert [ring.find(each) for each in line] == list(range(len(line)))


@given(st.lists(SOME), SOME, orders())
def test_the_position_of_an_address_counts_the_members_before_it(
    members: list[Address], address: Address, order: RingOrder
) -> None:
    before = [x for x in set(members) if twins.place(x, order) < twins.place(address, order)]
    assert Ring(members, order).position(address) == len(before)


@given(st.lists(SOME), REGIONS, orders())
def test_the_members_inside_a_region_are_those_the_naive_twin_finds(
    members: list[Address], region: Region, order: RingOrder
) -> None:
    ring, inside = Ring(members, order), twins.members_inside(members, region, order)
    assert ring.members(region) == inside
    start, count = ring.span(region)
    assert count == len(inside)
    assert [ring[(start + offset) % len(ring)] for offset in range(count)] == inside


@pytest.mark.parametrize("order", RingOrder)
def test_every_region_of_a_small_ring_holds_what_the_naive_twin_finds(order: RingOrder) -> None:
    every = addresses(7)
    for present in range(1 << len(every)):
        members = [address for i, address in enumerate(every) if present >> i & 1]
        ring = Ring(members, order)
        for left in every:
            for right in every:
                region = Region(left, right)
                inside = twins.members_inside(members, region, order)
                assert ring.members(region) == inside
                offsets = [ring.offset(each, *ring.span(region)) for each in every]
                assert offsets == [inside.index(x) if x in inside else -1 for x in every]


@given(SOME, REGIONS, orders())
def test_a_region_covers_the_addresses_that_the_naive_twin_meets(
    address: Address, region: Region, order: RingOrder
) -> None:
    assert Ring((), order).covers(region, address) == twins.is_inside(address, region, order)
    assert Ring((), order).covers(region, region.left)
    assert Ring((), order).covers(region, region.right)


@given(st.lists(SOME), REGIONS, orders())
def test_a_member_is_covered_just_when_it_is_inside(
    members: list[Address], region: Region, order: RingOrder
) -> None:
    ring = Ring(members, order)
    assert [x for x in ring if ring.covers(region, x)] == sorted(
        ring.members(region), key=ring.find
    )


@given(st.lists(SOME), REGIONS, SOME, orders())
def test_the_offset_of_an_address_is_its_place_in_the_naive_twins_list(
    members: list[Address], region: Region, address: Address, order: RingOrder
) -> None:
    ring, inside = Ring(members, order), twins.members_inside(members, region, order)
    start, count = ring.span(region)
    for each in [address, *members]:
        expected = inside.index(each) if each in inside else -1
        assert ring.offset(each, start, count) == expected


def test_a_region_that_wraps_is_read_over_the_seam() -> None:
    wrapped = ring(6).members(Region(member(4), member(1)))
    assert wrapped == [member(4), member(5), member(0), member(1)]


def test_the_boundaries_of_a_region_need_not_be_members() -> None:
    even = Ring([member(0), member(2), member(4), member(6)])
    assert even.members(Region(member(1), member(5))) == [member(2), member(4)]
    assert even.members(Region(member(5), member(1))) == [member(6), member(0)]
    assert even.members(Region(member(7), member(9))) == []
    assert even.members(Region(member(9), member(7))) == list(even)
    assert even.members(Region(member(3), member(3))) == []


@given(st.lists(SOME), st.lists(SOME), orders())
def test_a_ring_with_extra_members_leaves_the_first_as_it_was(
    members: list[Address], extra: list[Address], order: RingOrder
) -> None:
    ring = Ring(members, order)
    before, version = list(ring), ring.version
    both = ring.with_members(extra)
    assert list(both) == twins.ring_sorted(members + extra, order)
    assert both.order is order
    both.insert(member(12))
    both.remove(member(0))
    assert (list(ring), ring.version) == (before, version)


@pytest.mark.parametrize("index", [-4, -1, 3, 100])
def test_an_index_outside_the_ring_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError, match=f"no member at {index} of 3"):
        ring(3)[index]


def test_a_new_ring_is_empty_and_in_address_order() -> None:
    ring = Ring()
    assert (len(ring), list(ring), ring.order, ring.version) == (0, [], RingOrder.ADDRESS, 0)
    assert ring.find(member(0)) == -1
    assert ring.position(member(0)) == 0
    assert ring.members(Region(member(0), member(1))) == []


def test_a_hashed_ring_places_neighbours_apart() -> None:
    hashed = list(ring(100, RingOrder.HASHED))
    assert sorted(hashed) == addresses(100)
    assert hashed == sorted(addresses(100), key=Address.hashed) != addresses(100)


@given(st.lists(FEW, min_size=1), FEW, orders(), st.data())
def test_an_offset_is_how_far_a_member_is_behind_another_if_it_is_among_so_many(
    members: list[Address], sought: Address, order: RingOrder, data: st.DataObject
) -> None:
    ring = Ring(members, order)
    start = data.draw(st.integers(0, len(ring) - 1))
    count = data.draw(st.integers(0, len(ring)))
    line = twins.ring_sorted(members, order)
    part = [*line[start:], *line[:start]][:count]
    assert ring.offset(sought, start, count) == (part.index(sought) if sought in part else -1)


@pytest.mark.parametrize("order", RingOrder)
def test_a_million_members_are_held_and_found(order: RingOrder) -> None:
    members = addresses(1_000_000)
    ring = Ring(members, order)
    assert len(ring) == len(members)
    for address in Random(1).sample(members, 1000):
        assert ring[ring.find(address)] == address
    assert member(1_000_000) not in ring
    assert ring.insert(member(1_000_000))
    assert ring.remove(member(0))
    assert len(ring) == len(members)


def test_a_ring_knows_that_it_is_as_it_was_when_it_was_copied() -> None:
    members = ring(5)
    copy = members.with_members(())
    assert members.is_unchanged_since(copy)
    assert not members.remove(member(7))
    assert members.is_unchanged_since(copy)
    assert members.insert(member(7))
    assert not members.is_unchanged_since(copy)


def test_rings_that_are_made_of_the_same_members_share_them() -> None:
    assert ring(5).is_unchanged_since(ring(5))
    assert not ring(5).is_unchanged_since(ring(6))
