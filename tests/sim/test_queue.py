"""The event queue: order, marks, and timers that do not count any more."""

from __future__ import annotations

from heapq import heappop
from typing import Any

import pytest

from snowcast.core.events import PeerUnreachable
from snowcast.sim import queue as module
from snowcast.sim.cluster import address_of
from snowcast.sim.queue import DATAGRAM, Mark, Queue, is_stale, is_timer
from snowcast.sim.simnode import SimNode
from support.puppets import key, nack


def drained(queue: Queue) -> list[Any]:
    return [heappop(queue.heap)[4] for _ in range(len(queue))]


def node_with_timer(queue: Queue, at_us: int, number: int) -> SimNode:
    node = SimNode(0, address_of(0))
    node.timers[key(number)] = queue.push(at_us, node, 0, key(number))
    return node


def test_entries_come_by_time_and_then_in_the_order_they_were_added() -> None:
    queue = Queue()
    for at_us, what in ((5, "c"), (1, "a"), (5, "d"), (1, "b")):
        queue.push(at_us, None, 0, what)
    assert drained(queue) == ["a", "b", "c", "d"]


def test_a_mark_comes_after_all_that_happens_at_its_time() -> None:
    queue = Queue()
    mark = queue.mark(5)
    queue.push(5, None, 0, "a")
    queue.push(6, None, 0, "b")
    assert drained(queue) == ["a", mark, "b"]


def test_two_marks_at_one_time_do_not_disturb_each_other() -> None:
    queue = Queue()
    marks: list[Any] = [queue.mark(5), queue.mark(5)]
    assert drained(queue) == marks


def test_timers_are_told_from_everything_else() -> None:
    queue, node = Queue(), SimNode(0, address_of(0))
    queue.push(1, node, 0, key(1))
    queue.push(2, node, 0, PeerUnreachable(address_of(1)))
    queue.push(3, node, 0, [])
    queue.push(4, node, DATAGRAM, address_of(1), nack(1))
    queue.push(5, None, 0, print)
    assert [is_timer(entry) for entry in sorted(queue.heap)] == [True] + [False] * 4


def test_it_is_idle_while_it_holds_nothing_but_timers() -> None:
    queue = Queue()
    node_with_timer(queue, 5, 1)
    queue.mark(9)
    assert queue.is_idle()
    queue.push(7, None, 0, print)
    assert not queue.is_idle()


def test_a_timer_is_stale_once_its_key_is_set_again_or_cancelled_or_its_life_is_over() -> None:
    queue = Queue()
    node = node_with_timer(queue, 5, 1)
    entry = queue.heap[0]
    assert not is_stale(entry)
    node.timers[key(1)] += 1
    assert is_stale(entry)
    node.timers.clear()
    assert is_stale(entry)
    node = node_with_timer(queue, 1, 2)
    node.life = 1
    assert is_stale(queue.heap[0])


def test_stale_timers_never_outnumber_the_rest_by_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STALE_MIN", 10)
    queue, node = Queue(), SimNode(0, address_of(0))
    for at_us in range(1_000):
        if key(1) in node.timers:
            queue.drop_one()
        node.timers[key(1)] = queue.push(at_us, node, 0, key(1))
        assert len(queue) <= 21
    live = [entry for entry in queue.heap if not is_stale(entry)]
    assert [entry[0] for entry in live] == [999]


def test_rebuilding_keeps_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STALE_MIN", 1)
    queue = Queue()
    queue.push(7, None, 0, "c")
    queue.push(3, None, 0, "a")
    queue.push(3, None, 0, "b")
    mark = queue.mark(9)
    node = SimNode(0, address_of(0))
    for number in range(8):
        queue.push(number, node, 0, key(number))
    for _ in range(8):
        queue.drop_one()
    assert drained(queue) == ["a", "b", "c", mark]
    assert isinstance(mark, Mark)
