"""Server-sent events: what they look like, what a slow reader misses, and how they end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from snowcast.agent import sse
from snowcast.core.member import Member
from snowcast.runtime.feeds import Feed, Lagged
from snowcast.runtime.news import MemberLeft, Message
from support.agents import agent, pair
from support.http import Speaker, speaker
from support.loops import local, on_loop, until


def message(number: int, payload: bytes = b"x") -> Message:
    """Some message."""
    return Message(payload, local(7), "a", f"id-{number}", 2)


def test_a_message_is_one_event_with_its_id() -> None:
    assert sse.encoded(message(3, b"two\nlines")) == (
        b"event: message\nid: id-3\n"
        b'data: {"id":"id-3","sender":"a","origin":"127.0.0.1:7","hop":2,'
        b'"text":"two\\nlines","base64":null}\n\n'
    )


def test_what_becomes_of_members_and_what_was_missed_are_events_too() -> None:
    assert sse.encoded(Lagged(7)) == b'event: lagged\ndata: {"missed":7}\n\n'
    left = sse.encoded(MemberLeft(Member(local(1), 65536, name="b")))
    assert left.startswith(b'event: event\ndata: {"event":"left","member":{"name":"b",')
    assert left.endswith(b"\n\n")
    assert b"id:" not in left


@on_loop
async def test_what_waits_is_sent_together_but_not_without_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    feed: Feed[Message] = Feed(100)
    reader = feed.subscribe()
    for number in range(3):
        feed.push(message(number))
    assert await sse._next(reader) == b"".join(sse.encoded(message(n)) for n in range(3))
    monkeypatch.setattr(sse, "CHUNK_BYTES", 1)
    for number in range(2):
        feed.push(message(number))
    assert await sse._next(reader) == sse.encoded(message(0))
    assert await sse._next(reader) == sse.encoded(message(1))
    feed.close()
    assert await sse._next(reader) is None


@on_loop
async def test_a_reader_sees_that_the_agent_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_S", 0.02)
    async with agent(tmp_path) as a, speaker(a) as to:
        response = await to.session.get(to.base + "/v1/events")
        assert {name: response.headers[name] for name in sse.HEADERS} == sse.HEADERS
        assert await response.content.readuntil(b"\n\n") == sse.LISTENING
        assert await response.content.readuntil(b"\n\n") == sse.HEARTBEAT
        assert await response.content.readuntil(b"\n\n") == sse.HEARTBEAT
        response.close()


async def body(to: Speaker, path: str) -> bytes:
    """All of a stream."""
    return (await to.ask("GET", path)).body


@on_loop
async def test_a_stream_ends_with_a_word_when_the_agent_leaves(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b), speaker(a) as to:
        reading = asyncio.create_task(body(to, "/v1/messages"))
        await until(lambda: a.meters.streams == 1)
        await b.cluster.broadcast(b"hello", reliable=True)
        a.leave(0.0)
        text = await reading
    assert text.startswith(sse.LISTENING)
    assert b'"text":"hello"' in text
    assert text.endswith(sse.END)


@on_loop
async def test_a_reader_who_goes_is_forgotten_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with agent(tmp_path) as a, speaker(a) as to:
        response = await to.session.get(to.base + "/v1/messages")
        await response.content.readuntil(b"\n\n")
        assert a.meters.streams == 1
        response.close()
        await until(lambda: a.meters.streams == 0)


@on_loop
async def test_a_reader_who_has_stopped_gives_up_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "WRITE_S", 0.2)
    async with pair(tmp_path, control={"streams_max": 1}) as (a, b):
        _, writer = await asyncio.open_unix_connection(a.settings.socket, limit=1 << 10)
        writer.write(b"GET /v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await until(lambda: a.meters.streams == 1)
        while a.meters.streams:  # nobody reads
            await b.cluster.broadcast(b"x" * 200_000, reliable=True)
        async with speaker(a) as to:
            response = await to.session.get(to.base + "/v1/messages")
            assert response.status == 200
            response.close()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@on_loop
async def test_a_reader_who_is_too_slow_is_told_how_much_it_missed(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"messages_max": 4}
    async with pair(tmp_path, limits=limits) as (a, b):
        reader, writer = await asyncio.open_unix_connection(a.settings.socket, limit=1 << 19)
        writer.write(b"GET /v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(sse.LISTENING)
        sent = 0
        while not a.cluster.counters.messages_lagged:  # nobody reads meanwhile
            assert (await b.cluster.broadcast(b"x" * 200_000, reliable=True)).is_complete
            sent += 1
        await b.cluster.broadcast(b"the last", reliable=True)
        missed = heard = 0
        text = b""
        while b"the last" not in text:
            text = await reader.readuntil(b"\n\n")
            heard += text.count(b"event: message")
            if b"event: lagged" in text:
                missed += int(text.partition(b'"missed":')[2].partition(b"}")[0])
        assert missed == a.cluster.counters.messages_lagged > 0
        assert heard + missed == sent + 1
        writer.close()
        await writer.wait_closed()
