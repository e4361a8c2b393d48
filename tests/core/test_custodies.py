"""Reliable Message between a parent and its children: acks up, questions down, repeats answered.

Paper, Reliable Message; DESIGN 5. Node 8 holds [6..9] of a message of node 5: its children are 7,
with 6 behind it, and the leaf 9. Repair has a file of its own.
"""

from __future__ import annotations

import msgspec
import pytest

from snowcast.core.config import SECOND
from snowcast.core.effects import CancelTimer, Effect, SetTimer
from snowcast.core.frames import Ack, AckQuery
from snowcast.core.member import State
from support.lone import STANDARD, Lone, about, data, hop_timer, message, parts, send, sends
from support.rings import member

FRAME = data(5, 6, 9, is_reliable=True)
KEY = hop_timer(FRAME)
RECEIVED = about(FRAME, Ack(message(5), STANDARD, 0, False))
QUERY = about(FRAME, AckQuery(message(5), STANDARD, 0))
TO_7 = data(5, 6, None)


def complete(delivered: int, *missing: int, unnamed: int = 0) -> Ack:
    names = tuple(map(member, missing))
    return about(FRAME, Ack(message(5), STANDARD, 0, True, delivered, names, unnamed))


def holder(**settings: int) -> Lone:
    """Node 8, with the assignment just received."""
    node = Lone(8, 10, **settings)
    node.receive(5, FRAME)
    return node


def done() -> Lone:
    """Node 8, with the assignment complete."""
    node = holder()
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    return node


def test_it_says_complete_when_the_last_child_has() -> None:
    node = holder()
    assert node.receive(9, complete(1)) == []
    assert node.receive(7, complete(2)) == [send(5, complete(4)), CancelTimer(KEY)]
    assert node.broadcaster.sizes()["custodies"] == 0


def test_an_assignment_with_nobody_else_in_it_is_complete_at_once() -> None:
    node = Lone(8, 10)
    node.depart(9, State.LEFT)
    alone = data(5, None, 9, is_reliable=True)
    assert node.receive(5, alone) == [send(5, about(alone, complete(1)))]
    assert node.broadcaster.sizes()["custodies"] == 0


def test_an_account_adds_up_who_is_missing_below() -> None:
    node = holder(missing_names_max=2)
    node.receive(7, complete(1, 6, 3, unnamed=4))
    assert sends(node.receive(9, complete(1, 2))) == [(5, complete(3, 2, 3, unnamed=5))]


def test_a_child_at_work_is_not_done() -> None:
    node = holder()
    node.receive(9, complete(1))
    assert node.receive(7, RECEIVED) == []
    assert sends(node.receive(7, complete(2))) == [(5, complete(4))]


@pytest.mark.parametrize(
    "ack",
    [
        Ack(message(6), STANDARD, 0, True, 1),
        Ack(message(5, 2), STANDARD, 0, True, 1),
        Ack(message(5), STANDARD, 1, True, 1),
        Ack(message(5), list(type(STANDARD))[1], 0, True, 1),
    ],
)
def test_an_ack_of_another_message_attempt_or_tree_changes_nothing(ack: Ack) -> None:
    node = holder()
    assert node.receive(9, ack) == []
    node.receive(7, complete(2))
    assert sends(node.receive(9, complete(1))) == [(5, complete(4))]


def test_an_ack_from_somebody_who_is_no_child_changes_nothing() -> None:
    node = holder()
    node.receive(7, complete(2))
    assert node.receive(3, complete(1)) == []
    assert node.broadcaster.sizes()["custodies"] == 1


def test_the_same_ack_twice_is_told_once() -> None:
    node = holder()
    node.receive(7, complete(2))
    assert node.receive(7, complete(2)) == []
    assert sends(node.receive(9, complete(1))) == [(5, complete(4))]
    assert node.receive(9, complete(1)) == [], "must not report twice"


def test_the_assignment_again_is_answered_with_how_far_it_is() -> None:
    node = holder()
    assert node.receive(5, FRAME) == [send(5, RECEIVED)]
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    assert node.receive(5, FRAME) == [send(5, complete(4))], "must answer when it is over too"


def test_the_assignment_again_from_another_parent_has_both_told() -> None:
    node = holder()
    assert node.receive(4, FRAME) == [send(4, RECEIVED)]
    node.receive(7, complete(2))
    told = sends(node.receive(9, complete(1)))
    assert told == [(5, complete(4)), (4, complete(4))]


def test_a_question_is_answered_with_how_far_it_is() -> None:
    node = holder()
    assert node.receive(5, QUERY) == [send(5, RECEIVED)]
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    assert node.receive(5, QUERY) == [send(5, complete(4))]


@pytest.mark.parametrize(
    "query",
    [
        about(FRAME, AckQuery(message(5), STANDARD, 1)),
        about(FRAME, AckQuery(message(5, 2), STANDARD, 0)),
        about(data(5, 5, 9), QUERY),
    ],
)
def test_a_question_about_anything_else_is_not_answered(query: AckQuery) -> None:
    assert holder().receive(5, query) == []
    assert done().receive(5, query) == []


def test_a_question_from_somebody_who_is_no_parent_is_not_answered() -> None:
    assert holder().receive(3, QUERY) == []


def test_a_child_silent_while_at_work_is_asked_and_its_answer_buys_it_time() -> None:
    node = holder()
    node.receive(9, complete(1))
    node.receive(7, RECEIVED, SECOND // 2)
    assert node.fire(KEY, SECOND) == [SetTimer(KEY, 3 * SECOND // 2)], "is not due yet"
    assert node.fire(KEY, 3 * SECOND // 2) == [
        send(7, about(TO_7, QUERY)),
        SetTimer(KEY, 5 * SECOND // 2),
    ]
    assert node.receive(7, RECEIVED, 2 * SECOND) == []
    assert node.fire(KEY, 5 * SECOND // 2) == [SetTimer(KEY, 3 * SECOND)]
    assert sends(node.fire(KEY, 3 * SECOND)) == [(7, about(TO_7, QUERY))]
    assert sends(node.receive(7, complete(2), 3 * SECOND)) == [(5, complete(4))]
    assert node.silent == [], "must not call a child silent that answers"


def test_what_is_over_is_forgotten_by_its_deadline() -> None:
    node = done()
    assert node.broadcaster.sizes()["accounts"] == 1
    node.broadcaster.forget_old(30 * SECOND - 1)
    assert node.receive(5, QUERY) != []
    node.broadcaster.forget_old(30 * SECOND)
    assert node.broadcaster.sizes()["accounts"] == 0
    assert node.receive(5, QUERY) == []
    assert node.receive(5, FRAME) == [], "must not carry it twice either"


def test_accounts_are_forgotten_oldest_first() -> None:
    node = Lone(8, 10)
    for sequence, at_us in ((1, 0), (2, SECOND)):
        node.receive(5, data(5, 7, None, sequence=sequence, is_reliable=True), at_us)
        ack = Ack(message(5, sequence), STANDARD, 0, True, 1)
        node.receive(7, ack, at_us)
    node.broadcaster.forget_old(30 * SECOND)
    assert node.broadcaster.sizes()["accounts"] == 1
    query = AckQuery(message(5, 2), STANDARD, 0, left=member(7))
    assert node.receive(5, query) != []


def test_what_is_not_over_ends_at_its_deadline() -> None:
    node = holder()
    effects: list[Effect] = []
    now_us = 0
    while node.broadcaster.sizes()["custodies"]:
        effects = node.fire(KEY, now_us)
        times = [effect.at_us for effect in effects if isinstance(effect, SetTimer)]
        now_us = times[-1] if times else now_us
    assert now_us == 30 * SECOND
    assert effects == [CancelTimer(KEY)]
    assert node.fire(KEY, now_us) == []


def test_two_regions_of_one_tree_are_two_assignments_for_their_parents() -> None:
    node = holder()
    other = msgspec.structs.replace(FRAME, left=member(5))
    node.receive(4, other)
    assert node.broadcaster.sizes()["custodies"] == 2
    assert node.receive(4, QUERY) == [], "must not answer for what another parent gave"
    assert node.receive(4, about(other, QUERY)) == [send(4, about(other, RECEIVED))]


def test_a_child_with_two_parts_of_one_tree_is_done_with_each_when_it_says_so_of_that_one() -> None:
    """Node 7 is a leaf in the region that comes from node 4, and holds [6..7] in the other."""
    node = holder()
    node.receive(9, complete(1))
    other = data(5, 7, None, is_reliable=True)
    assert parts(node.receive(4, other)) == {7: (None, None)}
    leaf = Ack(message(5), STANDARD, 0, True, 1)
    assert sends(node.receive(7, leaf)) == [(4, about(other, complete(2)))]
    assert node.broadcaster.sizes()["custodies"] == 1, "must wait for what is behind node 7"
    node.broadcaster.on_frame(member(7), about(TO_7, complete(2)), 0)
    assert sends(node.context.outbox.take()) == [(5, complete(4))]
