"""The loop: timers, pauses, deaths and the order of it all. All frames take a millisecond."""

from __future__ import annotations

import gc

import pytest

from snowcast.core.effects import CancelTimer, Joined, Send, SetTimer, Stopped
from snowcast.core.events import Broadcast, FrameReceived, PeerUnreachable, TimerFired
from snowcast.sim import world as module
from snowcast.sim.clocks import Clock
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.simnode import SimNode
from support.puppets import Log, Stage, key, nack


def fired(stage: Stage, index: int = 0) -> list[tuple[int, int]]:
    """When which timers have fired at a node."""
    heard = stage.puppets[index].heard
    return [(at, e.key.sequence) for at, e in heard if isinstance(e, TimerFired)]


def test_a_run_ends_at_its_time_with_all_that_is_due_then() -> None:
    stage = Stage(1)
    for at_us in (5, 10, 11):
        stage.perform(0, SetTimer(key(at_us), at_us))
    stage.world.run(10)
    assert fired(stage) == [(5, 5), (10, 10)]
    assert stage.world.now_us == 10
    stage.world.run(20)
    assert fired(stage)[2:] == [(11, 11)]
    assert stage.world.now_us == 20


def test_what_follows_at_once_belongs_to_the_same_run() -> None:
    stage = Stage(1)
    stage.puppets[0].answers[key(1)] = [SetTimer(key(2), 10)]
    stage.perform(0, SetTimer(key(1), 10))
    stage.world.run(10)
    assert fired(stage) == [(10, 1), (10, 2)]


def test_setting_a_timer_again_replaces_it_and_cancelling_ends_it() -> None:
    stage = Stage(1)
    stage.perform(0, SetTimer(key(1), 10), SetTimer(key(2), 10), SetTimer(key(3), 10))
    stage.perform(0, SetTimer(key(1), 20), CancelTimer(key(2)), CancelTimer(key(9)))
    stage.world.run(50)
    assert fired(stage) == [(10, 3), (20, 1)]


def test_a_timer_can_be_set_again_when_it_fires() -> None:
    stage = Stage(1)
    stage.puppets[0].answers[key(1)] = [SetTimer(key(1), 30)]
    stage.perform(0, SetTimer(key(1), 10))
    stage.at(20, stage.puppets[0].answers.clear)
    stage.world.run(50)
    assert fired(stage) == [(10, 1), (30, 1)]


def test_a_node_that_asks_for_the_past_for_ever_does_not_hang_the_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "IMMEDIATE_MAX", 50)
    stage = Stage(1)
    stage.puppets[0].answers[key(1)] = [SetTimer(key(1), 10)]
    stage.perform(0, SetTimer(key(1), 10))
    with pytest.raises(AssertionError, match="time stands still"):
        stage.world.run(50)


def test_a_timer_set_for_the_past_fires_now() -> None:
    stage = Stage(1)
    stage.world.run(100)
    stage.perform(0, SetTimer(key(1), 7))
    stage.world.run(100)
    assert fired(stage) == [(100, 1)]


def test_timers_follow_the_clock_of_the_node_that_set_them() -> None:
    stage = Stage(1, clocks={0: Clock(1_000)})
    stage.perform(0, SetTimer(key(1), 1_500))
    stage.world.run(499)
    assert fired(stage) == []
    stage.world.run(500)
    assert fired(stage) == [(1_500, 1)]


def test_a_paused_node_hears_everything_at_once_when_it_resumes_in_the_order_it_was_due() -> None:
    stage = Stage(2)
    stage.perform(0, SetTimer(key(1), 1_500), SetTimer(key(2), 2_500), SetTimer(key(3), 9_000))
    stage.world.pause(stage.nodes[0], 5_000)
    stage.send(1, 0, nack(1))
    stage.at(1_000, lambda: stage.send(1, 0, nack(2), is_datagram=True))
    stage.world.run(4_999)
    assert stage.puppets[0].heard == []
    stage.world.run(10_000)
    frames = [FrameReceived(address_of(1), nack(number)) for number in (1, 2)]
    assert stage.puppets[0].heard == [
        (5_000, frames[0]),
        (5_000, TimerFired(key(1))),
        (5_000, frames[1]),
        (5_000, TimerFired(key(2))),
        (9_000, TimerFired(key(3))),
    ]


def test_a_timer_that_came_due_in_a_pause_can_still_be_cancelled_by_what_came_before_it() -> None:
    stage = Stage(2)
    stage.puppets[0].answers[nack(1)] = [CancelTimer(key(1)), SetTimer(key(2), 8_000)]
    stage.perform(0, SetTimer(key(1), 2_000), SetTimer(key(2), 2_000))
    stage.world.pause(stage.nodes[0], 5_000)
    stage.send(1, 0, nack(1))
    stage.world.run(10_000)
    assert fired(stage) == [(8_000, 2)]


def test_of_two_pauses_the_one_that_ends_later_holds() -> None:
    log = Log()
    stage = Stage(2, observers=[log])
    stage.world.pause(stage.nodes[0], 2_000)
    stage.world.pause(stage.nodes[0], 4_000)
    stage.world.pause(stage.nodes[0], 3_000)
    stage.send(1, 0, nack(1))
    stage.world.run(9_000)
    assert stage.puppets[0].frames() == [(4_000, nack(1))]
    assert log.changes == [(0, 0, NodeChange.PAUSED), (4_000, 0, NodeChange.RESUMED)]


def test_what_a_paused_node_had_not_heard_is_refused_when_it_is_killed() -> None:
    stage = Stage(2)
    stage.world.pause(stage.nodes[0], 9_000)
    stage.send(1, 0, nack(1))
    stage.world.run(5_000)
    stage.world.stop(stage.nodes[0], refuses=True, what=NodeChange.KILLED)
    stage.world.run(20_000)
    assert stage.puppets[0].heard == []
    assert stage.puppets[1].heard == [(5_000, PeerUnreachable(address_of(0), (nack(1),)))]


def test_the_end_of_a_pause_does_not_touch_a_later_life() -> None:
    log = Log()
    stage = Stage(1, observers=[log])
    stage.world.pause(stage.nodes[0], 5_000)
    stage.world.stop(stage.nodes[0], refuses=True, what=NodeChange.KILLED)
    stage.live(0)
    stage.world.pause(stage.nodes[0], 8_000)
    stage.world.run(9_000)
    assert [change for change in log.changes if change[2] is NodeChange.RESUMED] == [
        (8_000, 0, NodeChange.RESUMED)
    ]


def test_the_timers_of_a_life_end_with_it() -> None:
    stage = Stage(1)
    stage.perform(0, SetTimer(key(1), 10))
    stage.world.stop(stage.nodes[0], refuses=False, what=NodeChange.CRASHED)
    old = stage.puppets[0]
    stage.live(0)
    stage.perform(0, SetTimer(key(1), 20))
    stage.world.run(50)
    assert old.heard == []
    assert fired(stage) == [(20, 1)]


def test_a_node_that_says_it_has_stopped_is_taken_down_after_its_last_effects() -> None:
    log = Log()
    stage = Stage(2, observers=[log])
    stage.perform(0, Stopped(), Send(address_of(1), nack(1)))
    stage.send(1, 0, nack(2))
    stage.world.run(5_000)
    assert stage.puppets[1].heard == [
        (1_000, FrameReceived(address_of(0), nack(1))),
        (1_000, PeerUnreachable(address_of(0), (nack(2),))),
    ]
    assert log.changes == [(0, 0, NodeChange.LEFT)]
    assert not stage.nodes[0].is_up


class Story(Observer):
    """What an observer is told while one event is handled."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def on_frame(self, now_us: int, node: SimNode, sender: bytes, frame: object) -> None:
        self.told.append(frame)

    def on_send(self, now_us: int, sender: object, send: Send, frame_bytes: int) -> None:
        self.told.append(send)

    def on_notice(self, now_us: int, node: SimNode, notice: object) -> None:
        self.told.append(notice)


def test_observers_see_the_frame_first_and_then_the_effects_in_order() -> None:
    story = Story()
    stage = Stage(2, observers=[story])
    reply = Send(address_of(0), nack(2))
    stage.puppets[1].answers[nack(1)] = [Joined(), reply, Joined()]
    stage.send(0, 1, nack(1))
    del story.told[:]
    stage.world.run(1_000)
    assert story.told == [nack(1), Joined(), reply, Joined()]


def test_a_broadcast_that_is_not_accepted_is_a_bug_of_the_core() -> None:
    stage = Stage(1)
    with pytest.raises(AssertionError, match="has not accepted"):
        stage.world.broadcast(stage.nodes[0], Broadcast(b""))


def test_an_action_may_not_run_the_world_and_an_error_leaves_it_usable() -> None:
    stage = Stage(1)
    stage.at(5, lambda: stage.world.run(9))
    with pytest.raises(AssertionError, match="may not run"):
        stage.world.run(10)
    stage.perform(0, SetTimer(key(1), 20))
    stage.world.run(30)
    assert fired(stage) == [(20, 1)]


def test_the_collector_is_left_as_it_was() -> None:
    before = gc.get_threshold()
    Stage(1).world.run(10)
    assert gc.get_threshold() == before


def test_frames_handled_are_counted() -> None:
    stage = Stage(2)
    stage.send(0, 1, nack(1))
    stage.send(0, 1, nack(2), is_datagram=True)
    stage.send(0, 9, nack(3))
    stage.world.run(5_000)
    assert stage.world.frames == 2
