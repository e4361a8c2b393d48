"""What a change in the view means to an application."""

from __future__ import annotations

import pytest

from snowcast.core.effects import MemberChanged
from snowcast.core.member import Member, State, first_incarnation
from snowcast.runtime import news
from support.loops import local


def member(state: State = State.ALIVE, life: int = 1, refuted: int = 0, name: str = "a") -> Member:
    """One and the same address in different circumstances."""
    return Member(local(7001), first_incarnation(life) + refuted, state, name)


ALIVE, SUSPECT = member(), member(State.SUSPECT)
EVICTED, LEFT = member(State.EVICTED), member(State.LEFT)
WELL = member(refuted=1)


@pytest.mark.parametrize(
    ("old", "new", "event"),
    [
        (None, ALIVE, news.MemberJoined(ALIVE)),
        (None, SUSPECT, news.MemberJoined(SUSPECT)),
        (None, LEFT, None),
        (ALIVE, SUSPECT, news.MemberSuspected(SUSPECT)),
        (SUSPECT, WELL, news.MemberRefuted(WELL)),
        (SUSPECT, EVICTED, news.MemberEvicted(EVICTED)),
        (ALIVE, EVICTED, news.MemberEvicted(EVICTED)),
        (ALIVE, LEFT, news.MemberLeft(LEFT)),
        (EVICTED, LEFT, None),
        (EVICTED, WELL, news.MemberJoined(WELL)),
        (LEFT, member(life=2), news.MemberJoined(member(life=2))),
        (ALIVE, member(life=2), news.MemberJoined(member(life=2), is_restart=True)),
        (ALIVE, WELL, None),
        (ALIVE, member(refuted=1, name="b"), news.MemberUpdated(member(refuted=1, name="b"))),
    ],
)
def test_a_change_is_told_as_what_happened(
    old: Member | None, new: Member, event: news.MemberEvent | None
) -> None:
    assert news.member_event(MemberChanged(old, new)) == event


def test_a_receipt_is_complete_when_nobody_is_missing_named_or_not() -> None:
    assert news.Receipt("id", 3, (), 0, 0.1, 1).is_complete
    assert not news.Receipt("id", 3, ("a",), 0, 0.1, 1).is_complete
    assert not news.Receipt("id", 3, (), 2, 0.1, 1).is_complete
