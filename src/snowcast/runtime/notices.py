"""What the core has to say, passed on to whom it concerns: readers, waiting calls, counters."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import assert_never

from snowcast.core import effects
from snowcast.core.address import Address
from snowcast.core.frames import MessageId
from snowcast.core.member import Member
from snowcast.runtime import news
from snowcast.runtime.clock import US
from snowcast.runtime.counters import Counters
from snowcast.runtime.errors import ClosedError
from snowcast.runtime.feeds import Feed

SOURCES_MAX = 4096

log = logging.getLogger("snowcast")


class Notices:
    """Where the core's notices go."""

    def __init__(
        self,
        messages: Feed[news.Message],
        events: Feed[news.ClusterEvent],
        member: Callable[[Address], Member | None],
    ) -> None:
        self.joined = asyncio.Event()
        self.stopped = asyncio.Event()
        self._messages = messages
        self._events = events
        self._member = member
        self._counters = Counters()
        self._requests = 0
        # What those are called that messages have come from lately, and how their ids begin.
        self._sources: dict[tuple[Address, int], tuple[str, str]] = {}
        self.last_accepted: MessageId | None = None
        self.on_question: Callable[[MessageId, bytes], None] = lambda id, payload: None
        self.on_answer: Callable[[MessageId, Address, str], None] = lambda id, sender, text: None
        self._asked: dict[int, asyncio.Future[news.Receipt]] = {}
        self._awaited: dict[MessageId, asyncio.Future[news.Receipt]] = {}

    def attach(self, counters: Counters) -> None:
        """Count there from now on."""
        self._counters = counters

    def next_request(self) -> int:
        """A number for a broadcast."""
        self._requests += 1
        return self._requests

    def expect(self, request: int) -> asyncio.Future[news.Receipt]:
        """Where the receipt of a reliable broadcast will be."""
        self._asked[request] = future = asyncio.get_running_loop().create_future()
        return future

    def take(self, notice: effects.Notice) -> None:
        """Pass a notice on."""
        match notice:
            case effects.Delivered():
                if notice.is_control:
                    self.on_question(notice.id, notice.payload)
                else:
                    self._on_delivered(notice)
            case effects.Answered():
                self.on_answer(notice.id, notice.sender, notice.text)
            case effects.MemberChanged():
                self._on_change(notice)
            case effects.Accepted():
                self.last_accepted = notice.id
                asked = self._asked.pop(notice.request, None)
                if asked is not None:
                    self._awaited[notice.id] = asked
            case effects.Receipt():
                self._on_receipt(notice)
            case effects.Joined():
                self.joined.set()
                self._events.push(news.Joined())
            case effects.Stopped():
                self.stopped.set()
            case effects.Expired():
                self._counters.messages_expired += 1
            case effects.BadFrame():
                self._counters.frames_bad += 1
                log.debug("a frame from %s made no sense here: %s", notice.sender, notice.reason)
            case _:
                assert_never(notice)

    def queue_full(self, peer: Address, frames: int) -> None:
        """A peer's queue is full."""
        self._events.push(news.QueueFull(peer, frames))

    def close(self) -> None:
        """End all readers, and tell those who wait that there is nothing to wait for."""
        self._messages.close()
        self._events.close()
        for waiting in (*self._asked.values(), *self._awaited.values()):
            if not waiting.done():
                waiting.set_exception(ClosedError("this node left before the receipt came"))
        self._asked.clear()
        self._awaited.clear()

    def _on_delivered(self, delivered: effects.Delivered) -> None:
        id = delivered.id
        source = self._sources.get((id.origin, id.life))
        if source is None:
            if len(self._sources) >= SOURCES_MAX:
                self._sources.clear()
            source = self._label(id.origin), str(id).removesuffix(str(id.sequence))
            self._sources[id.origin, id.life] = source
        label, prefix = source
        # Only here is a large payload copied: the application gets bytes, whatever is passed on.
        payload = bytes(delivered.payload)
        message = news.Message(payload, id.origin, label, f"{prefix}{id.sequence}", delivered.hop)
        self._counters.messages_delivered += 1
        self._counters.messages_lagged += self._messages.push(message)

    def _on_change(self, change: effects.MemberChanged) -> None:
        self._sources.clear()
        event = news.member_event(change)
        if event is None:
            return
        counters = self._counters
        match event:
            case news.MemberJoined():
                counters.members_joined += 1
            case news.MemberLeft():
                counters.members_left += 1
            case news.MemberEvicted():
                counters.members_evicted += 1
            case news.MemberSuspected():
                counters.members_suspected += 1
            case news.MemberRefuted():
                counters.members_refuted += 1
            case news.MemberUpdated():
                pass
            case _:
                assert_never(event)
        counters.messages_lagged += self._events.push(event)

    def _on_receipt(self, receipt: effects.Receipt) -> None:
        if receipt.is_complete:
            self._counters.receipts_complete += 1
        else:
            self._counters.receipts_incomplete += 1
        waiting = self._awaited.pop(receipt.id, None)
        if waiting is None or waiting.done():
            return
        missing = tuple([self._label(address) for address in receipt.missing])
        waiting.set_result(
            news.Receipt(
                str(receipt.id),
                receipt.delivered,
                missing,
                receipt.unnamed,
                receipt.elapsed_us / US,
                receipt.attempts,
                receipt.missing,
            )
        )

    def _label(self, address: Address) -> str:
        member = self._member(address)
        return member.label if member is not None else str(address)
