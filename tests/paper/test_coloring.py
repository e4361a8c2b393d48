"""Paper, Node Coloring, and the appendices Leaf Node Proof and Disjoint Paths Proof.

The colour of a member is the parity of its distance from the origin in "a logical list based on the
ring, which places the root node in the middle".
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import trees
from snowcast.core.address import Address
from snowcast.core.region import Region, share_slots
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Mode, Tree
from support.rings import addresses, fanouts, member, orders, ring
from support.walks import Send, broadcast, internal, of_tree, receivers

FANOUTS = range(2, 17, 2)
N_MAX, ALL_ORIGINS_MAX = 120, 20
LEFT, RIGHT = -1, 1
Cluster = tuple[Ring, Address, int, list[Send]]


@pytest.fixture(params=[LEFT, RIGHT], ids=["left", "right"])
def step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Where the secondary root stands: the paper's left neighbour or, as good, the right one."""
    assert trees.SECONDARY_ROOT_STEP == LEFT
    monkeypatch.setattr(trees, "SECONDARY_ROOT_STEP", request.param)
    return int(request.param)


def clusters(n_max: int = N_MAX) -> Iterator[Cluster]:
    """A coloring broadcast in a cluster of every size: from every origin where it is small, else
    from one, which may be on either side of the seam."""
    for fanout in FANOUTS:
        for n in range(3, n_max + 1):
            members = ring(n)
            one = (0, 1, n // 2, n - 1)[n % 4]
            for at in range(n) if n <= ALL_ORIGINS_MAX else (one,):
                sends = broadcast(members, members[at], fanout, Mode.COLORING)
                yield members, members[at], fanout, sends


def colours(members: Ring, origin: Address) -> dict[Address, int]:
    """0 for the origin's own colour, 1 for the other."""
    line = members.members(trees.whole_ring(members, origin))
    return {each: (i - line.index(origin)) % 2 for i, each in enumerate(line)}


def test_members_of_the_other_colour_are_leaves(step: int) -> None:
    """Leaf Node Proof: if the root is an odd node, then every even node is a leaf."""
    for members, origin, _, sends in clusters():
        colour = colours(members, origin)
        assert {colour[x] for x in internal(of_tree(sends, Tree.PRIMARY))} == {0}
        forwarders = internal(of_tree(sends, Tree.SECONDARY)) - {origin}
        assert {colour[x] for x in forwarders} <= {1}


def test_no_node_forwards_in_both_trees(step: int) -> None:
    """Disjoint Paths Proof: the internal nodes of one tree are leaves of the other."""
    for _, origin, _, sends in clusters():
        primary = internal(of_tree(sends, Tree.PRIMARY))
        secondary = internal(of_tree(sends, Tree.SECONDARY))
        assert primary & secondary <= {origin}


def test_the_two_paths_to_a_node_share_nothing_but_their_ends(step: int) -> None:
    """Disjoint Paths Proof: "two disjoint access paths" for any node."""
    for members, origin, _, sends in clusters(60):
        parents = {tree: parents_in(sends, tree) for tree in Tree}
        for node in members:
            if node != origin:
                primary = path(parents[Tree.PRIMARY], node)
                secondary = path(parents[Tree.SECONDARY], node)
                assert primary[-1] == secondary[-1] == origin
                assert not set(primary[1:-1]) & set(secondary[1:-1])


def parents_in(sends: list[Send], tree: Tree) -> dict[Address, Address]:
    return {send.child: send.parent for send in of_tree(sends, tree)}


def path(parents: dict[Address, Address], node: Address) -> list[Address]:
    """From `node` up to whoever has no parent."""
    way = [node]
    while way[-1] in parents:
        way.append(parents[way[-1]])
    return way


def test_one_node_that_is_dead_or_slow_keeps_the_message_from_nobody_else(step: int) -> None:
    """Node Coloring: "as long as one path successfully propagates the message"."""
    for members, origin, _, sends in clusters(24):
        for dead in members:
            if dead != origin:
                assert reached_without(sends, origin, dead) == set(members) - {dead}


def reached_without(sends: list[Send], origin: Address, dead: Address) -> set[Address]:
    """Who has the message when `dead` forwards nothing; sends stand in order of hops."""
    got = {(origin, tree) for tree in Tree}
    for send in sends:
        if (send.parent, send.tree) in got and send.child != dead:
            got.add((send.child, send.tree))
    return {node for node, _ in got}


@given(st.integers(3, 1500), st.integers(0, 10**6), fanouts(), orders())
def test_leaves_and_disjoint_paths_hold_in_any_cluster_up_to_1500(
    n: int, at: int, fanout: int, order: RingOrder
) -> None:
    members = ring(n, order)
    origin = members[at % n]
    sends = broadcast(members, origin, fanout, Mode.COLORING)
    colour = colours(members, origin)
    assert {colour[x] for x in internal(of_tree(sends, Tree.PRIMARY))} == {0}
    forwarders = internal(of_tree(sends, Tree.SECONDARY)) - {origin}
    assert {colour[x] for x in forwarders} <= {1}


def test_a_side_with_enough_of_the_senders_colour_gets_only_that_and_else_all_of_it() -> None:
    """Node Coloring: the other colour only if "fewer than k' odd nodes are available"."""
    for n in range(3, 90):
        for at in range(n):
            for fanout in (2, 4, 8):
                check_preference(n, at, fanout)


def check_preference(n: int, at: int, fanout: int) -> None:
    line = addresses(n)
    region = Region(line[0], line[-1])
    picked = trees.children(ring(n), region, line[at], fanout, Tree.PRIMARY, line[at])
    children = {line.index(each.child) for each in picked}
    if n - 1 <= fanout:
        return
    slots = share_slots(fanout, at, n - 1 - at)
    for side, share in zip((range(at), range(at + 1, n)), slots, strict=True):
        same = {i for i in side if (i - at) % 2 == 0}
        chosen = children & set(side)
        assert chosen <= same if len(same) >= share else chosen >= same
        assert len(chosen) == share


def test_the_secondary_root_is_the_origins_left_neighbour_with_the_origins_own_region() -> None:
    """Node Coloring, Secondary Tree: N_-1, and "the initial boundaries ... are the same"."""
    for n in range(3, 40):
        members = ring(n)
        for at, origin in enumerate(members):
            (first, own), (second, root) = trees.roots(members, origin, Mode.COLORING)
            assert (first, second) == (Tree.PRIMARY, Tree.SECONDARY)
            assert (own.child, root.child) == (origin, members[(at - 1) % n])
            assert own.region == root.region == trees.whole_ring(members, origin)


def test_the_right_neighbour_serves_as_well() -> None:
    for n in range(3, 40):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trees, "SECONDARY_ROOT_STEP", RIGHT)
            sends = broadcast(ring(n), member(0), 4, Mode.COLORING)
        secondary = of_tree(sends, Tree.SECONDARY)
        assert secondary[0].child == member(1)
        assert sorted(receivers(secondary)) == addresses(n)[1:]


def test_the_origin_is_never_a_target_in_the_secondary_tree(step: int) -> None:
    for _, origin, _, sends in clusters():
        assert origin not in receivers(sends)


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_members_have_no_secondary_tree(n: int) -> None:
    for origin in addresses(n):
        assert [tree for tree, _ in trees.roots(ring(n), origin, Mode.COLORING)] == [Tree.PRIMARY]


def test_a_standard_broadcast_has_one_tree() -> None:
    expected = trees.Assignment(member(5), member(0), member(9))
    assert trees.roots(ring(10), member(5), Mode.STANDARD) == [(Tree.STANDARD, expected)]
