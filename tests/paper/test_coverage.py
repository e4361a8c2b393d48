"""Paper, Standard Snow Broadcasting Mechanism: where views agree, everybody receives exactly once.

"Each node receives the message only once" (Conclusion), and with Node Coloring "every node receives
the same message twice", once in each tree.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Mode, Tree
from support.rings import addresses, any_addresses, fanouts, member, modes, orders, ring
from support.walks import Send, broadcast, of_tree, receivers, trees_of

FANOUTS = range(2, 17, 2)
ALL_ORIGINS_MAX = 48
SOME_ORIGINS_MAX = 80


def check_exactly_once(ring: Ring, origin: Address, sends: list[Send], mode: Mode) -> None:
    """Each tree reaches everybody but the origin, each once, and there is no other frame."""
    others = sorted(set(ring) - {origin})
    present = trees_of(mode, len(ring))
    for tree in present:
        assert sorted(receivers(of_tree(sends, tree))) == others, (tree, origin)
    assert len(sends) == len(present) * len(others)


@pytest.mark.parametrize("fanout", FANOUTS)
@pytest.mark.parametrize("mode", Mode)
def test_everybody_receives_exactly_once_in_every_small_cluster(mode: Mode, fanout: int) -> None:
    for n in range(1, ALL_ORIGINS_MAX + 1):
        members = ring(n)
        for origin in members:
            check_exactly_once(members, origin, broadcast(members, origin, fanout, mode), mode)


@pytest.mark.parametrize("fanout", FANOUTS)
@pytest.mark.parametrize("mode", Mode)
def test_and_in_every_larger_one_from_both_sides_of_the_seam(mode: Mode, fanout: int) -> None:
    for n in range(ALL_ORIGINS_MAX + 1, SOME_ORIGINS_MAX + 1):
        members = ring(n)
        for at in (0, 1, n // 2, n - 2, n - 1):
            origin = members[at]
            check_exactly_once(members, origin, broadcast(members, origin, fanout, mode), mode)


@pytest.mark.parametrize("mode", Mode)
def test_and_on_every_small_hashed_ring(mode: Mode) -> None:
    for n in range(1, 33):
        members = ring(n, RingOrder.HASHED)
        for origin in members:
            for fanout in (2, 4, 8):
                check_exactly_once(members, origin, broadcast(members, origin, fanout, mode), mode)


@given(st.integers(0, 1500), st.integers(0, 10**6), fanouts(32), modes(), orders())
def test_and_in_any_cluster_up_to_1500(
    size: int, at: int, fanout: int, mode: Mode, order: RingOrder
) -> None:
    members = ring(1 + size, order)
    origin = members[at % len(members)]
    check_exactly_once(members, origin, broadcast(members, origin, fanout, mode), mode)


@given(st.sets(any_addresses(), min_size=1, max_size=64), fanouts(), modes(), orders(), st.data())
def test_and_whatever_the_addresses_are(
    members: set[Address], fanout: int, mode: Mode, order: RingOrder, data: st.DataObject
) -> None:
    origin = data.draw(st.sampled_from(sorted(members)))
    on_ring = Ring(members, order)
    check_exactly_once(on_ring, origin, broadcast(on_ring, origin, fanout, mode), mode)


@pytest.mark.parametrize("n", [10, 11, 100, 101])
@pytest.mark.parametrize("mode", Mode)
def test_a_tree_looks_the_same_from_every_origin_even_over_the_seam(n: int, mode: Mode) -> None:
    """Paper, State Initialization: the ring is symmetric, any node can initiate."""
    members = ring(n)
    shapes = set()
    for origin in members:
        sends = broadcast(members, origin, 4, mode)
        shapes.add(tuple(relative(send, members, origin) for send in sends))
    assert len(shapes) == 1


def relative(send: Send, members: Ring, origin: Address) -> tuple[int, ...]:
    """A frame with every address as its distance from the origin."""
    region = send.assignment.region
    named = send.parent, send.child, region.left, region.right
    start = members.find(origin)
    return (send.tree, *((members.find(address) - start) % len(members) for address in named))


@pytest.mark.parametrize("mode", Mode)
def test_a_cluster_of_one_sends_nothing(mode: Mode) -> None:
    assert broadcast(ring(1), member(0), 4, mode) == []


@pytest.mark.parametrize("mode", Mode)
def test_a_cluster_of_two_sends_one_frame(mode: Mode) -> None:
    for origin, other in ((0, 1), (1, 0)):
        sends = broadcast(ring(2), member(origin), 4, mode)
        assert receivers(sends) == [member(other)]
        assert sends[0].assignment.is_leaf


@given(st.integers(3, 400), fanouts())
def test_with_coloring_everybody_receives_twice_and_the_origin_never(n: int, fanout: int) -> None:
    got = Counter(receivers(broadcast(ring(n), member(0), fanout, Mode.COLORING)))
    assert got == dict.fromkeys(addresses(n)[1:], 2)


@given(st.integers(2, 400), fanouts(), modes(), st.sampled_from(Tree))
def test_a_leaf_forwards_to_nobody_and_every_other_receiver_to_somebody(
    n: int, fanout: int, mode: Mode, tree: Tree
) -> None:
    sends = of_tree(broadcast(ring(n), member(n // 3), fanout, mode), tree)
    parents = {send.parent for send in sends}
    for send in sends:
        assert send.assignment.is_leaf == (send.child not in parents)
