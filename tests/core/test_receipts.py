"""An origin's receipt: when it is given, and who is named in it.

Paper, Root Node Broadcasting and Reliable Message; DESIGN 5. Node 5 of ten has the children 2 and
8, with coloring 3 and 9 and, as the root of the second tree, 4.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.config import SECOND
from snowcast.core.effects import CancelTimer, Receipt, SetTimer
from snowcast.core.frames import Ack
from snowcast.core.member import State
from snowcast.core.timers import ReceiptTimer
from snowcast.core.trees import Mode, Tree
from support.lone import (
    PRIMARY,
    SECONDARY,
    STANDARD,
    Lone,
    data,
    hop_timer,
    message,
    parts,
    send,
    sends,
)
from support.rings import member

TIMER = ReceiptTimer(message(5))
WHOLE = hop_timer(data(5, 0, 9))
DEADLINE_US = 30 * SECOND


def ack(tree: Tree, delivered: int, *missing: int, unnamed: int = 0) -> Ack:
    names = tuple(map(member, missing))
    return Ack(message(5), tree, 0, True, delivered, names, unnamed)


def receipt(delivered: int, *missing: int, unnamed: int = 0, elapsed_us: int = 0) -> Receipt:
    names = tuple(map(member, missing))
    return Receipt(message(5), delivered, names, unnamed, elapsed_us, 1)


def receipts(effects: list[object]) -> list[Receipt]:
    return [effect for effect in effects if isinstance(effect, Receipt)]


def in_colour() -> Lone:
    """Node 5, with a message on its way along both trees."""
    node = Lone(5, 10)
    assert parts(node.start(Mode.COLORING)).keys() == {3, 9, 4}
    return node


def test_a_reliable_message_starts_with_its_deadline_and_the_first_hop_timeout() -> None:
    assert Lone(5, 10).start(now_us=7) == [
        SetTimer(TIMER, 7 + DEADLINE_US),
        send(2, data(5, 0, 4, is_reliable=True)),
        send(8, data(5, 6, 9, is_reliable=True)),
        SetTimer(WHOLE, 7 + SECOND),
    ]


def test_the_receipt_comes_with_the_last_account() -> None:
    node = Lone(5, 10)
    node.start()
    assert node.receive(2, ack(STANDARD, 5), 40) == []
    assert node.receive(8, ack(STANDARD, 4), 60) == [
        CancelTimer(TIMER),
        receipt(9, elapsed_us=60),
        CancelTimer(WHOLE),
    ]
    assert node.broadcaster.sizes() == {"seen": 1, "receipts": 0, "custodies": 0, "accounts": 0}


def test_a_message_to_nobody_has_its_receipt_at_once() -> None:
    timer = ReceiptTimer(message(0))
    assert Lone(0, 1).start() == [
        SetTimer(timer, DEADLINE_US),
        CancelTimer(timer),
        Receipt(message(0), 0, (), 0, 0, 1),
    ]


def test_an_announcement_has_no_receipt_but_is_watched_over() -> None:
    node = Lone(5, 10)
    node.start(is_system=True)
    node.receive(2, ack(STANDARD, 5))
    assert receipts(node.receive(8, ack(STANDARD, 4))) == []
    assert node.broadcaster.sizes()["receipts"] == 0


def test_a_message_for_whoever_runs_the_nodes_has_a_receipt() -> None:
    node = Lone(5, 10)
    node.start(is_control=True)
    node.receive(2, ack(STANDARD, 5))
    assert len(receipts(node.receive(8, ack(STANDARD, 4)))) == 1


def test_a_receipt_is_complete_only_if_nobody_is_missing() -> None:
    assert receipt(9).is_complete
    assert not receipt(8, 7).is_complete
    assert not receipt(8, unnamed=1).is_complete


@pytest.mark.parametrize("whole", [PRIMARY, SECONDARY])
def test_with_coloring_one_complete_tree_is_enough(whole: Tree) -> None:
    node = in_colour()
    if whole is SECONDARY:
        effects = node.receive(4, ack(SECONDARY, 9))
    else:
        node.receive(3, ack(PRIMARY, 5))
        effects = node.receive(9, ack(PRIMARY, 4))
    assert receipts(effects) == [receipt(9)]
    assert node.broadcaster.sizes() == {"seen": 1, "receipts": 0, "custodies": 0, "accounts": 0}


def test_with_one_tree_incomplete_the_other_is_waited_for() -> None:
    node = in_colour()
    assert receipts(node.receive(4, ack(SECONDARY, 7, 1, 2))) == []
    node.receive(3, ack(PRIMARY, 5))
    assert receipts(node.receive(9, ack(PRIMARY, 4))) == [receipt(9)]


def test_with_both_trees_incomplete_missing_is_who_is_missing_in_both() -> None:
    node = in_colour()
    node.receive(4, ack(SECONDARY, 7, 1, 2))
    node.receive(3, ack(PRIMARY, 3, 2, 7))
    assert receipts(node.receive(9, ack(PRIMARY, 4))) == [receipt(8, 2)]


def test_who_one_tree_names_is_not_cleared_by_one_that_could_not_name_all() -> None:
    node = in_colour()
    node.receive(4, ack(SECONDARY, 5, 1, unnamed=3))
    node.receive(3, ack(PRIMARY, 3, 2, 7))
    [told] = receipts(node.receive(9, ack(PRIMARY, 4)))
    assert told == receipt(7, 2, 7), "2 and 7 may be among the unnamed of the other tree"


def test_where_neither_tree_could_name_all_the_better_one_is_told() -> None:
    node = in_colour()
    node.receive(4, ack(SECONDARY, 5, 1, unnamed=3))
    node.receive(3, ack(PRIMARY, 2, 2, unnamed=2))
    assert receipts(node.receive(9, ack(PRIMARY, 4))) == [receipt(6, 2, unnamed=2)]


@given(
    st.sets(st.integers(0, 8)),
    st.sets(st.integers(0, 8)),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_nobody_is_cleared_whom_no_tree_has_confirmed(
    lost_in_primary: set[int], lost_in_secondary: set[int], named_1: int, named_2: int
) -> None:
    """Members 0 to 8 stand for the nine others; a tree names only its first few missing."""
    node = in_colour()
    for tree, lost, named in (
        (SECONDARY, lost_in_secondary, named_2),
        (PRIMARY, lost_in_primary, named_1),
    ):
        names = sorted(lost)[:named]
        account = ack(tree, 9 - len(lost), *names, unnamed=len(lost) - len(names))
        effects = node.receive(4 if tree is SECONDARY else 3, account)
        if tree is PRIMARY:
            effects += node.receive(9, ack(PRIMARY, 0))
        for told in receipts(effects):
            in_both = lost_in_primary & lost_in_secondary
            if tree is SECONDARY:
                assert not lost_in_secondary, "one tree is enough only if it has everybody"
                return
            assert len(told.missing) + told.unnamed >= len(in_both)
            assert told.delivered <= 9 - len(in_both)
            if not told.unnamed:
                assert in_both <= {address[15] for address in told.missing}


def test_at_the_deadline_whoever_has_not_confirmed_is_named() -> None:
    node = Lone(5, 10)
    node.start()
    node.receive(2, ack(STANDARD, 4, 1))
    node.receive(8, Ack(message(5), STANDARD, 0, False))
    effects = node.fire(TIMER, DEADLINE_US)
    assert receipts(effects) == [receipt(4, 1, 6, 7, 8, 9, elapsed_us=DEADLINE_US)]
    assert node.broadcaster.sizes() == {"seen": 1, "receipts": 0, "custodies": 0, "accounts": 0}
    assert node.fire(TIMER, DEADLINE_US) == []


def test_at_the_deadline_an_adopted_child_is_named_alone() -> None:
    node = Lone(5, 10)
    node.start()
    node.receive(2, ack(STANDARD, 5))
    node.fire(WHOLE, SECOND)
    node.receive(7, ack(STANDARD, 2))
    assert receipts(node.fire(TIMER, DEADLINE_US)) == [receipt(7, 8, 9, elapsed_us=DEADLINE_US)]


def test_at_the_deadline_the_unnamed_are_counted_too() -> None:
    node = Lone(5, 10)
    node.start()
    node.receive(2, ack(STANDARD, 1, 1, unnamed=3))
    [told] = receipts(node.fire(TIMER, DEADLINE_US))
    assert told == receipt(1, 1, 6, 7, 8, 9, unnamed=3, elapsed_us=DEADLINE_US)


def test_at_the_deadline_one_tree_clears_whom_it_has_confirmed() -> None:
    node = in_colour()
    node.receive(3, ack(PRIMARY, 5))
    assert receipts(node.fire(TIMER, DEADLINE_US)) == [
        receipt(5, 6, 7, 8, 9, elapsed_us=DEADLINE_US)
    ]


def test_a_hop_timer_that_fires_at_the_deadline_first_does_not_hide_who_is_missing() -> None:
    node = Lone(5, 10)
    node.start()
    node.receive(2, ack(STANDARD, 5))
    assert node.fire(WHOLE, DEADLINE_US) == []
    [told] = receipts(node.fire(TIMER, DEADLINE_US))
    assert told.missing == tuple(map(member, (6, 7, 8, 9)))
    assert node.broadcaster.sizes()["custodies"] == 0


def test_the_origin_is_never_named_in_its_own_receipt() -> None:
    node = in_colour()
    [told] = receipts(node.fire(TIMER, DEADLINE_US))
    assert told == receipt(0, 0, 1, 2, 3, 4, 6, 7, 8, 9, elapsed_us=DEADLINE_US)


def test_a_late_account_after_the_receipt_changes_nothing() -> None:
    node = Lone(5, 10)
    node.start()
    node.fire(TIMER, DEADLINE_US)
    assert node.receive(2, ack(STANDARD, 5), DEADLINE_US + 1) == []


def test_the_second_root_is_adopted_like_any_child() -> None:
    node = in_colour()
    key = hop_timer(data(5, 0, 9, tree=SECONDARY))
    effects = node.fire(key, SECOND)
    assert (4, data(5, tree=SECONDARY, hop=1, is_reliable=True)) in sends(effects)
    adopted = [to for to, frame in sends(effects) if to != 4]
    assert 5 not in adopted, "the second tree never comes back to its origin"
    assert node.silent == [4]


def test_an_eviction_elsewhere_is_no_business_of_a_receipt() -> None:
    node = Lone(5, 10)
    node.start()
    assert node.depart(1, State.EVICTED) == []
    node.receive(2, ack(STANDARD, 5))
    assert receipts(node.receive(8, ack(STANDARD, 4))) == [receipt(9)]
