"""Stable nodes get every message: those there all along, and those that all know meanwhile."""

import pytest

from snowcast.core.frames import Data
from snowcast.core.trees import Tree
from snowcast.sim.checkers.stable_covered import StableCovered, StableCoveredOptions
from snowcast.sim.observer import NodeChange
from support.stage import Stage, message, sim_node

FRAME = Data(message(), Tree.STANDARD, None, None, b"")


def stage_with_a_message(share_min: float = 1.0) -> Stage:
    """Four nodes, the first of which has sent a message."""
    stage = Stage(StableCoveredOptions(share_min=share_min).make())
    stage.broadcast(message())
    return stage


def test_a_message_that_all_others_deliver_is_covered() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2, 3)

    outcome = stage.outcome()

    assert outcome.is_ok
    assert outcome.measured["expected"] == 3
    assert outcome.measured["share"] == 1


def test_who_missed_a_message_is_named() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 2)

    assert stage.findings() == ("10.0.0.1:7946/1/1, sent by node 0 at 0.000 s, missed nodes 1, 3",)


def test_a_small_loss_can_be_expected() -> None:
    stage = stage_with_a_message(share_min=0.6)
    stage.deliver(message(), 1, 2)

    outcome = stage.outcome()

    assert outcome.is_ok
    assert outcome.measured["share"] == pytest.approx(2 / 3)


def test_nothing_is_asked_of_nodes_that_leave_or_fail_in_the_meantime() -> None:
    stage = stage_with_a_message()
    stage.change(1, NodeChange.LEAVING)
    stage.change(2, NodeChange.CRASHED)
    stage.deliver(message(), 3)

    assert stage.findings() == ()


def test_a_node_that_leaves_when_the_last_frame_has_arrived_must_have_it() -> None:
    stage = stage_with_a_message()
    stage.checker.on_frame(5, stage.nodes[3], stage.nodes[0].address, FRAME)
    stage.deliver(message(), 2, 3, at_us=5)
    stage.change(1, NodeChange.LEAVING, at_us=6)

    assert len(stage.findings()) == 1


def test_a_joiner_is_asked_for_once_all_know_it() -> None:
    stage = Stage(StableCovered(), nodes=2)
    stage.nodes[:] = [sim_node(index, knows=3) for index in range(2)]
    stage.enter(sim_node(2, knows=3))
    stage.broadcast(message())
    stage.deliver(message(), 1)

    assert stage.findings() == ("10.0.0.1:7946/1/1, sent by node 0 at 0.000 s, missed node 2",)


def test_a_joiner_that_only_some_know_may_miss_messages() -> None:
    stage = Stage(StableCovered(), nodes=2)
    stage.enter(sim_node(2, knows=3))
    stage.broadcast(message())
    stage.deliver(message(), 1)

    assert stage.findings() == ()


def test_frames_that_met_another_view_are_measured() -> None:
    stage = Stage(StableCovered(), nodes=2)
    stage.enter(sim_node(2, knows=3))
    stage.broadcast(message())
    stage.checker.on_frame(1, stage.nodes[1], stage.nodes[0].address, FRAME)
    stage.checker.on_frame(1, stage.nodes[2], stage.nodes[0].address, FRAME)

    measured = stage.outcome().measured

    assert (measured["frames"], measured["frames_diverging"]) == (2, 1)
    assert (measured["messages"], measured["messages_diverging"]) == (1, 1)


def test_a_long_list_of_nodes_is_cut() -> None:
    stage = Stage(StableCovered(), nodes=14)
    stage.broadcast(message())

    assert stage.findings()[0].endswith("missed nodes 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more")
