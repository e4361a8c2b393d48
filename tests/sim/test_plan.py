"""Plans: who is in by when, and who has had something done to."""

from random import Random

from snowcast.core.trees import Mode
from snowcast.sim.incidents import Lossy
from snowcast.sim.plan import Disturb, Enter, Exit, Halt, How, Plan, Return, Roster, Say, draw


def test_harmed_are_those_that_go_stand_still_or_are_disturbed() -> None:
    steps = (
        Enter(1, node=9, contact=0),
        Say(1, node=0, number=0, mode=Mode.STANDARD, is_reliable=False, payload_bytes=1),
        Exit(2, node=1, how=How.LEAVE),
        Halt(2, node=2, for_us=5),
        Return(2, node=3),
        Disturb(2, None, (4, 5), Lossy(at_s=0, count=2, rate=1)),
    )

    assert Plan(booted=9, steps=steps, quiet_us=0, ends_us=0).harmed() == {1, 2, 3, 4, 5}


def test_joiners_take_the_next_numbers() -> None:
    roster = Roster(3, settle_us=10)

    assert [roster.enter(5), roster.enter(5)] == [3, 4]
    assert len(roster) == 5


def test_the_booted_are_settled_at_once_and_joiners_after_a_while() -> None:
    roster = Roster(2, settle_us=10)
    roster.enter(5)

    assert roster.settled(0) == [0, 1]
    assert roster.settled(14) == [0, 1]
    assert roster.settled(15) == [0, 1, 2]


def test_where_nobody_has_settled_whoever_came_first_stands_in() -> None:
    roster = Roster(1, settle_us=10)
    roster.exit(0, How.LEAVE)
    assert roster.settled(0) == []

    roster.enter(5)
    roster.enter(6)
    assert roster.settled(7) == [1]


def test_those_that_leave_are_gone_and_those_that_crash_are_down() -> None:
    roster = Roster(3, settle_us=0)
    roster.exit(0, How.LEAVE)
    roster.exit(1, How.CRASH)

    assert not roster.is_in(0)
    assert not roster.is_down(0)
    assert roster.is_down(1)
    assert roster.down() == [1]
    assert roster.settled(0) == [2]


def test_those_that_come_back_have_to_settle_again() -> None:
    roster = Roster(2, settle_us=10)
    roster.exit(1, How.KILL)
    roster.restart(1, now_us=20)

    assert roster.down() == []
    assert roster.settled(29) == [0]
    assert roster.settled(30) == [0, 1]


def test_those_to_be_kept_are_not_expendable() -> None:
    roster = Roster(4, settle_us=0, kept=frozenset({0, 2}))

    assert roster.expendable(0) == [1, 3]


def test_a_draw_of_more_than_there_are_takes_all() -> None:
    assert draw([5, 3, 4], 9, Random(0)) == [3, 4, 5]
    assert len(draw(list(range(100)), 7, Random(0))) == 7
