"""What is made of news: messages, beliefs, and what arrives before what it belongs to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.trees import Mode
from snowcast.demo import cues
from snowcast.demo.stage import Stage


def stage_of(count: int) -> Stage:
    stage = Stage()
    for node in range(count):
        stage.enter(node)
        stage.take(cues.Counted(0, node, count))
    return stage


def arrived(node: int, at_us: int, is_first: bool = True) -> cues.Arrived:
    return cues.Arrived(at_us, node, "0.1", 0, 0, node, is_first)


def test_a_message_knows_who_is_to_get_it_who_did_and_how_long_it_took() -> None:
    stage = stage_of(4)
    stage.ask(Mode.COLORING, True)
    stage.take(cues.Sent(1_000, 0, "0.1"))
    for news in (arrived(1, 3_000), arrived(1, 9_000, is_first=False), arrived(2, 6_000)):
        stage.take(news)
    message = stage.shown
    assert message is not None
    assert (message.mode, message.is_reliable, message.origin) == (Mode.COLORING, True, 0)
    assert message.expected == {1, 2, 3}
    assert message.missed == {3}
    assert (message.took_ms, message.hops, len(message.copies)) == (5.0, 2, 3)
    assert message.busy_until_us({1: 50_000}, 10_000) == 53_000
    assert message.busy_until_us({}, 10_000) == 16_000


@given(st.permutations(range(5)))
def test_whichever_process_tells_first_the_message_is_the_same(order: list[int]) -> None:
    told: list[cues.AnyNews] = [
        cues.Sent(0, 0, "0.1"),
        arrived(1, 2),
        arrived(2, 4),
        cues.Adopted(5, 1, "0.1", (2,)),
        cues.Confirmed(6, 0, "0.1", 2, (), 6),
    ]
    stage = stage_of(3)
    for index in order:
        stage.take(told[index])
    message = stage.messages["0.1"]
    assert set(message.firsts) == {1, 2}
    assert not message.missed
    assert (len(message.adopted), message.receipt) == (1, told[4])


def test_the_dead_and_those_who_left_are_not_expected_nor_asked() -> None:
    stage = stage_of(4)
    stage.crash(3)
    stage.leave(2)
    stage.take(cues.Sent(0, 0, "0.1"))
    assert stage.shown is not None
    assert stage.shown.expected == {1}
    for node in range(4):
        stage.take(cues.Changed(7, node, 3, "suspect"))
    assert stage.believers(3, "suspect") == {0, 1}
    stage.take(cues.Changed(8, 0, 3, "evicted"))
    assert stage.believers(3, "suspect") == {1}
    stage.clear()
    assert stage.shown is None


def test_everybody_agrees_when_everybody_who_is_up_counts_the_same() -> None:
    stage = stage_of(3)
    assert stage.agree(3)
    stage.take(cues.Counted(1, 1, 4))
    assert not stage.agree(3)
    stage.crash(1)
    assert stage.agree(3)
    stage.enter(9)
    assert not stage.agree(3)
