"""News of members gathers for a moment and goes out as one message, as new as can be."""

from __future__ import annotations

from random import Random

from snowcast.core.announcements import MEMBERS_MAX, Announcer
from snowcast.core.codec import decode_members
from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.effects import CancelTimer, Effect, SetTimer
from snowcast.core.member import Member, State
from snowcast.core.timers import AnnounceTimer
from support.lone import record, records
from support.rings import member

SUSPECT, EVICTED = State.SUSPECT, State.EVICTED
Sent = list[tuple[tuple[Member, ...], bool]]


class Desk:
    """An announcer of node 0 in a view of five, and the messages it has sent."""

    def __init__(self) -> None:
        self.context = Context(member(0), Config(announce_batch_us=50), Random(1))
        self.context.view.merge(records(range(5)), 0)
        self.sent: Sent = []
        self.announcer = Announcer(self.context, self._broadcast)

    def _broadcast(self, payload: bytes, is_reliable: bool, now_us: int) -> None:
        self.sent.append((decode_members(payload), is_reliable))

    def effects(self) -> list[Effect]:
        return self.context.outbox.take()


def test_what_is_announced_within_the_batch_time_is_one_message() -> None:
    desk = Desk()
    desk.announcer.add((record(7),), 100)
    desk.announcer.add((record(8), record(9)), 120)
    assert desk.effects() == [SetTimer(AnnounceTimer(), 150)], "the first sets the time"
    assert desk.announcer.sizes() == {"news": 3}
    desk.announcer.flush(150)
    assert desk.sent == [(records((7, 8, 9)), True)]
    assert desk.effects() == [CancelTimer(AnnounceTimer())]
    assert desk.announcer.sizes() == {"news": 0}


def test_nothing_is_sent_where_there_is_nothing_to_tell() -> None:
    desk = Desk()
    desk.announcer.add((), 0)
    desk.announcer.flush(0)
    assert (desk.sent, desk.effects()) == ([], [])


def test_after_a_message_the_next_news_sets_the_time_anew() -> None:
    desk = Desk()
    desk.announcer.add((record(7),), 0)
    desk.announcer.flush(50)
    desk.effects()
    desk.announcer.add((record(8),), 60)
    assert desk.effects() == [SetTimer(AnnounceTimer(), 110)]


def test_of_one_member_the_last_word_is_sent() -> None:
    desk = Desk()
    desk.announcer.add((record(7, SUSPECT),), 0)
    desk.announcer.add((record(7, refutations=1),), 0)
    desk.announcer.flush(50)
    assert desk.sent == [((record(7, refutations=1),), True)]


def test_what_is_known_by_now_is_sent_if_it_is_newer() -> None:
    desk = Desk()
    desk.announcer.add((record(1, SUSPECT), record(2, EVICTED)), 0)
    desk.context.view.merge((record(1, refutations=1), record(2, SUSPECT)), 10)
    desk.announcer.flush(50)
    assert desk.sent == [((record(1, refutations=1), record(2, EVICTED)), True)]


def test_suspicions_alone_need_no_acks_and_all_else_does() -> None:
    desk = Desk()
    desk.announcer.add((record(1, SUSPECT), record(2, SUSPECT)), 0)
    desk.announcer.flush(50)
    desk.announcer.add((record(1, SUSPECT), record(2, EVICTED)), 60)
    desk.announcer.flush(110)
    assert [is_reliable for _, is_reliable in desk.sent] == [False, True]


def test_very_much_news_is_several_messages() -> None:
    desk = Desk()
    desk.announcer.add(records(range(10, 11 + MEMBERS_MAX)), 0)
    desk.announcer.flush(50)
    assert [len(members) for members, _ in desk.sent] == [MEMBERS_MAX, 1]
    assert sum((members for members, _ in desk.sent), ()) == records(range(10, 11 + MEMBERS_MAX))
