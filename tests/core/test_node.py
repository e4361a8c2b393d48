"""The one way in: each event reaches the part that it is for. Nodes by number, as in support."""

from __future__ import annotations

from random import Random

import pytest

from snowcast.core import events, frames
from snowcast.core.codec import encode_members
from snowcast.core.config import MS, SECOND, Config
from snowcast.core.effects import (
    Accepted,
    Answered,
    BadFrame,
    CancelTimer,
    Delivered,
    Effect,
    Joined,
    MemberChanged,
    Receipt,
    SetTimer,
    Stopped,
)
from snowcast.core.events import (
    Broadcast,
    Evict,
    Leave,
    PeerUnreachable,
    Retag,
    Start,
    TimerFired,
)
from snowcast.core.frames import (
    Ack,
    Data,
    Hello,
    JoinReady,
    JoinRequest,
    Nack,
    Ping,
    PingRequest,
    Pong,
    Records,
    SyncBuckets,
    SyncDigest,
    SyncRecords,
    ViewPart,
)
from snowcast.core.member import Member, State
from snowcast.core.node import Node
from snowcast.core.ring import RingOrder
from snowcast.core.timers import (
    AnnounceTimer,
    DoorTimer,
    HealTimer,
    JoinTimer,
    LingerTimer,
    PongTimer,
    ProbeEndTimer,
    ProbeTimer,
    ReceiptTimer,
    SyncTimer,
)
from snowcast.core.trees import Mode
from support.lone import (
    PRIMARY,
    SECONDARY,
    STANDARD,
    about,
    data,
    hop_timer,
    message,
    node,
    parts,
    receive,
    record,
    records,
    send,
    sends,
)
from support.rings import member

EVICTED, LEFT, SUSPECT = State.EVICTED, State.LEFT, State.SUSPECT


def news(*members: Member, origin: int = 1, sequence: int = 1) -> Data:
    """An announcement, for a leaf."""
    payload = encode_members(members)
    return data(origin, sequence=sequence, payload=payload, is_system=True)


def timers(effects: list[Effect]) -> list[object]:
    """Which timers are set, in order."""
    return [effect.key for effect in effects if isinstance(effect, SetTimer)]


def joining(seed: int = 4) -> Node:
    """Node 9, which has asked a seed to be let in."""
    started = Node(record(9), Config(), Random(1))
    started.handle(Start((member(seed),)), 0)
    return started


def test_a_node_starts_to_probe_to_compare_and_to_heal() -> None:
    started = Node(record(0), Config(), Random(0))
    effects = started.handle(Start(members=records(range(3))), 5)
    assert effects[:2] == [MemberChanged(None, record(1)), MemberChanged(None, record(2))]
    assert timers(effects) == [ProbeTimer(), SyncTimer(), HealTimer()]
    assert len(effects) == 5
    assert started.me == record(0)
    assert started.view.members() == [*records(range(3))]


def test_a_node_with_seeds_asks_to_be_let_in_last() -> None:
    effects = Node(record(9), Config(), Random(0)).handle(Start((member(4),)), 5)
    assert timers(effects) == [ProbeTimer(), SyncTimer(), HealTimer(), JoinTimer()]
    assert sends(effects) == [(4, JoinRequest(record(9)))]


def test_a_broadcast_is_accepted_under_an_id_of_this_life() -> None:
    sender = node(1, 3)
    first = sender.handle(Broadcast(b"hello", request=7), 0)
    assert first[0] == Accepted(7, message(1, 1))
    assert parts(first) == {0: (None, None), 2: (None, None)}
    assert sender.handle(Broadcast(b"hello", request=8), 0)[0] == Accepted(8, message(1, 2))


def test_a_message_is_delivered_with_its_payload_and_how_far_it_came() -> None:
    assert receive(node(1, 3), 0, data(0, hop=3)) == [Delivered(message(0), b"hello", 3)]


def test_a_message_for_whoever_runs_the_nodes_is_told_from_those_for_the_application() -> None:
    frame = data(0, is_control=True)
    assert receive(node(1, 3), 0, frame) == [Delivered(message(0), b"hello", 1, is_control=True)]
    sent = node(1, 3).handle(Broadcast(b"hello", is_control=True), 0)
    assert all(frame.is_control for _, frame in sends(sent, Data))


def test_an_answer_goes_to_the_origin_alone_who_is_told_of_it() -> None:
    [sent] = node(1, 9).handle(events.Answer(message(0), "well"), 0)
    assert sent == send(0, frames.Answer(message(0), "well"))
    assert receive(node(0, 9), 1, sent.frame) == [Answered(message(0), member(1), "well")]


def test_an_announcement_is_learned_and_not_delivered() -> None:
    effects = receive(node(0, 3), 1, news(record(7), record(2, LEFT)))
    assert effects == [
        MemberChanged(None, record(7)),
        MemberChanged(record(2), record(2, LEFT)),
    ]


def test_an_announcement_that_cannot_be_read_is_a_bad_frame_of_its_origin() -> None:
    garbage = data(1, payload=b"\xff", is_system=True)
    [notice] = receive(node(0, 3), 2, garbage)
    assert isinstance(notice, BadFrame)
    assert notice.sender == member(1)


def test_a_departure_in_an_announcement_is_acted_on_before_the_message_is_passed_on() -> None:
    relay = node(2, 10, fanout=2)
    payload = encode_members((record(1, EVICTED),))
    effects = receive(relay, 5, data(5, 0, 4, payload=payload, is_system=True))
    assert set(parts(effects)) == {0, 4}


def test_frames_reach_the_part_that_they_are_for() -> None:
    one = node(0, 3)
    digest = one.view.digest
    assert receive(one, 1, Ping(3), 5) == [send_datagram(1, Pong(3, 5, digest))]
    assert sends(receive(one, 1, PingRequest(9, member(2)))) == [(2, Ping(1))]
    assert sends(receive(one, 2, Pong(1, 0, 0))) == [(1, Pong(9, 0, 0))]
    assert receive(one, 1, Nack(44)) == []
    assert sends(receive(one, 1, SyncDigest(digest + 1)), SyncBuckets) != []
    assert sends(receive(one, 1, SyncBuckets(0, 0, (1,))), SyncBuckets) != []
    assert receive(one, 1, SyncRecords((), (record(5),), False)) == [MemberChanged(None, record(5))]
    assert receive(one, 1, Records((record(6),))) == [MemberChanged(None, record(6))]
    assert sends(receive(one, 7, JoinRequest(record(7))), ViewPart) != []
    assert sends(receive(one, 7, JoinReady(record(7).incarnation)), Data) != []
    assert receive(one, 8, ViewPart((record(8),), True)) == [], "did not ask for a view"
    assert receive(one, 1, Ack(message(0), STANDARD, 0, True, 1)) == []
    hello = Hello("snowcast", 4, RingOrder.ADDRESS, member(1), 1)
    assert receive(one, 1, hello) == [BadFrame(member(1), "a frame of another algorithm")]


def send_datagram(to: int, frame: Pong) -> Effect:
    effect = send(to, frame)
    return type(effect)(effect.to, effect.frame, True)


def test_only_its_accuser_announces_what_a_node_refutes_directly() -> None:
    refutation = Records((record(1, refutations=1),))
    accuser, bystander = node(0, 2), node(0, 2)
    for key in (ProbeTimer(), PongTimer(1), ProbeEndTimer(1), AnnounceTimer()):
        accuser.handle(TimerFired(key), 0)
    receive(bystander, 1, Records((record(1, SUSPECT),)))
    assert timers(receive(accuser, 1, refutation)) == [AnnounceTimer()]
    assert timers(receive(bystander, 1, refutation)) == []


def test_a_node_that_is_joining_has_nothing_to_compare() -> None:
    outside = joining()
    for frame in (SyncDigest(7), SyncBuckets(0, 0, (1,)), SyncRecords((), (record(5),), True)):
        assert receive(outside, 4, frame) == []
    assert sends(outside.handle(TimerFired(HealTimer()), 0)) == []


def test_a_node_has_joined_when_an_announcement_names_it() -> None:
    outside = joining()
    receive(outside, 4, ViewPart((*records((4, 5)), record(9)), True))
    assert Joined() not in receive(outside, 4, news(record(5, SUSPECT), origin=4))
    effects = receive(outside, 5, news(record(9), origin=4, sequence=2))
    assert effects == [CancelTimer(JoinTimer()), Joined()]


def test_timers_reach_the_part_that_they_are_for() -> None:
    outside = joining()
    assert sends(outside.handle(TimerFired(JoinTimer()), 0)) == [(4, JoinRequest(record(9)))]
    one = node(0, 3, seeds=(8,))
    receive(one, 4, news(record(9), origin=4, sequence=1))
    assert timers(one.handle(TimerFired(ProbeTimer()), 0))[0] == ProbeTimer()
    assert timers(one.handle(TimerFired(SyncTimer()), 0)) == [SyncTimer()]
    assert timers(one.handle(TimerFired(HealTimer()), 0)) == [HealTimer()]
    assert one.handle(TimerFired(AnnounceTimer()), 0) == []
    assert one.handle(TimerFired(DoorTimer()), 0) == []
    assert one.handle(TimerFired(hop_timer(data(1, 0, 2))), 0) == []


def test_a_leave_is_announced_reliably_along_both_trees_and_then_lingered() -> None:
    leaver = node(2, 5, fanout=2)
    effects = leaver.handle(Leave(), 100)
    sent = sends(effects, Data)
    assert {frame.tree for _, frame in sent} == {PRIMARY, SECONDARY}
    assert {frame.payload for _, frame in sent} == {encode_members((record(2, LEFT),))}
    assert all(frame.is_reliable and frame.is_system for _, frame in sent)
    for key in (ProbeTimer(), SyncTimer(), HealTimer()):
        assert CancelTimer(key) in effects
    assert effects[-1] == SetTimer(LingerTimer(), 100 + 30 * SECOND)
    assert leaver.handle(Leave(), 200) == [], "must not leave twice"


def test_a_leaver_goes_on_forwarding_until_it_stops() -> None:
    leaver = node(2, 10, fanout=2)
    leaver.handle(Leave(), 0)
    assert parts(receive(leaver, 5, data(5, 0, 4))) == {1: (0, None), 4: (3, None)}
    assert leaver.handle(TimerFired(LingerTimer()), 30 * SECOND) == [Stopped()]
    assert receive(leaver, 5, data(5, 0, 4, sequence=2)) == [], "it has stopped"
    assert leaver.handle(Broadcast(b"x"), 0) == []


def test_a_node_that_is_alone_need_not_linger() -> None:
    assert node(0, 1).handle(Leave(), 100)[-1] == SetTimer(LingerTimer(), 100)


def test_data_for_a_peer_that_cannot_be_reached_is_sent_to_those_behind_it() -> None:
    origin = node(5, 10, fanout=2)
    origin.handle(Broadcast(b"hello"), 0)
    effects = origin.handle(PeerUnreachable(member(8), (data(5, 6, 9), Nack(1))), 0)
    assert parts(effects) == {7: (6, None), 9: (None, None)}
    assert sends(effects)[-1] == (8, Ping(1)), "a broken connection is evidence, not proof"
    assert member(8) in origin.view.ring


def test_a_contact_that_cannot_be_reached_is_not_waited_for() -> None:
    effects = joining().handle(PeerUnreachable(member(4)), 10)
    assert effects == [SetTimer(JoinTimer(), 10 + SECOND)]


def test_an_eviction_ends_the_waiting_for_the_evicted() -> None:
    origin = node(5, 10, fanout=2)
    origin.handle(Broadcast(b"hello", is_reliable=True), 0)
    effects = receive(origin, 1, news(record(8, EVICTED)))
    assert set(parts(effects)) == {7, 9}
    for sender, count, part in ((2, 5, data(5, 0, 4)), (7, 2, data(5, 6))):
        receive(origin, sender, about(part, Ack(message(5), STANDARD, 0, True, count)))
    [receipt] = [
        effect
        for effect in receive(origin, 9, Ack(message(5), STANDARD, 0, True, 1))
        if isinstance(effect, Receipt)
    ]
    assert (receipt.delivered, receipt.missing) == (8, (member(8),))


def test_a_restarted_child_is_adopted_but_not_named() -> None:
    origin = node(5, 10, fanout=2)
    origin.handle(Broadcast(b"hello", is_reliable=True), 0)
    effects = receive(origin, 1, news(record(8, life=2)))
    assert set(parts(effects)) == {7, 9}
    assert member(8) in origin.view.ring


def test_a_later_life_that_has_left_already_is_a_departure_too() -> None:
    origin = node(5, 10, fanout=2)
    origin.handle(Broadcast(b"hello", is_reliable=True), 0)
    effects = receive(origin, 1, news(record(8, LEFT, life=2)))
    assert set(parts(effects)) == {7, 9}


def test_an_operator_evicts_with_one_announcement() -> None:
    effects = node(0, 3).handle(Evict(member(2)), 0)
    assert effects == [
        MemberChanged(record(2), record(2, EVICTED)),
        SetTimer(AnnounceTimer(), 50 * MS),
    ]


def test_other_tags_are_announced() -> None:
    one = node(0, 3)
    assert one.handle(Retag((("rack", "7"),)), 0) == [SetTimer(AnnounceTimer(), 50 * MS)]
    assert one.me.tags == (("rack", "7"),)


@pytest.mark.parametrize("event", [Retag((("rack", "7"),)), Broadcast(b"x", Mode.COLORING)])
def test_a_leaver_takes_whatever_comes_without_falling_over(event: Retag | Broadcast) -> None:
    leaver = node(0, 3)
    leaver.handle(Leave(), 0)
    leaver.handle(event, 1)
    assert leaver.me == record(0, LEFT)
    assert leaver.handle(Broadcast(b"y"), 2) != []


def test_tombstones_and_old_messages_are_forgotten_when_views_are_compared() -> None:
    one = node(0, 3, tombstone_us=SECOND, seen_age_us=SECOND, seen_max=1)
    receive(one, 1, news(record(2, LEFT)))
    receive(one, 2, data(2, sequence=1))
    receive(one, 2, data(2, sequence=2))
    assert one.sizes()["seen"] == 1
    one.handle(TimerFired(SyncTimer()), 2 * SECOND)
    assert (one.view.tombstones(), one.sizes()["seen"]) == ([], 0)
    again = receive(one, 2, data(2, sequence=1))
    assert again == [Delivered(message(2, 1), b"hello", 1)], "2 is not known to this node any more"


def test_a_node_tells_how_much_it_remembers_of_what() -> None:
    sizes = node(0, 3).sizes()
    assert set(sizes.values()) == {0}
    assert {"seen", "receipts", "custodies", "accounts", "news", "suspicions"} < set(sizes)


def test_a_node_is_well_until_it_has_a_reason_to_doubt() -> None:
    one = node(0, 3)
    assert one.health == 0
    receive(one, 1, Ping(1, record(0).incarnation))
    assert one.health == 1


def test_the_same_events_at_the_same_times_give_the_same_effects() -> None:
    def story() -> list[list[Effect]]:
        one = node(0, 20)
        events = [TimerFired(ProbeTimer()), TimerFired(SyncTimer()), Broadcast(b"x"), Leave()]
        return [one.handle(event, at_us) for at_us, event in enumerate(events)]

    assert story() == story()


def test_announcements_have_no_receipt() -> None:
    leaver = node(0, 2)
    leaver.handle(Leave(), 0)
    effects = receive(leaver, 1, Ack(message(0), PRIMARY, 0, True, 1))
    assert CancelTimer(ReceiptTimer(message(0))) in effects
    assert not any(isinstance(effect, Receipt) for effect in effects)
