"""Paper, Stable Environment: at most k sends a node, k + 1 at the origin of a coloring broadcast.

And Root Node Broadcasting: how a node shares its k slots between its two sides (DESIGN 4.3).
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import trees
from snowcast.core.address import Address
from snowcast.core.region import Region, share_slots
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode, Tree
from support import twins
from support.effort import THOROUGH
from support.rings import addresses, fanouts, member, orders, ring
from support.walks import broadcast

FANOUTS = range(2, 17, 2)


def fanout_of_each(n: int, origin: Address, fanout: int, mode: Mode) -> Counter[Address]:
    """How many frames each node sends in one broadcast, in all trees together."""
    return Counter(send.parent for send in broadcast(ring(n), origin, fanout, mode))


@pytest.mark.parametrize("fanout", FANOUTS)
def test_in_a_standard_broadcast_nobody_sends_more_than_k(fanout: int) -> None:
    for n in range(1, 130):
        sent = fanout_of_each(n, member(n // 3), fanout, Mode.STANDARD)
        assert max(sent.values(), default=0) <= fanout
        assert sent[member(n // 3)] == min(fanout, n - 1)


@pytest.mark.parametrize("fanout", FANOUTS)
def test_in_a_coloring_broadcast_only_the_origin_sends_one_more(fanout: int) -> None:
    for n in range(3, 130):
        origin = member(n // 3)
        sent = fanout_of_each(n, origin, fanout, Mode.COLORING)
        assert sent.pop(origin) == min(fanout, n - 1) + 1
        assert max(sent.values()) <= fanout


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("fanout", FANOUTS)
def test_and_from_every_origin_in_every_small_cluster(fanout: int, mode: Mode) -> None:
    for n in range(3, 25):
        for origin in addresses(n):
            sent = fanout_of_each(n, origin, fanout, mode)
            assert sent.pop(origin) == min(fanout, n - 1) + (mode is Mode.COLORING)
            assert max(sent.values(), default=0) <= fanout


@given(st.integers(130, 1500), st.integers(0, 1499), fanouts(64), orders(), st.sampled_from(Mode))
def test_and_in_any_cluster_up_to_1500(
    n: int, at: int, fanout: int, order: RingOrder, mode: Mode
) -> None:
    members = ring(n, order)
    origin = members[at % n]
    sent = Counter(send.parent for send in broadcast(members, origin, fanout, mode))
    assert sent.pop(origin) == fanout + (mode is Mode.COLORING)
    assert max(sent.values(), default=0) <= fanout


@given(st.integers(3, 400), fanouts())
def test_the_extra_frame_of_the_origin_founds_the_secondary_tree(n: int, fanout: int) -> None:
    origin = member(n // 2)
    sends = broadcast(ring(n), origin, fanout, Mode.COLORING)
    founding = [send for send in sends if send.tree is Tree.SECONDARY and send.parent == origin]
    assert [send.child for send in founding] == [member(n // 2 - 1)]


@given(st.integers(1, 1500), fanouts(64), orders())
def test_an_origin_divides_the_slots_evenly_and_its_left_gets_the_extra_member(
    n: int, fanout: int, order: RingOrder
) -> None:
    members = ring(n, order)
    origin = members[n // 5]
    line = members.members(trees.whole_ring(members, origin))
    left, right = line.index(origin), n - 1 - line.index(origin)
    assert left - right in (0, 1)
    if n - 1 > fanout:
        assert share_slots(fanout, left, right) == (fanout // 2, fanout // 2)


@THOROUGH
@given(st.integers(2, 200), st.integers(0, 199), fanouts())
def test_a_node_off_the_middle_of_its_region_shares_its_slots_by_the_sides_sizes(
    size: int, at: int, fanout: int
) -> None:
    line = addresses(size)
    at %= size
    region = Region(line[0], line[-1])
    picked = trees.children(ring(size), region, line[at], fanout, Tree.STANDARD, line[at])
    on_left = sum(each.child < line[at] for each in picked)
    assert (on_left, len(picked) - on_left) == twins.shares(fanout, at, size - 1 - at)


@THOROUGH
@given(st.integers(2, 200), st.integers(0, 199), fanouts())
def test_no_part_is_more_than_its_fair_share_and_one_slot(size: int, at: int, fanout: int) -> None:
    """What keeps the tree balanced: on each side the parts differ by at most one member."""
    line = addresses(size)
    at %= size
    region = Region(line[0], line[-1])
    members = ring(size)
    picked = trees.children(members, region, line[at], fanout, Tree.STANDARD, line[at])
    for side in (True, False):
        sizes = [
            len(members.members(each.region)) for each in picked if (each.child < line[at]) is side
        ]
        assert sizes == sorted(sizes, reverse=True)
        assert max(sizes, default=0) - min(sizes, default=0) <= 1
