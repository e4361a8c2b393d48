"""What the parts of a node share, and that a broadcaster need not do more than it must."""

from __future__ import annotations

from random import Random

import pytest

from snowcast.core.config import Config
from snowcast.core.context import Broadcaster, Context
from snowcast.core.events import Start, TimerFired
from snowcast.core.frames import Data, MessageId, Nack
from snowcast.core.member import State
from snowcast.core.node import Node
from snowcast.core.ring import RingOrder
from snowcast.core.timers import HopTimer, SyncTimer
from snowcast.core.trees import Mode
from support.lone import data, hop_timer, message, receive, record, records
from support.rings import member


class Mute(Broadcaster):
    """The least that a broadcaster can be."""

    def start(
        self, id: MessageId, payload: bytes, mode: Mode, reliable: bool, system: bool, now_us: int
    ) -> None:
        """Say nothing."""

    def on_data(self, sender: object, data: Data, now_us: int) -> None:
        """Hear nothing."""


def test_a_context_starts_with_an_empty_view_in_the_order_of_its_cluster() -> None:
    for order in RingOrder:
        context = Context(member(0), Config(ring_order=order), Random(1))
        assert (len(context.view), context.view.ring.order) == (0, order)
        assert context.outbox.take() == []


def test_nobody_has_to_listen_to_a_broadcaster() -> None:
    context = Context(member(0), Config(), Random(1))
    context.on_message(data(1), 0)
    context.on_silent(member(1), 0)
    assert context.outbox.take() == []


def test_a_broadcaster_must_say_how_it_starts_and_what_it_does_with_data() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Broadcaster(Context(member(0), Config(), Random(1)))  # type: ignore[abstract]


def test_all_else_a_broadcaster_may_leave_alone() -> None:
    node = Node(record(0), Config(), Random(0), Mute)
    node.handle(Start(members=records(range(3))), 0)
    key: HopTimer = hop_timer(data(1, 0, 2))
    assert receive(node, 1, Nack(0)) == []
    assert node.handle(TimerFired(key), 1) == []
    mute = Mute(Context(member(0), Config(), Random(1)))
    mute.on_frame(member(1), Nack(1), 0)
    mute.on_unsent(member(1), data(1), 0)
    mute.on_arrived(record(1), 0)
    mute.on_departed(record(1, State.LEFT), 0)
    mute.forget_origin(member(1))
    mute.forget_old(0)
    assert mute.sizes() == {}
    assert mute.context.outbox.take() == []


def test_a_node_runs_on_whatever_broadcaster_it_is_given() -> None:
    node = Node(record(0), Config(tombstone_us=1), Random(0), Mute)
    node.handle(Start(members=(record(1), record(2, State.LEFT))), 0)
    assert set(node.sizes()) >= {"suspicions", "probes"}
    assert "seen" not in node.sizes()
    assert receive(node, 1, data(1)) == []
    node.handle(TimerFired(SyncTimer()), 2)
    assert node.view.tombstones() == []


def test_message_ids_read_as_origin_life_and_number() -> None:
    assert str(message(5, 7)) == "10.0.0.5:7946/1/7"
