"""Frames between nodes: order, processing, losses and refusals. All frames take a millisecond."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from snowcast.core.config import MS, SECOND
from snowcast.core.effects import Send
from snowcast.core.events import FrameReceived, PeerUnreachable
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import Lost, NodeChange, Observer
from snowcast.sim.processing import Placement, Processing
from snowcast.sim.rules import Deliver, Flight, Loss, Partition, Refuse, Rule, Verdict
from support.puppets import Log, Stage, data, nack

TAKES = 1 * MS


def after(*delays: int) -> Rule:
    """A rule that gives flights these delays, in turn."""
    left = list(delays)

    def rule(flight: Flight) -> Verdict:
        return Deliver(left.pop(0))

    return rule


def slow(**options: object) -> Processing:
    """Every node works 50 ms on a message."""
    return Processing(50 * MS, 50 * MS, **options)  # type: ignore[arg-type]


def test_a_frame_arrives_after_its_latency_with_the_name_of_its_sender() -> None:
    stage = Stage(2)
    stage.send(0, 1, nack(1))
    stage.world.run(TAKES - 1)
    assert stage.puppets[1].heard == []
    stage.world.run(TAKES)
    assert stage.puppets[1].heard == [(TAKES, FrameReceived(address_of(0), nack(1)))]


def test_frames_of_a_stream_never_overtake_each_other() -> None:
    stage = Stage(2, rules=[after(50, 10, 60)])
    for number in (1, 2, 3):
        stage.send(0, 1, nack(number))
    stage.world.run(100)
    assert stage.puppets[1].frames() == [(50, nack(1)), (50, nack(2)), (60, nack(3))]


def test_without_rules_streams_keep_their_order_too() -> None:
    stage = Stage(2)
    stage.nodes[0].in_order(address_of(1), 5 * TAKES, 0)
    stage.send(0, 1, nack(1))
    stage.world.run(10 * TAKES)
    assert stage.puppets[1].frames() == [(5 * TAKES, nack(1))]


def test_datagrams_may_overtake_each_other_and_streams() -> None:
    stage = Stage(2, rules=[after(50, 40, 30)])
    stage.send(0, 1, nack(1))
    stage.send(0, 1, nack(2), is_datagram=True)
    stage.send(0, 1, nack(3), is_datagram=True)
    stage.world.run(100)
    assert stage.puppets[1].frames() == [(30, nack(3)), (40, nack(2)), (50, nack(1))]


def test_streams_between_other_pairs_have_an_order_of_their_own() -> None:
    stage = Stage(3, rules=[after(50, 10, 10)])
    stage.send(0, 1, nack(1))
    stage.send(0, 2, nack(2))
    stage.send(2, 1, nack(3))
    stage.world.run(100)
    assert stage.puppets[2].frames() == [(10, nack(2))]
    assert stage.puppets[1].frames() == [(10, nack(3)), (50, nack(1))]


def test_a_frame_lost_by_a_rule_vanishes_and_observers_are_told_when_it_left() -> None:
    log = Log()
    stage = Stage(2, rules=[Loss(1, streams="drop")], observers=[log])
    stage.send(0, 1, nack(1))
    stage.world.run(1 * SECOND)
    assert stage.puppets[0].heard == stage.puppets[1].heard == []
    assert log.drops == [(0, 0, 1, nack(1), Lost.RULE)]


def test_a_stream_that_tcp_gives_up_is_an_error_at_the_sender() -> None:
    log = Log()
    stage = Stage(2, rules=[Partition([[address_of(0)]])], observers=[log])
    stage.send(0, 1, nack(1))
    stage.world.run(60 * SECOND)
    error = PeerUnreachable(address_of(1), (nack(1),))
    assert stage.puppets[0].heard == [(12_600 * MS, error)]
    assert log.drops == [(0, 0, 1, nack(1), Lost.REFUSED)]


def test_a_datagram_has_nobody_to_tell() -> None:
    def refuse(flight: Flight) -> Verdict:
        return Refuse(5)

    log = Log()
    stage = Stage(2, rules=[refuse], observers=[log])
    stage.send(0, 1, nack(1), is_datagram=True)
    stage.world.run(1 * SECOND)
    assert stage.puppets[0].heard == []
    assert log.drops == [(0, 0, 1, nack(1), Lost.RULE)]


@pytest.mark.parametrize("rules", [[], [Loss(0)]], ids=["without rules", "with rules"])
def test_an_address_without_a_node_refuses_streams_and_swallows_datagrams(
    rules: list[Rule],
) -> None:
    log = Log()
    stage = Stage(1, rules=rules, observers=[log])
    stage.send(0, 7, nack(1))
    stage.send(0, 7, nack(2), is_datagram=True)
    stage.world.run(1 * SECOND)
    error = PeerUnreachable(address_of(7), (nack(1),))
    assert stage.puppets[0].heard == [(TAKES, error)]
    assert log.drops == [(0, 0, 7, nack(1), Lost.REFUSED), (0, 0, 7, nack(2), Lost.CLOSED)]


def test_a_node_that_was_killed_refuses_after_one_latency() -> None:
    log = Log()
    stage = Stage(2, observers=[log])
    stage.world.stop(stage.nodes[1], refuses=True, what=NodeChange.KILLED)
    stage.send(0, 1, nack(1))
    stage.send(0, 1, nack(2), is_datagram=True)
    stage.world.run(1 * SECOND)
    error = PeerUnreachable(address_of(1), (nack(1),))
    assert stage.puppets[0].heard == [(TAKES, error)]
    assert [(at, why) for at, _, _, _, why in log.drops] == [
        (TAKES, Lost.REFUSED),
        (TAKES, Lost.CLOSED),
    ]


def test_what_is_sent_to_a_crashed_node_vanishes_without_an_error() -> None:
    log = Log()
    stage = Stage(2, observers=[log])
    stage.send(0, 1, nack(1))
    stage.world.stop(stage.nodes[1], refuses=False, what=NodeChange.CRASHED)
    stage.send(0, 1, nack(2), is_datagram=True)
    stage.world.run(1 * SECOND)
    assert stage.puppets[0].heard == []
    assert [(at, why) for at, _, _, _, why in log.drops] == [(TAKES, Lost.SILENT)] * 2


def test_a_frame_for_a_former_life_is_refused_but_a_datagram_reaches_the_new_one() -> None:
    stage = Stage(2)
    stage.send(0, 1, nack(1))
    stage.send(0, 1, nack(2), is_datagram=True)
    stage.world.stop(stage.nodes[1], refuses=False, what=NodeChange.CRASHED)
    stage.live(1)
    stage.world.run(1 * SECOND)
    assert stage.puppets[0].heard == [(TAKES, PeerUnreachable(address_of(1), (nack(1),)))]
    assert stage.puppets[1].frames() == [(TAKES, nack(2))]


def test_a_sender_that_has_restarted_does_not_hear_of_the_streams_of_its_former_life() -> None:
    stage = Stage(2)
    stage.send(0, 1, nack(1))
    for node in stage.nodes:
        stage.world.stop(node, refuses=True, what=NodeChange.KILLED)
    stage.live(0)
    stage.world.run(1 * SECOND)
    assert stage.puppets[0].heard == []


def test_frames_of_a_sender_that_died_still_arrive() -> None:
    stage = Stage(2)
    stage.send(0, 1, nack(1))
    stage.world.stop(stage.nodes[0], refuses=False, what=NodeChange.CRASHED)
    stage.world.run(TAKES)
    assert stage.puppets[1].frames() == [(TAKES, nack(1))]


def forwarding(processing: Processing, *, is_system: bool = False, origin: int = 0) -> Stage:
    """Node 0 sends a message to node 1, which passes it on to node 2 and acks with a nack."""
    stage = Stage(3, processing=processing)
    frame = data(origin, 1, is_system=is_system)
    passed_on = [Send(address_of(2), frame), Send(address_of(0), nack(9))]
    stage.puppets[1].answers[frame] = [*passed_on]
    stage.send(0, 1, frame)
    stage.world.run(5 * SECOND)
    return stage


def arrival_us(stage: Stage, index: int) -> int:
    [(at_us, _)] = stage.puppets[index].frames()
    return at_us


def test_a_message_is_passed_on_after_the_processing_delay_and_acked_at_once() -> None:
    stage = forwarding(slow())
    assert arrival_us(stage, 1) == TAKES
    assert arrival_us(stage, 0) == 2 * TAKES
    assert arrival_us(stage, 2) == TAKES + 50 * MS + TAKES


def test_the_origin_has_no_processing_delay() -> None:
    stage = forwarding(slow(), origin=1)
    assert arrival_us(stage, 2) == 2 * TAKES


def test_announcements_are_delayed_only_if_asked() -> None:
    assert arrival_us(forwarding(slow(), is_system=True), 2) == 2 * TAKES
    delayed = forwarding(slow(includes_system=True), is_system=True)
    assert arrival_us(delayed, 2) == TAKES + 50 * MS + TAKES


def test_a_straggler_takes_its_own_time_instead() -> None:
    options = {"stragglers": Placement.ALIGNED, "straggler_every": 2}
    stage = forwarding(slow(**options))
    assert arrival_us(stage, 2) == TAKES + 1 * SECOND + TAKES


def test_the_delay_runs_from_the_first_receipt_and_a_later_copy_adds_nothing() -> None:
    stage, frame = Stage(3, processing=slow()), data(0, 1)
    stage.send(0, 1, frame)
    stage.at(30 * MS, lambda: stage.send(0, 1, frame))
    stage.at(40 * MS, lambda: stage.send(1, 2, frame))
    stage.at(60 * MS, lambda: stage.send(1, 2, frame))
    stage.world.run(1 * SECOND)
    assert [at for at, _ in stage.puppets[2].frames()] == [52 * MS, 61 * MS]


def test_what_is_held_back_for_one_message_holds_nothing_else_up() -> None:
    stage = Stage(3, processing=slow())
    stage.send(0, 1, data(0, 1))
    stage.world.run(TAKES)
    stage.send(1, 2, data(0, 1))
    stage.send(1, 2, data(0, 2))
    stage.send(1, 2, nack(1))
    stage.world.run(1 * SECOND)
    order = [frame for _, frame in stage.puppets[2].frames()]
    assert order == [data(0, 2), nack(1), data(0, 1)]


def dying(kill: Callable[[Stage], None]) -> tuple[Stage, Log]:
    """Node 1 holds a frame back for node 2 when something happens to it."""
    log = Log()
    stage = Stage(3, processing=slow(), observers=[log])
    stage.send(0, 1, data(0, 1))
    stage.world.run(TAKES)
    stage.send(1, 2, data(0, 1))
    kill(stage)
    stage.world.run(1 * SECOND)
    return stage, log


def test_what_a_node_held_back_dies_with_it() -> None:
    stage, log = dying(lambda s: s.world.stop(s.nodes[1], False, NodeChange.CRASHED))
    assert stage.puppets[2].frames() == []
    assert log.drops == [(51 * MS, 1, 2, data(0, 1), Lost.UNSENT)]


def test_what_a_paused_node_held_back_leaves_when_it_resumes() -> None:
    stage, _ = dying(lambda s: s.world.pause(s.nodes[1], 300 * MS))
    assert stage.puppets[2].frames() == [(301 * MS, data(0, 1))]


def test_rules_meet_a_frame_when_it_leaves() -> None:
    stage = Stage(3, rules=[Partition([[address_of(2)]], until_us=10 * MS)], processing=slow())
    stage.send(0, 1, data(0, 1))
    stage.world.run(TAKES)
    stage.send(1, 2, data(0, 1))
    stage.world.run(1 * SECOND)
    assert arrival_us(stage, 2) == TAKES + 50 * MS + TAKES


class Sends(Observer):
    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    def on_send(self, now_us: int, sender: object, send: Send, frame_bytes: int) -> None:
        self.seen.append((now_us, frame_bytes))


def test_observers_see_a_frame_leave_with_its_size_whatever_becomes_of_it() -> None:
    sends = Sends()
    stage = Stage(2, rules=[Loss(1, streams="drop")], observers=[sends])
    stage.send(0, 1, nack(1))
    assert sends.seen == [(0, 3)]
