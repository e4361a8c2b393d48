"""Deliver once, forward every assignment: what one node does with the copies that reach it.

Paper, Child Nodes Broadcasting and Broadcast With Different Membership; DESIGN 4.4 and 4.10.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from snowcast.core.effects import BadFrame, Expired, SetTimer
from snowcast.core.frames import Ack, Data, Nack
from snowcast.core.member import State
from snowcast.core.ring import RingOrder
from snowcast.core.timers import ProbeTimer
from snowcast.core.trees import Mode
from support.lone import (
    PRIMARY,
    SECONDARY,
    Lone,
    about,
    data,
    hop_timer,
    message,
    parts,
    record,
    send,
    sends,
)
from support.rings import member


def test_an_origin_sends_to_the_relays_of_both_sides_and_delivers_nothing_to_itself() -> None:
    origin = Lone(5, 10)
    assert origin.start(is_reliable=False) == [
        send(2, data(5, 0, 4)),
        send(8, data(5, 6, 9)),
    ]
    assert origin.delivered == []


def test_with_coloring_the_left_neighbour_gets_the_whole_ring_for_the_second_tree() -> None:
    effects = Lone(5, 10).start(Mode.COLORING, is_reliable=False)
    assert sends(effects)[-1] == (4, data(5, 0, 9, tree=SECONDARY))
    assert [to for to, frame in sends(effects) if frame.tree is PRIMARY] == [3, 9]


def test_alone_an_origin_sends_nothing() -> None:
    assert Lone(0, 1).start(is_reliable=False) == []


def test_a_first_copy_is_delivered_and_forwarded_inside_its_region() -> None:
    relay = Lone(8, 10)
    assert relay.receive(5, data(5, 6, 9)) == [
        send(7, data(5, 6, None, hop=2)),
        send(9, data(5, hop=2)),
    ]
    assert relay.delivered == [message(5)]


def test_a_leaf_delivers_and_sends_nothing() -> None:
    leaf = Lone(9, 10)
    assert leaf.receive(8, data(5)) == []
    assert leaf.delivered == [message(5)]


def test_news_in_a_message_is_taken_in_before_it_is_forwarded() -> None:
    relay = Lone(8, 10)
    relay.context.on_message = lambda data, now_us: relay.context.view.merge(
        (record(7, State.EVICTED),), now_us
    )
    assert parts(relay.receive(5, data(5, 6, 9))) == {6: (None, None), 9: (None, None)}


def test_an_identical_assignment_is_forwarded_once() -> None:
    relay = Lone(8, 10)
    assert parts(relay.receive(5, data(5, 6, 9))) != {}
    assert relay.receive(4, data(5, 6, 9)) == [], "must not repeat an assignment"
    assert relay.delivered == [message(5)]


def test_two_trees_are_two_assignments_and_one_delivery() -> None:
    relay = Lone(8, 10)
    assert parts(relay.receive(5, data(5, 6, 9, tree=PRIMARY))) != {}
    effects = relay.receive(4, data(5, 6, 9, tree=SECONDARY))
    assert parts(effects) != {}, "must not drop the other tree"
    assert {frame.tree for _, frame in sends(effects)} == {SECONDARY}
    assert relay.delivered == [message(5)]


def test_the_same_tree_with_another_region_is_carried_too() -> None:
    relay = Lone(8, 10)
    relay.receive(5, data(5, 6, 9))
    assert parts(relay.receive(5, data(5, 5))) == {6: (5, None), 7: (None, None)}
    assert relay.delivered == [message(5)]


def test_a_leaf_that_later_gets_a_region_still_carries_it() -> None:
    relay = Lone(8, 10)
    relay.receive(5, data(5))
    assert parts(relay.receive(5, data(5, 6, 9))) == {7: (6, None), 9: (None, None)}
    assert relay.delivered == [message(5)]


def test_another_attempt_is_forwarded_again_but_not_delivered() -> None:
    relay = Lone(8, 10)
    relay.receive(5, data(5, 6, 9))
    assert parts(relay.receive(5, data(5, 6, 9, attempt=1))) == {7: (6, None), 9: (None, None)}
    assert relay.delivered == [message(5)]


def test_an_unknown_boundary_is_a_candidate_once_and_no_member() -> None:
    relay = Lone(8, 10)
    view = relay.context.view
    before = (view.version, view.digest, view.members())
    assert parts(relay.receive(5, data(5, 6, 12))) == {7: (6, None), 12: (9, None)}
    assert (view.version, view.digest, view.members()) == before
    assert parts(relay.receive(5, data(5, 6, 9, sequence=2)))[9] == (None, None)


@pytest.mark.parametrize("state", [State.LEFT, State.EVICTED])
def test_a_departed_boundary_is_not_brought_back(state: State) -> None:
    relay = Lone(8, 10)
    relay.depart(9, state)
    assert parts(relay.receive(5, data(5, 6, 9))) == {6: (None, None), 7: (None, None)}


@pytest.mark.parametrize("order", RingOrder)
def test_a_region_without_its_receiver_is_a_bad_frame_and_nothing_else(order: RingOrder) -> None:
    node = Lone(8, 10, ring_order=order)
    ring = node.context.view.ring
    at = ring.find(member(8))
    left, right = ring[(at + 1) % 10], ring[(at + 3) % 10]
    frame = msgspec.structs.replace(data(5, is_reliable=True), left=left, right=right)
    reason = "a region that does not contain its receiver"
    assert node.receive(5, frame) == [BadFrame(member(5), reason)]
    assert node.delivered == [], "must apply nothing of a bad frame"
    node.receive(5, data(5))
    assert node.delivered == [message(5)], "must not take a bad frame for the message"


def test_a_reliable_leaf_acks_at_once_and_again_for_each_copy() -> None:
    leaf = Lone(9, 10)
    frame = data(5, is_reliable=True, attempt=2, tree=PRIMARY)
    ack = Ack(message(5), PRIMARY, 2, True, 1)
    assert leaf.receive(8, frame) == [send(8, ack)]
    assert leaf.receive(7, frame) == [send(7, ack)]
    assert leaf.delivered == [message(5)]


def test_a_reliable_assignment_is_acked_as_received_and_watched_over() -> None:
    relay = Lone(8, 10, hop_timeout_us=1_000)
    frame = data(5, 6, 9, is_reliable=True)
    assert relay.receive(5, frame, 70) == [
        send(7, data(5, 6, None, hop=2, is_reliable=True)),
        send(9, data(5, hop=2, is_reliable=True)),
        send(5, about(frame, Ack(message(5), frame.tree, 0, False))),
        SetTimer(hop_timer(frame), 1_070),
    ]


def test_what_comes_after_it_was_forgotten_is_noticed_and_dropped() -> None:
    node = Lone(8, 10, seen_max=1)
    node.receive(5, data(5, sequence=1))
    node.receive(5, data(5, sequence=2))
    assert node.receive(5, data(5, 6, 9, sequence=1)) == [Expired(message(5, 1))]
    assert node.delivered == [message(5, 1), message(5, 2)]
    node.broadcaster.forget_origin(member(5))
    node.receive(5, data(5, sequence=1))
    assert node.delivered[2:] == [message(5, 1)]


def test_old_messages_are_forgotten() -> None:
    node = Lone(8, 10, seen_age_us=100)
    node.receive(5, data(5))
    assert node.broadcaster.sizes()["seen"] == 1
    node.broadcaster.forget_old(101)
    assert node.broadcaster.sizes()["seen"] == 0


def test_the_region_of_a_child_that_cannot_be_reached_is_taken_over() -> None:
    origin = Lone(5, 10)
    origin.start(is_reliable=False)
    assert origin.fail(8, data(5, 6, 9)) == [send(7, data(5, 6, None)), send(9, data(5))]


def test_nothing_replaces_a_leaf_that_cannot_be_reached() -> None:
    origin = Lone(5, 10)
    origin.start(is_reliable=False)
    assert origin.fail(9, data(5)) == []


def test_a_child_evicted_before_it_could_not_be_reached_still_has_its_region_taken_over() -> None:
    relay = Lone(5, 10)
    relay.depart(8, State.EVICTED)
    assert parts(relay.fail(8, data(5, 6, 9))) == {7: (6, None), 9: (None, None)}


def test_frames_and_timers_of_others_are_not_its_business() -> None:
    node = Lone(8, 10)
    assert node.receive(5, Nack(1)) == [BadFrame(member(5), "a frame of another algorithm")]
    assert node.fire(ProbeTimer(), 0) == []


def test_only_a_reliable_message_is_waited_for() -> None:
    for is_reliable in (False, True):
        node = Lone(8, 10)
        node.receive(5, data(5, 6, 9, is_reliable=is_reliable))
        assert node.broadcaster.sizes()["custodies"] == is_reliable


@pytest.mark.parametrize("kind", ["is_system", "is_control"])
def test_a_message_keeps_its_payload_and_its_flags_on_the_way(kind: str) -> None:
    flags: dict[str, Any] = {"is_reliable": True, kind: True, "attempt": 3}
    frame = data(5, 6, 9, payload=b"news", **flags)
    for _, sent in sends(Lone(8, 10).receive(5, frame), Data):
        expected = msgspec.structs.replace(frame, left=sent.left, right=sent.right, hop=2)
        assert sent == expected
