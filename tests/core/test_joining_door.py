"""The contact's side of joining: one batch at a time, and nobody on the doorstep is forgotten.

Node 0 is the contact, in a cluster of nodes 0 to 3; 7, 8 and 9 want in.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from snowcast.core import joining
from snowcast.core.config import MS, SECOND, Config
from snowcast.core.context import Context
from snowcast.core.effects import CancelTimer, Effect, MemberChanged, SetTimer
from snowcast.core.frames import Records, ViewPart
from snowcast.core.joining import Door
from snowcast.core.member import Member, State
from snowcast.core.membership import Membership
from snowcast.core.timers import DoorTimer
from support.lone import record, records, send, sends
from support.rings import member

TIMER = DoorTimer()
US = records(range(4))


class Contact:
    """Node 0 and its door."""

    def __init__(self) -> None:
        self.context = Context(member(0), Config(), Random(1))
        self.membership = Membership(self.context, record(0))
        self.membership.learn(US, member(0), 0)
        self.context.outbox.take()
        self._gathered: list[Member] = []
        self.announced: list[tuple[Member, ...]] = []
        self.membership.announce = self._announce
        self.door = Door(self.context, self.membership, self._flush)

    def knock(self, *joiners: Member, now_us: int = 0) -> list[Effect]:
        for joiner in joiners:
            self.door.on_request(joiner, now_us)
        return self.context.outbox.take()

    def ready(self, i: int, refutations: int = 0, now_us: int = 0) -> list[Effect]:
        incarnation = record(i, refutations=refutations).incarnation
        self.door.on_ready(member(i), incarnation, now_us)
        return self.context.outbox.take()

    def fire(self, now_us: int) -> list[Effect]:
        self.door.on_timer(now_us)
        return self.context.outbox.take()

    def learn(self, *news: Member, source: int, now_us: int = 0) -> list[Effect]:
        self.membership.learn(news, member(source), now_us)
        return self.context.outbox.take()

    def _announce(self, news: Iterable[Member], now_us: int) -> None:
        self._gathered += news

    def _flush(self, now_us: int) -> None:
        self.announced.append(tuple(self._gathered))
        self._gathered.clear()


def test_who_knocks_first_gets_the_view_at_once() -> None:
    assert Contact().knock(record(9)) == [
        send(9, ViewPart((*US, record(9)), True)),
        SetTimer(TIMER, SECOND),
    ]


def test_tombstones_are_part_of_the_view() -> None:
    contact = Contact()
    contact.learn(record(3, State.LEFT), source=1)
    [(_, view)] = sends(contact.knock(record(9)))
    assert view.members == (*records(range(3)), record(3, State.LEFT), record(9))


def test_a_ready_joiner_becomes_a_member_and_is_announced() -> None:
    contact = Contact()
    contact.knock(record(9))
    assert contact.ready(9, now_us=20) == [
        CancelTimer(TIMER),
        MemberChanged(None, record(9)),
    ]
    assert contact.announced == [(record(9),)]
    assert member(9) in contact.context.view.ring


def test_a_joiner_is_announced_as_it_is_when_it_is_ready() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.ready(9, refutations=2)
    assert contact.announced == [(record(9, refutations=2),)]


def test_those_who_knock_meanwhile_wait_and_are_let_in_together() -> None:
    contact = Contact()
    contact.knock(record(9))
    assert contact.knock(record(7), record(8)) == [], "one batch at a time"
    effects = contact.ready(9, now_us=20)
    assert effects[-1] == SetTimer(TIMER, 20 + 200 * MS)
    *views, timer = contact.fire(20 + 200 * MS)
    everyone = (*US, record(9), record(7), record(8))
    assert views == [send(i, ViewPart(everyone, True)) for i in (7, 8)], "each other too"
    assert timer == SetTimer(TIMER, 20 + 200 * MS + SECOND)
    assert sends(contact.ready(8)) == []
    assert len(contact.announced) == 1, "7 is not ready yet"
    contact.ready(7)
    assert contact.announced == [(record(9),), (record(8), record(7))], "one announcement"


def test_who_knocks_soon_after_a_batch_waits_for_the_next() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.ready(9, now_us=20)
    assert contact.knock(record(7), now_us=30) == [SetTimer(TIMER, 20 + 200 * MS)]
    assert contact.knock(record(8), now_us=20 + 200 * MS) != []


def test_a_joiner_that_is_not_ready_in_time_is_given_the_view_again_once_it_is() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.knock(record(7), record(8))
    contact.ready(9)
    contact.fire(200 * MS)
    contact.ready(8)
    end_us = 200 * MS + SECOND
    assert contact.fire(end_us)[0] == CancelTimer(TIMER)
    assert contact.announced == [(record(9),), (record(8),)]
    next_us = end_us + 200 * MS
    assert contact.ready(7, now_us=end_us + 1) == [SetTimer(TIMER, next_us)], "not yet a member"
    assert member(7) not in contact.context.view.ring
    assert contact.ready(7, now_us=end_us + 2) == [], "once is enough"
    views = sends(contact.fire(next_us), ViewPart)
    assert [to for to, _ in views] == [7]
    contact.ready(7, now_us=next_us + 1)
    assert contact.announced[-1] == (record(7),)
    assert contact.door.sizes() == {"joiners": 3}, "those who have just come in"


def test_who_was_late_and_has_knocked_again_is_who_it_is_now() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.fire(SECOND)
    contact.knock(record(9, life=2), now_us=SECOND + 1)
    assert contact.ready(9, now_us=SECOND + 2) == []
    [(_, view)] = sends(contact.fire(SECOND + 200 * MS), ViewPart)
    assert view.members[-1] == record(9, life=2)


def test_a_batch_of_which_nobody_is_ready_is_announced_to_nobody() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.fire(SECOND)
    assert contact.announced == []
    assert contact.knock(record(8), now_us=SECOND + 200 * MS) != [], "the door opens again"


def test_a_timer_with_nobody_at_the_door_does_nothing() -> None:
    assert Contact().fire(0) == []


def test_who_knocks_twice_is_let_in_once() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.knock(record(7), record(7, life=2))
    contact.ready(9)
    views = sends(contact.fire(200 * MS), ViewPart)
    assert [to for to, _ in views] == [7]
    assert views[0][1].members[-1] == record(7, life=2)


def test_a_stranger_that_says_it_is_ready_is_not_announced() -> None:
    contact = Contact()
    assert contact.ready(9) == []
    contact.knock(record(8))
    assert contact.ready(9) == []
    assert contact.announced == []


def test_a_large_view_goes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "VIEW_PART_MEMBERS", 2)
    parts = [part for _, part in sends(Contact().knock(record(9)))]
    assert parts == [
        ViewPart(US[:2], False),
        ViewPart(US[2:], False),
        ViewPart((record(9),), True),
    ]


def test_news_of_others_is_passed_on_to_those_on_the_doorstep() -> None:
    contact = Contact()
    contact.knock(record(9))
    news = contact.learn(record(3, State.EVICTED), source=1)
    assert sends(news) == [(9, Records((record(3, State.EVICTED),)))]


def test_news_of_others_is_passed_on_to_who_has_just_come_in() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.ready(9)
    assert sends(contact.learn(record(5), source=1, now_us=5 * SECOND - 1)) == [
        (9, Records((record(5),)))
    ]
    assert sends(contact.learn(record(6), source=1, now_us=5 * SECOND)) == [], "known by now"
    assert contact.door.sizes() == {"joiners": 0}


def test_news_is_not_told_back_to_who_told_it_nor_if_it_is_the_contacts_own() -> None:
    contact = Contact()
    contact.knock(record(9))
    contact.ready(9)
    assert sends(contact.learn(record(5), source=9)) == []
    assert sends(contact.learn(record(6), source=0)) == [], "it announces that itself"


def test_the_door_remembers_nobody_for_long() -> None:
    contact = Contact()
    assert contact.door.sizes() == {"joiners": 0}
    contact.knock(record(9), record(8))
    assert contact.door.sizes() == {"joiners": 2}
    contact.ready(9)
    contact.fire(200 * MS)
    contact.ready(8)
    assert contact.door.sizes() == {"joiners": 2}
    contact.door.forget_old(10 * SECOND)
    assert contact.door.sizes() == {"joiners": 0}
