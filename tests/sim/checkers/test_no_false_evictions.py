"""Only those are evicted to whom something happened."""

from snowcast.core.effects import MemberChanged
from snowcast.core.member import State
from snowcast.sim.checkers.no_false_evictions import NoFalseEvictions, NoFalseEvictionsOptions
from snowcast.sim.incidents import Lossy
from snowcast.sim.plan import Disturb, Exit, Halt, How
from support.stage import Stage, member_of, message

STEPS = (
    Exit(at_us=0, node=1, how=How.CRASH),
    Halt(at_us=0, node=2, for_us=4_000_000),
    Disturb(at_us=0, until_us=None, nodes=(3,), kind=Lossy(at_s=0, nodes=(3,), rate=0.8)),
)


def change(about: int, state: State) -> MemberChanged:
    """A view has changed about a node."""
    return MemberChanged(member_of(about), member_of(about, state))


def test_the_dead_the_paused_and_the_disturbed_may_be_evicted() -> None:
    stage = Stage(NoFalseEvictionsOptions().make(), steps=STEPS)
    for index in (1, 2, 3):
        stage.notice(0, change(index, State.EVICTED))

    outcome = stage.outcome()

    assert outcome.is_ok
    assert (outcome.measured["evicted"], outcome.measured["evicted_healthy"]) == (3, 0)


def test_a_healthy_node_that_is_evicted_is_named_with_the_first_to_believe_it() -> None:
    stage = Stage(NoFalseEvictions(), steps=STEPS)
    stage.notice(2, change(0, State.EVICTED), at_us=3_000_000)
    stage.notice(1, change(0, State.EVICTED), at_us=4_000_000)

    assert stage.findings() == ("node 0, healthy, was evicted in the view of node 2 at 3.000 s",)


def test_some_false_evictions_can_be_allowed() -> None:
    stage = Stage(NoFalseEvictionsOptions(false_max=1).make())
    stage.notice(2, change(0, State.EVICTED))

    assert stage.outcome().measured["evicted_healthy"] == 1
    assert stage.findings() == ()


def test_suspicions_are_measured_but_not_held_against_anybody() -> None:
    stage = Stage(NoFalseEvictions(), steps=STEPS)
    stage.notice(0, change(1, State.SUSPECT))
    stage.notice(1, change(0, State.SUSPECT))
    stage.notice(2, change(0, State.SUSPECT))

    outcome = stage.outcome()

    assert outcome.is_ok
    assert (outcome.measured["suspected"], outcome.measured["suspected_healthy"]) == (2, 1)


def test_other_notices_are_nothing_to_it() -> None:
    stage = Stage(NoFalseEvictions())
    stage.broadcast(message())

    assert stage.findings() == ()
