"""What an application reads at its own pace: bounded buffers, and a word where one has overflowed.

Rules of this file:
- Nobody waits for a slow reader. When its buffer is full the oldest items are dropped, and the next
  thing it reads is a `Lagged` that says how many it missed.
- Each reader has a buffer of its own. What comes before there was any reader is kept for the first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar
from weakref import ref

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lagged:
    """In place of items that this reader was too slow for. The oldest ones were dropped."""

    missed: int


class Subscription(AsyncIterator[T | Lagged], Generic[T]):
    """One reader's view of a feed. Ends when the cluster is closed and all has been read."""

    def __init__(self, items_max: int, bytes_max: int, size_of: Callable[[T], int]) -> None:
        self._items: deque[T] = deque()
        self._items_max = items_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._size_of = size_of
        self._missed = 0
        self._waiter: asyncio.Future[None] | None = None
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._items)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T | Lagged:
        while True:
            if self._missed:
                missed, self._missed = self._missed, 0
                return Lagged(missed)
            if self._items:
                item = self._items.popleft()
                self._bytes -= self._size_of(item)
                return item
            if self._is_closed:
                raise StopAsyncIteration
            await self._wait()

    def close(self) -> None:
        """Take in nothing more; what is there can still be read."""
        self._is_closed = True
        self._wake()

    def push(self, item: T) -> int:
        """Take in an item; how many were dropped for it."""
        if self._is_closed:
            return 0
        items = self._items
        items.append(item)
        self._bytes += self._size_of(item)
        dropped = 0
        while len(items) > self._items_max or (self._bytes > self._bytes_max and len(items) > 1):
            self._bytes -= self._size_of(items.popleft())
            dropped += 1
        self._missed += dropped
        if self._waiter is not None:
            self._wake()
        return dropped

    async def _wait(self) -> None:
        if self._waiter is not None:
            raise RuntimeError("two tasks read one subscription: give each its own")
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Feed(Generic[T]):
    """Where items come in, for as many readers as there are."""

    def __init__(
        self, items_max: int, bytes_max: int = 1 << 62, size_of: Callable[[T], int] = lambda _: 0
    ) -> None:
        self._settings = items_max, bytes_max, size_of
        self._first: Subscription[T] | None = Subscription(*self._settings)
        self._subscriptions: list[ref[Subscription[T]]] = []
        self._is_closed = False
        self._add(self._first)

    def subscribe(self) -> Subscription[T]:
        """A reader of what comes from now on; the first one also gets what came before."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        subscription: Subscription[T] = Subscription(*self._settings)
        if self._is_closed:
            subscription.close()
        else:
            self._add(subscription)
        return subscription

    def push(self, item: T) -> int:
        """Give an item to all readers; how many items that made them miss."""
        missed = 0
        for subscription in self._subscriptions:
            reader = subscription()
            if reader is not None:
                missed += reader.push(item)
        return missed

    def close(self) -> None:
        """End all readers, once they have read what is there."""
        self._is_closed = True
        for subscription in self._subscriptions:
            reader = subscription()
            if reader is not None:
                reader.close()

    def _add(self, subscription: Subscription[T]) -> None:
        self._subscriptions = [*self._subscriptions, ref(subscription, self._drop)]

    def _drop(self, gone: ref[Subscription[T]]) -> None:
        # A new list, for a reader may go while the old one is being walked through.
        self._subscriptions = [one for one in self._subscriptions if one is not gone]
