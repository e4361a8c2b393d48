"""What nodes hold on to when all is quiet."""

from snowcast.core.timers import LingerTimer, PongTimer
from snowcast.sim.checkers.no_leaks import NoLeaks, NoLeaksOptions
from snowcast.sim.observer import NodeChange
from support.stage import Stage


def remembers(stage: Stage, index: int, **sizes: int) -> None:
    """Let a node say that it remembers so much."""
    node = stage.nodes[index]
    node.node = type("Remembers", (), {"sizes": lambda self: sizes})()


def test_nodes_that_remember_nothing_leak_nothing() -> None:
    outcome = Stage(NoLeaksOptions().make()).outcome()

    assert outcome.is_ok
    assert set(outcome.measured.values()) <= {0}


def test_what_is_left_is_named_with_what_is_allowed() -> None:
    stage = Stage(NoLeaks())
    remembers(stage, 2, custodies=3, probes=1)

    outcome = stage.outcome()

    assert outcome.findings == ("node 2 remembers 3 custodies, not 0",)
    assert outcome.measured == {"custodies_max": 3, "probes_max": 1}


def test_a_scenario_can_allow_what_it_expects() -> None:
    stage = Stage(NoLeaksOptions(allow={"seen": 10}).make())
    remembers(stage, 0, seen=10)
    remembers(stage, 1, seen=11)

    assert stage.findings() == ("node 1 remembers 11 seen, not 10",)


def test_timers_that_pile_up_are_named_by_kind() -> None:
    stage = Stage(NoLeaks(timers_max=2))
    timers = {PongTimer(1): 1, PongTimer(2): 2, LingerTimer(): 3}
    stage.nodes[3].timers.update(timers)

    assert stage.findings() == ("node 3 has 3 timers set: 2 PongTimer, 1 LingerTimer",)


def test_the_dead_remember_nothing() -> None:
    stage = Stage(NoLeaks())
    remembers(stage, 1, custodies=3)
    stage.change(1, NodeChange.CRASHED)

    assert stage.findings() == ()
