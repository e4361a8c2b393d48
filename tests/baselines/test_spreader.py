"""What all baselines share: a message is delivered once and passed on once."""

from __future__ import annotations

from typing import Any

import pytest

from snowcast.baselines.registry import protocol, protocol_names
from snowcast.baselines.spreader import Spreader, onward
from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.core.effects import BadFrame, Expired
from snowcast.core.frames import Ack, AckQuery, Data
from snowcast.core.trees import Tree
from support.lone import message, send
from support.rings import member
from support.spreaders import Alone, copy


class ToTheNext(Spreader):
    """Passes on to the node with the next number, and notes what it is asked to do."""

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self.again: list[Address] = []

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        self.push(data, [member(8), member(9)], but=sender)

    def on_duplicate(self, sender: Address, data: Data, now_us: int) -> None:
        self.again.append(sender)


def test_an_origin_sends_at_hop_1_with_no_region_and_delivers_nothing_to_itself() -> None:
    node = Alone(ToTheNext, 7, 10)
    assert node.start() == [send(8, copy(7)), send(9, copy(7))]
    assert node.delivered == []


def test_a_first_copy_is_delivered_and_passed_on_one_hop_further() -> None:
    node = Alone(ToTheNext, 7, 10)
    assert node.receive(6, copy(1, hop=3)) == [send(8, copy(1, hop=4)), send(9, copy(1, hop=4))]
    assert node.delivered == [message(1)]


def test_nobody_is_sent_what_it_has_just_sent() -> None:
    assert Alone(ToTheNext, 7, 10).receive(8, copy(1)) == [send(9, copy(1, hop=2))]


def test_a_second_copy_is_neither_delivered_nor_passed_on() -> None:
    node = Alone(ToTheNext, 7, 10)
    node.receive(6, copy(1))
    assert node.receive(5, copy(1, hop=2)) == []
    assert node.delivered == [message(1)]
    assert node.algorithm.again == [member(5)]


def test_its_own_message_comes_back_as_a_second_copy() -> None:
    node = Alone(ToTheNext, 7, 10)
    node.start()
    assert node.receive(6, copy(7, hop=2)) == []
    assert node.delivered == []


def test_a_copy_of_what_was_forgotten_is_told_and_dropped() -> None:
    node = Alone(ToTheNext, 7, 10, seen_max=1)
    node.receive(6, copy(1, sequence=1))
    node.receive(6, copy(1, sequence=2))
    assert node.receive(6, copy(1, sequence=1)) == [Expired(message(1, 1))]
    assert node.delivered == [message(1, 1), message(1, 2)]


@pytest.mark.parametrize("kind", [{}, {"is_system": True}, {"is_control": True}])
def test_a_copy_stays_what_its_message_is(kind: dict[str, bool]) -> None:
    assert onward(copy(1, hop=1, **kind)) == copy(1, hop=2, **kind)


def test_age_and_departures_let_go_of_messages() -> None:
    node = Alone(ToTheNext, 7, 10, seen_age_us=SECOND)
    node.receive(6, copy(1))
    assert node.algorithm.sizes() == {"seen": 1}
    node.algorithm.forget_old(3 * SECOND)
    assert node.algorithm.sizes() == {"seen": 0}
    node.algorithm.forget_origin(member(1))
    node.receive(6, copy(1), 4 * SECOND)
    assert node.delivered == [message(1), message(1)]  # nothing is known of that origin any more


@pytest.mark.parametrize("name", [n for n in protocol_names() if not protocol(n).is_snow])
def test_frames_of_other_algorithms_are_bad_and_told(name: str) -> None:
    make = protocol(name).make_broadcaster
    assert make is not None
    node: Alone[Any] = Alone(make, 7, 10)
    for frame in (Ack(message(1), Tree.STANDARD, 0, True), AckQuery(message(1), Tree.STANDARD, 0)):
        [told] = node.receive(6, frame)
        assert isinstance(told, BadFrame)
        assert told.sender == member(6)
