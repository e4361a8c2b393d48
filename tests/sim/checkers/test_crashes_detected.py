"""Whoever crashes is off every view in time, and announced no more often than needed."""

from random import Random

from snowcast.core.codec import encode_members
from snowcast.core.config import SECOND, Config
from snowcast.core.effects import MemberChanged, Send
from snowcast.core.events import FrameReceived
from snowcast.core.frames import Data, Records
from snowcast.core.member import State
from snowcast.core.node import Node
from snowcast.core.trees import Tree
from snowcast.sim.checkers.crashes_detected import CrashesDetected, CrashesDetectedOptions
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import NodeChange
from support.stage import Stage, member_of, message

EVICTED = member_of(1, State.EVICTED)
GONE = MemberChanged(member_of(1), EVICTED)


def bury(stage: Stage, *indices: int, at_us: int = 0) -> None:
    """These nodes evict node 1."""
    for index in indices:
        records = FrameReceived(address_of(0), Records((EVICTED,)))
        stage.nodes[index].node.handle(records, at_us)
        stage.notice(index, GONE, at_us)


def announcement(sequence: int, origin: int = 0) -> Send:
    """A message that says that node 1 is evicted, as it leaves its origin."""
    id = message(origin, sequence)
    payload = encode_members((EVICTED,))
    data = Data(id, Tree.PRIMARY, None, None, payload, is_system=True)
    return Send(address_of(3), data)


def test_a_crash_that_all_notice_in_time_is_detected() -> None:
    stage = Stage(CrashesDetectedOptions(within_s=6).make())
    stage.change(1, NodeChange.CRASHED, at_us=SECOND)
    bury(stage, 0, 2, 3, at_us=5 * SECOND)
    stage.checker.on_send(5 * SECOND, address_of(0), announcement(1), 0)

    outcome = stage.outcome()

    assert outcome.is_ok
    assert outcome.measured == {"crashes": 1, "detected_after_s": 4, "announcements": 1}


def test_the_last_view_to_notice_decides() -> None:
    stage = Stage(CrashesDetected(within_us=6 * SECOND))
    stage.change(1, NodeChange.KILLED, at_us=SECOND)
    bury(stage, 0, 2, at_us=5 * SECOND)
    bury(stage, 3, at_us=8 * SECOND)

    assert stage.findings() == ("node 1, dead, was in a view for 7.000 s, not 6.000 s",)


def test_a_view_that_never_notices_is_named() -> None:
    stage = Stage(CrashesDetected())
    stage.change(1, NodeChange.CRASHED)
    bury(stage, 0, 2)

    assert stage.findings() == ("node 1 is dead, and still in the views of [3]",)


def test_a_node_that_is_back_need_not_be_noticed() -> None:
    stage = Stage(CrashesDetected())
    stage.change(1, NodeChange.CRASHED)
    stage.nodes[1].start(Node(member_of(1), Config(), Random(0)))
    stage.change(1, NodeChange.RESTARTED)

    assert stage.outcome().measured["crashes"] == 0
    assert stage.findings() == ()


def test_one_death_announced_twice_is_a_storm() -> None:
    stage = Stage(CrashesDetectedOptions(announcements_max=1).make())
    stage.change(1, NodeChange.CRASHED)
    bury(stage, 0, 2, 3)
    for origin in (0, 2):
        for _ in range(3):  # one message, to several children
            stage.checker.on_send(0, address_of(origin), announcement(1, origin), 0)

    assert stage.findings() == ("the death of node 1 was announced 2 times",)


def test_what_is_passed_on_or_about_others_is_no_announcement_of_this_death() -> None:
    stage = Stage(CrashesDetected())
    stage.change(2, NodeChange.CRASHED)
    stage.checker.on_send(0, address_of(3), announcement(1, origin=0), 0)
    stage.checker.on_send(0, address_of(0), announcement(1, origin=0), 0)

    assert stage.outcome().measured["announcements"] == 0


def test_without_a_crash_there_is_nothing_to_detect() -> None:
    assert Stage(CrashesDetected()).outcome().measured["detected_after_s"] == 0
