"""Bounded buffers, and a word where one has overflowed."""

from __future__ import annotations

import asyncio
import gc

import pytest

from snowcast.runtime.feeds import Feed, Lagged
from support.loops import on_loop, turns


@on_loop
async def test_each_reader_gets_everything_from_when_it_began_and_the_first_what_came_before() -> (
    None
):
    feed: Feed[int] = Feed(10)
    feed.push(1)
    first = feed.subscribe()
    second = feed.subscribe()
    feed.push(2)
    feed.close()

    assert [item async for item in first] == [1, 2]
    assert [item async for item in second] == [2]


@on_loop
async def test_a_slow_reader_loses_the_oldest_and_is_told_how_many() -> None:
    feed: Feed[int] = Feed(3)
    reader = feed.subscribe()
    dropped = [feed.push(number) for number in range(5)]

    assert dropped == [0, 0, 0, 1, 1]
    assert [await anext(reader) for _ in range(4)] == [Lagged(2), 2, 3, 4]
    feed.push(5)
    assert await anext(reader) == 5


@on_loop
async def test_bytes_are_bounded_too_but_one_item_always_fits() -> None:
    feed: Feed[bytes] = Feed(100, 10, len)
    reader = feed.subscribe()
    for item in (b"123456", b"1234", b"1", b"x" * 50):
        feed.push(item)
    feed.close()

    assert [item async for item in reader] == [Lagged(3), b"x" * 50]


@on_loop
async def test_a_reader_that_waits_is_woken_by_an_item_and_by_the_end() -> None:
    feed: Feed[int] = Feed(10)
    reader = feed.subscribe()

    async def read() -> list[int | Lagged]:
        return [item async for item in reader]

    task = asyncio.create_task(read())
    await turns()
    feed.push(7)
    await turns()
    feed.close()

    assert await task == [7]
    with pytest.raises(StopAsyncIteration):
        await anext(feed.subscribe())


@on_loop
async def test_a_cancelled_read_loses_nothing() -> None:
    feed: Feed[int] = Feed(10)
    reader = feed.subscribe()
    task = asyncio.create_task(anext(reader))
    await turns()
    feed.push(1)
    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert await anext(reader) == 1


@on_loop
async def test_two_tasks_cannot_read_one_subscription() -> None:
    reader = Feed[int](10).subscribe()
    task = asyncio.create_task(anext(reader))
    await turns()
    with pytest.raises(RuntimeError, match="give each its own"):
        await anext(reader)
    task.cancel()
    await asyncio.wait([task])


@on_loop
async def test_a_reader_that_nobody_holds_any_more_is_forgotten() -> None:
    feed: Feed[int] = Feed(2)
    feed.subscribe()
    feed.subscribe()
    gc.collect()

    assert [feed.push(number) for number in range(5)] == [0] * 5
