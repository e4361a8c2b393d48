"""The event queue: a heap of tuples, ordered by (at_us, sequence), so that no two are equal.

An entry is `(at_us, sequence, node, life, what, frame)`:

    arrival       node, its life when the frame was sent (DATAGRAM for one), the sender, frame
    departure     node, its life, the list of sends that waited, None
    error         node, its life, the PeerUnreachable to handle, None
    timer         node, its life, the key, None
    action        None, 0, a function without arguments, None
    mark          None, 0, a Mark at which a run stops, None

A timer that was set again or cancelled stays in the heap and is ignored when it comes up: it counts
only if its sequence number is the one the node keeps for the key. When such entries are the larger
part, the heap is rebuilt without them.
"""

from __future__ import annotations

from heapq import heapify, heappush
from typing import Any

from snowcast.core.events import PeerUnreachable

# Any for the node, which is None for actions and marks: the loop cannot afford to ask.
Entry = tuple[int, int, Any, int, Any, Any]

DATAGRAM = -1
STALE_MIN = 4_096
"""With fewer stale entries than this the heap is left as it is."""
_LAST = 1 << 62  # after everything else of that time


class Mark:
    """A place in the queue."""


class Queue:
    """What is going to happen."""

    __slots__ = ("_marks", "heap", "sequence", "stale")

    def __init__(self) -> None:
        self.heap: list[Entry] = []
        self.sequence = 0
        self.stale = 0
        """How many timer entries have been replaced or cancelled since the last rebuild."""
        self._marks = 0

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, at_us: int, node: Any, life: int, what: Any, frame: Any = None) -> int:
        """Add an entry; its sequence number."""
        self.sequence = sequence = self.sequence + 1
        heappush(self.heap, (at_us, sequence, node, life, what, frame))
        return sequence

    def mark(self, at_us: int) -> Mark:
        """Add a mark that comes after all that happens until `at_us`, that moment included."""
        mark = Mark()
        self._marks += 1
        heappush(self.heap, (at_us, _LAST + self._marks, None, 0, mark, None))
        return mark

    def drop_one(self) -> None:
        """One more timer entry is stale; when they are the larger part, all of them go."""
        self.stale += 1
        if self.stale >= STALE_MIN and 2 * self.stale > len(self.heap):
            self.heap[:] = [entry for entry in self.heap if not is_stale(entry)]
            heapify(self.heap)
            self.stale = 0

    def is_idle(self) -> bool:
        """Whether nothing is left but timers."""
        return all(is_timer(entry) or type(entry[4]) is Mark for entry in self.heap)


def is_timer(entry: Entry) -> bool:
    """Whether this entry is a timer, stale or not."""
    _, _, node, _, what, frame = entry
    return frame is None and node is not None and type(what) not in (list, PeerUnreachable)


def is_stale(entry: Entry) -> bool:
    """Whether this entry is a timer that has been set again, cancelled or outlived."""
    _, sequence, node, life, what, _ = entry
    return is_timer(entry) and (life != node.life or node.timers.get(what) != sequence)
