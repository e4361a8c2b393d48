"""The bookkeeping of one assignment: who is open, who is accounted for, what it adds up to."""

from __future__ import annotations

import pytest

from snowcast.core.custody import NEVER_US, Branch, Custody, Phase
from snowcast.core.frames import Ack
from snowcast.core.trees import Assignment
from support.lone import STANDARD, about, data, hop_timer, message
from support.rings import member

FRAME = data(5, 6, 9, is_reliable=True)


def leaf(i: int) -> Assignment:
    return Assignment(member(i), None, None)


def custody_of(*children: int, is_origin: bool = False) -> Custody:
    parents = [] if is_origin else [member(5)]
    custody = Custody(hop_timer(FRAME), FRAME, parents, 1_000)
    custody.add(tuple(map(leaf, children)), 10)
    return custody


def account(delivered: int, missing: tuple[int, ...] = (), unnamed: int = 0) -> Ack:
    names = tuple(map(member, missing))
    return about(FRAME, Ack(message(5), STANDARD, 0, True, delivered, names, unnamed))


def test_a_child_is_open_until_it_is_done_or_lost() -> None:
    branch = Branch(leaf(7), 10)
    assert (branch.phase, branch.due_us, branch.is_adopted) == (Phase.SENT, 10, False)
    open_in = {}
    for phase in Phase:
        branch.phase = phase
        open_in[phase] = branch.is_open
    assert [phase for phase, is_open in open_in.items() if not is_open] == [Phase.LOST, Phase.DONE]


def test_nothing_more_is_expected_of_a_child_that_is_done() -> None:
    branch = Branch(leaf(7), 10)
    branch.finish(3, (member(1),), 4)
    assert (branch.phase, branch.due_us) == (Phase.DONE, NEVER_US)
    assert (branch.delivered, branch.missing, branch.unnamed) == (3, (member(1),), 4)


def test_a_child_answers_for_the_part_that_its_ack_is_about() -> None:
    branch = Branch(Assignment(member(8), member(6), None), 10)
    assert branch.is_answered_by(about(data(5, 6, None), account(3)))
    for other in (data(5), data(5, 6, 9), data(5, None, 6)):
        assert not branch.is_answered_by(about(other, account(3)))


def test_without_children_there_is_nothing_to_wait_for() -> None:
    custody = custody_of()
    assert custody.is_accounted
    assert custody.is_over
    assert custody.account(9) == account(1)


def test_it_is_accounted_for_when_the_last_child_is_done_or_lost_and_over_when_all_are_done() -> (
    None
):
    custody = custody_of(7, 8)
    custody.branches[member(7)].finish(1)
    assert (custody.is_accounted, custody.is_over) == (False, False)
    custody.branches[member(8)].phase = Phase.LOST
    assert (custody.is_accounted, custody.is_over) == (True, False)
    custody.branches[member(8)].finish(1)
    assert (custody.is_accounted, custody.is_over) == (True, True)


def test_it_is_due_when_the_first_child_is() -> None:
    custody = custody_of(7, 8)
    custody.branches[member(7)].due_us = 5
    assert custody.due_us == 5


@pytest.mark.parametrize(("is_origin", "delivered"), [(True, 4), (False, 5)])
def test_it_adds_up_its_children_and_itself_unless_it_is_the_origin(
    is_origin: bool, delivered: int
) -> None:
    custody = custody_of(7, 8, is_origin=is_origin)
    assert custody.is_origin is is_origin
    custody.branches[member(7)].finish(3, (member(9), member(6)))
    custody.branches[member(8)].finish(1, (member(2),), 2)
    assert custody.account(3) == account(delivered, (2, 6, 9), 2)


def test_it_names_no_more_than_it_may_and_counts_the_rest() -> None:
    custody = custody_of(7, 8)
    custody.branches[member(7)].finish(0, (member(9), member(6)), 1)
    custody.branches[member(8)].finish(0, (member(2),))
    assert custody.account(2) == account(1, (2, 6), 2)
    assert custody.account(0) == account(1, (), 4)
