"""Several streams of an agent as one, in the order in which things come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping

from snowcast.agent.client import Event

Item = tuple[str, Event | None]
AHEAD_MAX = 64  # then the agent waits, and tells what was missed


def merged(streams: Mapping[str, Iterator[Event | None]]) -> Iterator[Item]:
    """What comes, with the name of its stream; ends when all have ended."""
    if len(streams) == 1:
        [(name, stream)] = streams.items()
        yield from ((name, event) for event in stream)
        return
    items: queue.Queue[Item | BaseException | None] = queue.Queue(AHEAD_MAX)

    def read(name: str, stream: Iterator[Event | None]) -> None:
        try:
            for event in stream:
                items.put((name, event))
        except BaseException as error:
            items.put(error)
        items.put(None)

    for name, stream in streams.items():
        threading.Thread(target=read, args=(name, stream), daemon=True).start()
    left = len(streams)
    while left:
        item = items.get()
        if item is None:
            left -= 1
        elif isinstance(item, BaseException):
            raise item
        else:
            yield item
