"""Notices reach whom they concern."""

from __future__ import annotations

import asyncio

import pytest

from snowcast.core import effects
from snowcast.core.address import Address
from snowcast.core.frames import MessageId
from snowcast.core.member import Member, State
from snowcast.runtime import news
from snowcast.runtime.counters import Counters
from snowcast.runtime.errors import ClosedError
from snowcast.runtime.feeds import Feed, Lagged
from snowcast.runtime.notices import Notices
from support.loops import local, on_loop

NAMES = {local(7002): "b"}
ID = MessageId(local(7002), 1, 5)


class Front:
    """Notices, and where they go."""

    def __init__(self) -> None:
        self.messages: Feed[news.Message] = Feed(2)
        self.events: Feed[news.ClusterEvent] = Feed(10)
        self.counters = Counters()
        self.notices = Notices(self.messages, self.events, _member)
        self.notices.attach(self.counters)

    async def told(self) -> list[news.ClusterEvent | Lagged]:
        reader = self.events.subscribe()
        self.events.close()
        return [event async for event in reader]


def _member(address: Address) -> Member | None:
    return Member(address, 1, name=NAMES[address]) if address in NAMES else None


@on_loop
async def test_a_delivery_is_a_message_with_the_name_of_its_sender() -> None:
    front = Front()
    reader = front.messages.subscribe()
    for _ in range(3):
        front.notices.take(effects.Delivered(ID, b"hi", 2))

    assert await anext(reader) == Lagged(1)
    assert await anext(reader) == news.Message(b"hi", local(7002), "b", str(ID), 2)
    assert (front.counters.messages_delivered, front.counters.messages_lagged) == (3, 1)


@on_loop
async def test_a_receipt_finds_its_call_and_names_the_missing() -> None:
    front = Front()
    request = front.notices.next_request()
    answer = front.notices.expect(request)
    front.notices.take(effects.Accepted(request, ID))
    missing = (local(7002), local(7003))
    front.notices.take(effects.Receipt(ID, 7, missing, 1, 1_500_000, 2))

    names = ("b", "127.0.0.1:7003")
    assert await answer == news.Receipt(str(ID), 7, names, 1, 1.5, 2, missing)
    assert front.counters.receipts_incomplete == 1
    front.notices.take(effects.Receipt(ID, 9, (), 0, 1, 1))
    assert front.counters.receipts_complete == 1


@on_loop
async def test_changes_are_events_and_are_counted() -> None:
    front = Front()
    alive = Member(local(7002), 1 << 16)
    for old, new in (
        (None, alive),
        (alive, Member(local(7002), 1 << 16, State.SUSPECT)),
        (Member(local(7002), 1 << 16, State.SUSPECT), Member(local(7002), (1 << 16) + 1)),
        (alive, Member(local(7002), 1 << 16, name="c")),
        (alive, Member(local(7002), 1 << 16, State.EVICTED)),
        (alive, Member(local(7002), 1 << 16, State.LEFT)),
        (None, Member(local(7002), 1 << 16, State.LEFT)),
    ):
        front.notices.take(effects.MemberChanged(old, new))
    front.notices.take(effects.Joined())
    front.notices.queue_full(local(7003), 4)

    assert [type(event) for event in await front.told()] == [
        news.MemberJoined,
        news.MemberSuspected,
        news.MemberRefuted,
        news.MemberUpdated,
        news.MemberEvicted,
        news.MemberLeft,
        news.Joined,
        news.QueueFull,
    ]
    counted = front.counters.as_dict()
    for what in ("joined", "suspected", "refuted", "evicted", "left"):
        assert counted[f"members_{what}"] == 1
    assert front.notices.joined.is_set()


@on_loop
async def test_what_goes_wrong_is_counted() -> None:
    front = Front()
    front.notices.take(effects.Expired(ID))
    front.notices.take(effects.BadFrame(local(7002), "no sense"))
    front.notices.take(effects.Stopped())

    assert (front.counters.messages_expired, front.counters.frames_bad) == (1, 1)
    assert front.notices.stopped.is_set()


@on_loop
async def test_closing_tells_those_who_wait_for_a_receipt() -> None:
    front = Front()
    first, second = front.notices.expect(1), front.notices.expect(2)
    front.notices.take(effects.Accepted(1, ID))
    front.notices.close()

    for waiting in (first, second):
        with pytest.raises(ClosedError, match="left before the receipt"):
            await asyncio.wait_for(waiting, 1)
