"""Planning the children of an assignment, and remembering the plan while the view stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import forwarding
from snowcast.core.errors import FrameError
from snowcast.core.forwarding import Forwarder
from snowcast.core.frames import Data
from snowcast.core.member import State
from snowcast.core.region import Region
from snowcast.core.trees import Assignment, Tree, children
from support.lone import PRIMARY, SECONDARY, Lone, data, record, send
from support.rings import member, ring


def region(left: int, right: int) -> Region:
    return Region(member(left), member(right))


def test_it_sends_to_the_children_and_returns_their_assignments() -> None:
    lone = Lone(8, 10)
    frame = data(5, 6, 9, is_reliable=True)
    assignments = Forwarder(lone.context).forward(frame, region(6, 9), member(8), 7)
    assert assignments == (
        Assignment(member(7), member(6), None),
        Assignment(member(9), None, None),
    )
    assert lone.context.outbox.take() == [
        send(7, data(5, 6, None, hop=7, is_reliable=True)),
        send(9, data(5, hop=7, is_reliable=True)),
    ]


def test_it_can_plan_in_the_place_of_another_who_is_then_no_child_of_its_own() -> None:
    lone = Lone(5, 10)
    frame = data(5, 6, 9)
    in_its_place = Forwarder(lone.context).forward(frame, region(6, 9), member(8), 1)
    assert [assignment.child for assignment in in_its_place] == [member(7), member(9)]


def test_it_plans_in_the_place_of_one_that_has_departed() -> None:
    lone = Lone(5, 10)
    lone.depart(8, State.EVICTED)
    plan = Forwarder(lone.context).forward(data(5, 6, 9), region(6, 9), member(8), 1)
    assert [assignment.child for assignment in plan] == [member(7), member(9)]


def test_a_region_without_its_centre_is_a_frame_error_and_sends_nothing() -> None:
    lone = Lone(5, 10)
    with pytest.raises(FrameError, match="does not contain its receiver"):
        Forwarder(lone.context).forward(data(5, 6, 9), region(6, 9), member(5), 1)
    assert lone.context.outbox.take() == []


def test_a_plan_is_remembered_until_the_view_changes() -> None:
    lone = Lone(5, 10)
    forwarder = Forwarder(lone.context)

    def plan() -> tuple[Assignment, ...]:
        return forwarder.forward(data(5, 6, 9), region(6, 9), member(8), 1)

    first = plan()
    assert plan() is first
    lone.depart(7, State.LEFT)
    assert plan() == (
        Assignment(member(6), None, None),
        Assignment(member(9), None, None),
    )
    lone.context.view.merge((record(7, refutations=1),), 0)
    assert plan() == first


def test_a_new_tombstone_is_a_change_of_the_view_too() -> None:
    lone = Lone(8, 10)
    forwarder = Forwarder(lone.context)

    def children_of_8() -> list[int]:
        plan = forwarder.forward(data(5, 6, 12), region(6, 12), member(8), 1)
        return [assignment.child[15] for assignment in plan]

    assert children_of_8() == [7, 12]
    lone.context.view.merge((record(12, State.LEFT),), 0)
    assert children_of_8() == [7, 9], "must not bring 12 back from a remembered plan"


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.sampled_from(Tree)),
        max_size=12,
    )
)
def test_what_is_remembered_is_what_would_be_planned_anew(
    asked: list[tuple[int, int, int, Tree]],
) -> None:
    lone = Lone(5, 10)
    forwarder = Forwarder(lone.context)
    for left, right, centre, tree in asked + asked:
        wanted = region(left, right)
        if ring(10).covers(wanted, member(centre)):
            frame = data(5, left, right, tree=tree)
            plan = forwarder.forward(frame, wanted, member(centre), 1)
            assert plan == children(ring(10), wanted, member(centre), 2, tree, member(5))


def test_the_tree_and_the_origin_are_part_of_what_a_plan_is_remembered_by() -> None:
    lone = Lone(8, 10)
    forwarder = Forwarder(lone.context)

    def plan(frame: Data) -> tuple[Assignment, ...]:
        return forwarder.forward(frame, region(5, 9), member(8), 1)

    primary = plan(data(5, 5, 9, tree=PRIMARY))
    assert member(5) in [a.child for a in primary] or member(5) in [a.left for a in primary]
    for assignment in plan(data(5, 5, 9, tree=SECONDARY)):
        assert member(5) not in (assignment.child, assignment.left), "never back to the origin"
    for_another = plan(data(6, 5, 9, tree=SECONDARY))
    assert for_another != plan(data(5, 5, 9, tree=SECONDARY))


def test_no_more_than_so_many_plans_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "PLANS_MAX", 2)
    lone = Lone(5, 10)
    forwarder = Forwarder(lone.context)
    for right in (6, 7, 8, 9):
        forwarder.forward(data(5, 5, right), region(5, right), member(5), 1)
        assert len(forwarder._plans) <= 2
