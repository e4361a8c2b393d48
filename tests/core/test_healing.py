"""Who was lost is looked for, for ever, so that the halves of a partition find each other."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.config import SECOND
from snowcast.core.effects import CancelTimer, Effect, SetTimer
from snowcast.core.frames import SyncDigest
from snowcast.core.healing import Healing
from snowcast.core.member import State
from snowcast.core.timers import HealTimer
from support.lone import record, records, send, sends
from support.pair import Comparer
from support.rings import member

EVICTED, LEFT = State.EVICTED, State.LEFT


class Healer:
    """Node 0 in a view of four, and its search for those who are lost."""

    def __init__(self, *seeds: int, seed: int = 1) -> None:
        self._node = Comparer(0, records(range(4)), seed)
        self.view = self._node.context.view
        self._healing = Healing(self._node.context, self._node.anti_entropy)
        self._healing.start(tuple(map(member, seeds)), 7)
        self.begun = self._take()

    def fire(self, now_us: int = 0, is_joining: bool = False) -> list[Effect]:
        self._healing.on_timer(now_us, is_joining)
        return self._take()

    def answer(self, sender: int, now_us: int = 0) -> list[Effect]:
        self._healing.on_answer(member(sender), now_us)
        return self._take()

    def stop(self) -> list[Effect]:
        self._healing.stop()
        return self._take()

    def _take(self) -> list[Effect]:
        return self._node.context.outbox.take()

    def tried(self, times: int) -> Counter[int]:
        """Whom it tries, so many times."""
        return Counter(to for _ in range(times) for to, _ in sends(self.fire()))


@given(st.integers(0, 200))
def test_the_search_begins_at_some_moment_of_the_first_period(seed: int) -> None:
    [timer] = Healer(seed=seed).begun
    assert isinstance(timer, SetTimer)
    assert timer.key == HealTimer()
    assert 7 <= timer.at_us < 7 + 30 * SECOND


def test_with_nobody_lost_nobody_is_looked_for() -> None:
    assert Healer(1, 2).fire(100) == [SetTimer(HealTimer(), 100 + 30 * SECOND)]


def test_a_seed_that_is_not_in_the_view_is_tried_for_ever() -> None:
    healer = Healer(1, 9)
    digest = healer.view.digest
    for now_us in (0, 1, 2):
        assert healer.fire(now_us) == [
            SetTimer(HealTimer(), now_us + 30 * SECOND),
            send(9, SyncDigest(digest)),
        ]
    assert healer.tried(50) == {9: 50}


def test_the_evicted_are_tried_and_who_left_is_not() -> None:
    healer = Healer()
    healer.view.merge((record(1, EVICTED), record(2, LEFT), record(8, EVICTED)), 0)
    assert healer.tried(50).keys() == {1, 8}


def test_a_seed_is_tried_even_if_it_left() -> None:
    healer = Healer(2)
    healer.view.merge((record(2, LEFT),), 0)
    assert healer.tried(3) == {2: 3}


def test_who_is_forgotten_is_not_tried_any_more() -> None:
    healer = Healer()
    healer.view.merge((record(1, EVICTED),), 0)
    healer.view.forget_tombstones(1)
    assert healer.tried(3) == {}


def test_a_node_that_is_joining_looks_for_nobody_in_this_way() -> None:
    assert sends(Healer(9).fire(is_joining=True)) == []


def test_one_that_answers_is_compared_with_again_soon() -> None:
    healer = Healer()
    healer.view.merge((record(1, EVICTED), record(2, EVICTED)), 0)
    [(tried, _)] = sends(healer.fire())
    assert healer.answer(tried, 100) == [SetTimer(HealTimer(), 100 + 2 * SECOND)]
    assert healer.answer(tried, 200) == [], "once is enough"
    [(again, _)] = sends(healer.fire())
    assert again == tried, "what it has refuted since is told in a second exchange"


def test_one_that_is_back_by_then_is_not_tried_again() -> None:
    healer = Healer()
    healer.view.merge((record(1, EVICTED), record(2, EVICTED)), 0)
    [(tried, _)] = sends(healer.fire())
    healer.answer(tried)
    healer.view.merge((record(tried, refutations=1),), 0)
    assert sends(healer.fire()) == [(3 - tried, SyncDigest(healer.view.digest))]


def test_each_later_answer_brings_it_forward_again() -> None:
    healer = Healer(9)
    for _ in range(3):
        healer.fire()
        assert healer.answer(9, 100) == [SetTimer(HealTimer(), 100 + 2 * SECOND)]


@pytest.mark.parametrize("sender", [1, 8])
def test_a_comparison_with_anybody_else_changes_nothing(sender: int) -> None:
    healer = Healer(9)
    assert healer.answer(sender) == []
    healer.fire()
    assert healer.answer(sender) == []


def test_an_answer_after_the_search_was_given_up_changes_nothing() -> None:
    healer = Healer(9)
    healer.fire()
    healer.view.merge((record(9),), 0)
    healer.fire()
    assert healer.answer(9) == []


def test_stopping_ends_the_search() -> None:
    assert Healer(9).stop() == [CancelTimer(HealTimer())]
