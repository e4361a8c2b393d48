"""What a parent does about a silent child: adopt, keep trying, name it, take it back.

DESIGN 4.12 and 5, recovery `repair`. Node 5 holds [0..9] of its own message: its children are 2
with [0..4] and 8 with [6..9]. A hop timeout is a second.
"""

from __future__ import annotations

import pytest

from snowcast.core.config import MS, SECOND, Recovery
from snowcast.core.effects import Effect, Receipt, SetTimer
from snowcast.core.frames import Ack, AckQuery, Data
from snowcast.core.member import State
from snowcast.core.timers import HopTimer
from support.lone import STANDARD, Lone, about, data, hop_timer, message, send, sends
from support.rings import member, number

WHOLE = hop_timer(data(5, 0, 9))
FRAME = data(5, 6, 9, is_reliable=True)
RECEIVED = about(FRAME, Ack(message(5), STANDARD, 0, False))
QUERY = about(FRAME, AckQuery(message(5), STANDARD, 0))
LEAF = data(5, is_reliable=True)


def complete(delivered: int, *missing: int) -> Ack:
    names = tuple(map(member, missing))
    return about(FRAME, Ack(message(5), STANDARD, 0, True, delivered, names))


def origin(**settings: object) -> Lone:
    """Node 5, with its message on its way and the left side done."""
    node = Lone(5, 10, **settings)
    node.start()
    node.receive(2, complete(5))
    return node


def holder() -> Lone:
    """Node 8, with [6..9], of which 7 with [6..] is silent."""
    node = Lone(8, 10)
    node.receive(5, FRAME)
    node.receive(9, complete(1))
    return node


def receipts(effects: list[Effect]) -> list[tuple[int, list[int]]]:
    """How many have it, and who is missing, of each receipt."""
    told = (effect for effect in effects if isinstance(effect, Receipt))
    return [(receipt.delivered, [*map(number, receipt.missing)]) for receipt in told]


def test_the_region_of_a_silent_child_is_adopted_and_the_child_tried_alone() -> None:
    node = origin()
    assert node.fire(WHOLE, SECOND) == [
        send(7, data(5, 6, None, is_reliable=True)),
        send(9, LEAF),
        send(8, LEAF),
        SetTimer(WHOLE, 2 * SECOND),
    ]
    assert node.silent == [8], "must give the detector its evidence"


def test_a_silent_leaf_is_tried_again() -> None:
    node = Lone(8, 10)
    node.receive(5, FRAME)
    node.receive(7, complete(2))
    leaf = data(5, hop=2, is_reliable=True)
    assert sends(node.fire(hop_timer(FRAME), SECOND)) == [(9, leaf)]
    assert sends(node.receive(9, complete(1))) == [(5, complete(4))]


def test_an_adopted_region_is_forwarded_with_the_hop_the_child_would_have_used() -> None:
    node = holder()
    effects = node.fire(hop_timer(FRAME), SECOND)
    leaf = data(5, hop=2, is_reliable=True)
    assert sends(effects) == [(6, leaf), (7, leaf)]


def test_with_all_of_an_adopted_region_and_the_child_itself_the_message_is_complete() -> None:
    node = origin()
    node.fire(WHOLE, SECOND)
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    assert receipts(node.receive(8, complete(1))) == [(9, [])]
    assert node.broadcaster.sizes() == {"seen": 1, "receipts": 0, "custodies": 0, "accounts": 0}


@pytest.mark.parametrize("late", [RECEIVED, complete(4)])
def test_a_child_heard_of_after_its_region_was_adopted_answers_for_itself_alone(late: Ack) -> None:
    node = origin()
    node.fire(WHOLE, SECOND)
    assert receipts(node.receive(8, late)) == [], "its region is not its own any more"
    node.receive(7, complete(2))
    assert receipts(node.receive(9, complete(1))) == [(9, [])]


def test_a_child_tried_twice_in_vain_is_named_missing() -> None:
    node = origin()
    node.fire(WHOLE, SECOND)
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    effects = node.fire(WHOLE, 2 * SECOND)
    assert receipts(effects) == [(8, [8])]
    assert sends(effects, Data) == [(8, LEAF)], "must go on trying it"
    assert node.broadcaster.sizes()["receipts"] == 0


def test_a_missing_child_is_tried_ever_less_often_until_the_deadline() -> None:
    node, tried = origin(), []
    node.fire(WHOLE, SECOND)
    for child in (7, 9):
        node.receive(child, complete(1))
    now_us = 2 * SECOND
    while node.broadcaster.sizes()["custodies"]:
        effects = node.fire(WHOLE, now_us)
        tried += [now_us // SECOND] * (sends(effects, Data) == [(8, LEAF)])
        now_us = next((e.at_us for e in effects if isinstance(e, SetTimer)), now_us)
    assert tried == [2, 4, 8, 16]
    assert now_us == 30 * SECOND
    assert node.silent == [8], "must not repeat its evidence with each try"


def test_a_missing_child_that_turns_up_improves_the_account() -> None:
    node = holder()
    key = hop_timer(FRAME)
    node.fire(key, SECOND)
    node.receive(6, complete(1))
    assert sends(node.fire(key, 2 * SECOND), Ack) == [(5, complete(3, 7))]
    assert sends(node.receive(7, complete(1), 5 * SECOND)) == [(5, complete(4))]
    assert node.broadcaster.sizes()["custodies"] == 0
    assert sends(node.receive(5, QUERY)) == [(5, complete(4))]


def test_a_better_account_after_the_receipt_gives_no_second_receipt() -> None:
    node = origin()
    node.fire(WHOLE, SECOND)
    for child in (7, 9):
        node.receive(child, complete(1))
    assert receipts(node.fire(WHOLE, 2 * SECOND)) == [(7, [8])]
    assert receipts(node.receive(8, complete(1))) == []
    assert node.broadcaster.sizes()["custodies"] == 0


def test_a_child_that_stops_answering_at_its_work_has_it_taken_over_but_had_the_message() -> None:
    node = holder()
    key = hop_timer(FRAME)
    node.receive(7, RECEIVED, 0)
    assert sends(node.fire(key, SECOND)) == [(7, about(data(5, 6, None), QUERY))]
    assert sends(node.fire(key, 2 * SECOND)) == [(6, data(5, hop=2, is_reliable=True))]
    assert node.silent == [7]
    assert sends(node.receive(6, complete(1))) == [(5, complete(4))]


def test_a_child_that_cannot_be_reached_has_its_region_adopted_without_waiting() -> None:
    node = origin()
    assert node.fail(8, FRAME, 10 * MS) == [
        send(7, data(5, 6, None, is_reliable=True)),
        send(9, LEAF),
    ]
    assert node.fail(8, FRAME, 10 * MS) == [], "must adopt once"
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    effects = node.fire(WHOLE, 1010 * MS)
    assert (sends(effects), receipts(effects)) == ([(8, LEAF)], [(8, [8])])


def test_a_leaf_that_cannot_be_reached_is_tried_once_more_and_named() -> None:
    node = Lone(8, 10)
    node.receive(5, FRAME)
    node.receive(7, complete(2))
    assert node.fail(9, data(5, hop=2, is_reliable=True)) == []
    again = node.fire(hop_timer(FRAME), SECOND)
    assert sends(again) == [(9, data(5, hop=2, is_reliable=True)), (5, complete(3, 9))]


def test_data_in_nobodys_care_that_cannot_be_sent_is_forwarded_without_waiting_for_it() -> None:
    node = origin()
    stranger = data(3, 6, 9, is_reliable=True)
    assert {to for to, _ in sends(node.fail(8, stranger))} == {7, 9}
    assert {to for to, _ in sends(node.fail(7, FRAME))} == {6, 9}, "7 is no child of this one"
    assert node.broadcaster.sizes()["custodies"] == 1


def test_an_evicted_child_is_adopted_and_named() -> None:
    node = origin()
    assert {to for to, _ in sends(node.depart(8, State.EVICTED))} == {7, 9}
    node.receive(7, complete(2))
    assert receipts(node.receive(9, complete(1))) == [(8, [8])]
    assert node.broadcaster.sizes()["custodies"] == 0, "must not try the evicted"


def test_a_child_that_left_is_adopted_and_not_named() -> None:
    node = origin()
    assert {to for to, _ in sends(node.depart(8, State.LEFT))} == {7, 9}
    node.receive(7, complete(2))
    assert receipts(node.receive(9, complete(1))) == [(8, [])]


@pytest.mark.parametrize("state", [State.EVICTED, State.LEFT])
def test_a_child_that_had_the_message_before_it_went_is_counted_and_not_named(state: State) -> None:
    node = origin()
    node.receive(8, RECEIVED)
    assert {to for to, _ in sends(node.depart(8, state))} == {7, 9}
    node.receive(7, complete(2))
    assert receipts(node.receive(9, complete(1))) == [(9, [])]


def test_a_missing_child_that_is_evicted_stays_named_and_one_that_left_does_not() -> None:
    for state, named in ((State.EVICTED, [7]), (State.LEFT, [])):
        node = holder()
        key = hop_timer(FRAME)
        node.fire(key, SECOND)
        node.receive(6, complete(1))
        node.fire(key, 2 * SECOND)
        better = sends(node.depart(7, state, 3 * SECOND))
        assert better == ([] if named else [(5, complete(3))])
        assert sends(node.receive(5, QUERY)) == [(5, complete(3, *named))]


def test_who_goes_after_it_is_done_or_was_no_child_changes_nothing() -> None:
    node = origin()
    assert node.depart(2, State.EVICTED) == []
    assert node.depart(7, State.EVICTED) == []
    assert receipts(node.receive(8, complete(3))) == [(8, [])]


def test_several_children_silent_at_once_are_all_adopted() -> None:
    node = Lone(5, 10)
    node.start()
    sent = sends(node.fire(WHOLE, SECOND), Data)
    assert [to for to, _ in sent] == [1, 4, 2, 7, 9, 8]
    assert node.silent == [2, 8]


def test_a_child_that_is_silent_in_two_assignments_is_adopted_in_both() -> None:
    node = holder()
    other = data(5, 5, 9, is_reliable=True)
    node.receive(4, other)
    node.receive(9, complete(1))
    assert node.broadcaster.sizes()["custodies"] == 2
    assert sends(node.depart(7, State.EVICTED)) != []


def test_a_timer_of_nothing_in_its_care_is_ignored() -> None:
    stray = HopTimer(message(3), STANDARD, 0, None, None)
    assert Lone(5, 10).fire(stray, SECOND) == []


def test_with_rebroadcast_a_parent_waits_and_leaves_it_to_the_origin() -> None:
    node = Lone(8, 10, recovery=Recovery.REBROADCAST)
    key = hop_timer(FRAME)
    assert node.receive(5, FRAME)[-1] == SetTimer(key, 30 * SECOND)
    assert node.depart(7, State.EVICTED) == []
    assert node.silent == []
    assert sends(node.fire(key, 30 * SECOND)) == []
    assert node.broadcaster.sizes()["custodies"] == 0


def test_with_rebroadcast_too_a_child_that_cannot_be_reached_is_replaced_at_once() -> None:
    node = origin(recovery=Recovery.REBROADCAST)
    assert {to for to, _ in sends(node.fail(8, FRAME))} == {7, 9}
    node.receive(7, complete(2))
    node.receive(9, complete(1))
    assert receipts(node.depart(8, State.EVICTED)) == [(8, [8])]
