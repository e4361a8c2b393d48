"""One k-ary tree over the sorted view, for all origins, and another one when the view changes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.baselines.static_tree import StaticTree, edges
from snowcast.core.config import SECOND
from snowcast.core.frames import Data
from support.lone import sends
from support.rings import fanouts, member, number, ring
from support.spreaders import Alone, Everybody, copy


@given(st.integers(1, 300), fanouts())
def test_edges_make_one_tree_in_which_nobody_has_more_than_k_children(n: int, fanout: int) -> None:
    members = ring(n)
    ends = {(i, number(to)) for i in range(n) for to in edges(members, member(i), fanout)}
    assert ends == {(to, i) for i, to in ends}  # both ends know of it
    assert len(ends) == 2 * (n - 1)
    reached, new = set(), {0}
    while new:
        reached |= new
        new = {to for i, to in ends if i in new} - reached
    assert reached == set(range(n))
    children = Counter(min(end) for end in ends if end[0] < end[1])
    assert max(children.values(), default=0) <= fanout


@pytest.mark.parametrize(
    ("me", "expected"), [(0, [1, 2]), (1, [0, 3, 4]), (2, [0, 5, 6]), (3, [1]), (6, [2])]
)
def test_the_tree_of_seven_is_complete(me: int, expected: list[int]) -> None:
    assert [number(to) for to in edges(ring(7), member(me), 2)] == expected


def test_who_is_not_on_the_ring_has_no_edges() -> None:
    assert list(edges(ring(7), member(99), 2)) == []


def test_a_message_goes_on_along_all_edges_but_back() -> None:
    node = Alone(StaticTree, 1, 7, fanout=2)
    assert sends(node.start(), Data) == [(to, copy(1)) for to in (0, 3, 4)]
    assert sends(node.receive(4, copy(4)), Data) == [(to, copy(4, hop=2)) for to in (0, 3)]


@pytest.mark.parametrize("origin", [0, 1, 39, 59])
def test_everybody_gets_one_copy_whoever_sends(origin: int) -> None:
    everybody = Everybody(StaticTree, 60)
    id = everybody.say(origin)
    assert everybody.received(id) == [i for i in range(60) if i != origin]
    assert everybody.copies[id] == 59


def test_the_tree_is_another_when_the_view_is() -> None:
    node = Alone(StaticTree, 1, 7, fanout=2)
    node.depart(0)
    assert sends(node.start(), Data) == [(to, copy(1)) for to in (2, 3)]  # it is the root now
    node.arrive(8)
    assert sends(node.start(sequence=2), Data) == [
        (2, copy(1, sequence=2)),
        (3, copy(1, sequence=2)),
    ]


def test_a_join_and_a_leave_travel_along_the_tree_and_then_it_has_changed() -> None:
    everybody = Everybody(StaticTree, 30)
    cluster = everybody.cluster
    joiner = cluster.join(cluster.nodes[3])
    cluster.run_for(5 * SECOND)
    assert everybody.received(everybody.say(7)) == [i for i in range(31) if i != 7]
    cluster.leave(joiner)
    cluster.leave(cluster.nodes[1])
    cluster.run_for(5 * SECOND)
    everybody.frames.clear()
    id = everybody.say(7)
    assert set(everybody.received(id)) == set(range(30)) - {7, 1}
    assert everybody.copies[id] == 28
    assert set(everybody.sent) >= {"Data"}
    assert "Ack" not in everybody.sent  # announcements went by the same tree, and not by Snow


def test_a_death_that_nobody_has_noticed_costs_the_whole_branch() -> None:
    everybody = Everybody(StaticTree, 60, probe_interval_us=10**12, fanout=4)
    everybody.cluster.crash(everybody.cluster.nodes[2])
    id = everybody.say(0)
    branch, new = set(), {2}
    while new:
        branch |= new
        new = {4 * i + c for i in new for c in range(1, 5) if 4 * i + c < 60}
    assert everybody.received(id) == [i for i in range(1, 60) if i not in branch]
