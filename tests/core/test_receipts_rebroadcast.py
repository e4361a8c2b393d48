"""The paper's recovery: the origin starts the same message again until a tree is complete.

DESIGN 5, `rebroadcast`. Node 5 of ten has the children 2 and 8, and starts again every 10 s.
"""

from __future__ import annotations

from snowcast.core.config import SECOND, Config, Recovery
from snowcast.core.effects import Receipt, SetTimer
from snowcast.core.frames import Ack, Data
from snowcast.core.member import State
from snowcast.core.timers import ReceiptTimer
from snowcast.core.trees import Mode
from support.cluster import VirtualCluster
from support.lone import STANDARD, Lone, data, message, parts, sends
from support.rings import member

TIMER = ReceiptTimer(message(5))


def origin(mode: Mode = Mode.STANDARD) -> Lone:
    node = Lone(5, 10, recovery=Recovery.REBROADCAST)
    node.start(mode)
    return node


def ack(attempt: int, delivered: int, *missing: int) -> Ack:
    return Ack(message(5), STANDARD, attempt, True, delivered, tuple(map(member, missing)))


def receipts(effects: list[object]) -> list[Receipt]:
    return [effect for effect in effects if isinstance(effect, Receipt)]


def test_the_same_message_goes_out_again_as_another_attempt() -> None:
    node = origin()
    effects = node.fire(TIMER, 10 * SECOND)
    assert sends(effects) == [
        (2, data(5, 0, 4, attempt=1, is_reliable=True)),
        (8, data(5, 6, 9, attempt=1, is_reliable=True)),
    ]
    assert SetTimer(TIMER, 20 * SECOND) in effects


def test_it_stops_when_a_tree_is_complete_and_says_how_many_attempts_that_took() -> None:
    node = origin()
    node.fire(TIMER, 10 * SECOND)
    node.receive(2, ack(1, 5), 10 * SECOND)
    [told] = receipts(node.receive(8, ack(1, 4), 11 * SECOND))
    assert told == Receipt(message(5), 9, (), 0, 11 * SECOND, 2)
    assert node.fire(TIMER, 20 * SECOND) == []


def test_an_account_of_an_earlier_attempt_does_not_count() -> None:
    node = origin()
    node.receive(2, ack(0, 5))
    node.fire(TIMER, 10 * SECOND)
    assert node.receive(8, ack(0, 4)) == []
    assert node.receive(8, ack(1, 4)) == []
    assert len(receipts(node.receive(2, ack(1, 5)))) == 1


def test_who_was_evicted_meanwhile_is_left_out_of_the_next_attempt_and_named() -> None:
    node = origin()
    assert node.depart(8, State.EVICTED) == []
    assert parts(node.fire(TIMER, 10 * SECOND)) == {3: (1, 4), 9: (6, 0)}
    node.receive(3, ack(1, 4))
    [told] = receipts(node.receive(9, ack(1, 4)))
    assert (told.delivered, told.missing, told.attempts) == (8, (member(8),), 2)


def test_who_left_meanwhile_is_not_named() -> None:
    node = origin()
    node.depart(8, State.LEFT)
    node.fire(TIMER, 10 * SECOND)
    node.receive(3, ack(1, 4))
    [told] = receipts(node.receive(9, ack(1, 4)))
    assert told.is_complete


def test_the_deadline_ends_the_attempts() -> None:
    node = origin()
    node.fire(TIMER, 10 * SECOND)
    effects = node.fire(TIMER, 20 * SECOND)
    assert SetTimer(TIMER, 30 * SECOND) in effects
    [told] = receipts(node.fire(TIMER, 30 * SECOND))
    assert (len(told.missing), told.attempts) == (9, 3)
    assert node.broadcaster.sizes() == {"seen": 1, "receipts": 0, "custodies": 0, "accounts": 0}


def test_the_last_attempt_is_cut_short_by_the_deadline() -> None:
    node = Lone(
        5,
        10,
        recovery=Recovery.REBROADCAST,
        rebroadcast_timeout_us=20 * SECOND,
        reliable_deadline_us=25 * SECOND,
    )
    node.start()
    assert SetTimer(TIMER, 25 * SECOND) in node.fire(TIMER, 20 * SECOND)


def test_both_trees_are_started_again() -> None:
    node = origin(Mode.COLORING)
    again = sends(node.fire(TIMER, 10 * SECOND))
    assert [to for to, _ in again] == [3, 9, 4]
    assert {frame.attempt for _, frame in again} == {1}


def test_in_a_cluster_the_dead_are_evicted_and_the_next_attempt_reaches_the_rest_once() -> None:
    cluster = VirtualCluster.of(10, Config(fanout=2, recovery=Recovery.REBROADCAST))
    cluster.crash(8)
    cluster.broadcast(5, b"hello", is_reliable=True)
    cluster.run(5 * SECOND)
    assert cluster.deliveries(b"hello") == [0, 1, 2, 3, 4], "those behind 8 are still without"
    cluster.settle()
    assert cluster.deliveries(b"hello") == [0, 1, 2, 3, 4, 6, 7, 9]
    told = cluster.receipt()
    assert (told.delivered, told.missing, told.attempts) == (8, (member(8),), 2)
    first, second = (
        {sent.to for sent in cluster.sent(Data) if _is(sent.frame, attempt)} for attempt in (0, 1)
    )
    assert first == {0, 1, 2, 3, 4, 8}
    assert second == {0, 1, 2, 3, 4, 6, 7, 9}


def _is(frame: object, attempt: int) -> bool:
    return isinstance(frame, Data) and not frame.is_system and frame.attempt == attempt
