"""When all is quiet, views are equal and right, and soon enough."""

from msgspec.structs import replace

from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.core.events import FrameReceived
from snowcast.core.frames import Records
from snowcast.core.member import State
from snowcast.sim.checkers.views_converge import ViewsConverge, ViewsConvergeOptions
from snowcast.sim.observer import NodeChange
from support.stage import Stage, member_of, sim_node


def learn(stage: Stage, index: int, about: int, state: State) -> None:
    """A node hears something about another."""
    told = Records((member_of(about, state),))
    source: Address = stage.nodes[about].address
    stage.nodes[index].node.handle(FrameReceived(source, told), 0)


def test_equal_views_that_hold_whoever_is_there_are_right() -> None:
    outcome = Stage(ViewsConvergeOptions().make()).outcome()

    assert outcome.is_ok
    assert outcome.measured == {"converged_after_s": 0}


def test_a_view_that_lacks_a_member_is_named() -> None:
    stage = Stage(ViewsConverge())
    learn(stage, 2, about=3, state=State.LEFT)

    assert stage.findings() == (
        "node 2 holds 3 members and not 4: lacks 10.0.0.4:7946, keeps none",
    )


def test_equal_views_that_keep_a_dead_node_are_wrong() -> None:
    stage = Stage(ViewsConverge(), nodes=2)
    stage.change(1, NodeChange.CRASHED)

    assert stage.findings() == (
        "node 0 holds 2 members and not 1: lacks none, keeps 10.0.0.2:7946",
    )


def test_a_node_that_nobody_knows_is_lacking_everywhere() -> None:
    stage = Stage(ViewsConverge(), nodes=2)
    stage.enter(sim_node(2))

    assert len(stage.findings()) == 3


def test_a_leaver_counts_neither_as_a_member_nor_for_its_view() -> None:
    stage = Stage(ViewsConverge(), nodes=3)
    stage.change(2, NodeChange.LEAVING)
    learn(stage, 0, about=2, state=State.LEFT)
    learn(stage, 1, about=2, state=State.LEFT)

    assert stage.findings() == ()


def test_a_leaver_that_was_restarted_counts_again() -> None:
    stage = Stage(ViewsConverge(), nodes=2)
    stage.change(1, NodeChange.LEAVING)
    stage.change(1, NodeChange.RESTARTED)

    assert stage.findings() == ()


def test_the_same_nodes_in_other_incarnations_are_not_the_same_view() -> None:
    stage = Stage(ViewsConverge(), nodes=2)
    told = replace(member_of(1), incarnation=member_of(1).incarnation + 1)
    stage.nodes[0].node.handle(FrameReceived(stage.nodes[1].address, Records((told,))), 0)

    assert stage.findings() == ("views hold the right nodes, but not in the same incarnations",)


def test_the_time_to_converge_begins_when_all_is_quiet() -> None:
    stage = Stage(ViewsConverge(within_us=2 * SECOND), nodes=2)
    stage.enter(sim_node(2))
    stage.checker.on_quiet(10 * SECOND)
    stage.checker.on_tick(11 * SECOND)
    stage.nodes[:] = [sim_node(index, knows=3) for index in range(3)]
    stage.checker.on_tick(13 * SECOND)

    outcome = stage.outcome(at_us=20 * SECOND)

    assert outcome.measured == {"converged_after_s": 3}
    assert outcome.findings == ("views took 3.000 s to be equal, not 2.000 s",)


def test_views_that_part_again_have_not_converged_before() -> None:
    stage = Stage(ViewsConverge(), nodes=2)
    stage.checker.on_quiet(0)
    stage.checker.on_tick(1 * SECOND)
    stage.enter(sim_node(2))
    stage.checker.on_tick(2 * SECOND)
    stage.nodes[:] = [sim_node(index, knows=3) for index in range(3)]

    assert stage.outcome(at_us=5 * SECOND).measured == {"converged_after_s": 5}


def test_without_any_node_all_views_are_equal() -> None:
    assert Stage(ViewsConverge(), nodes=0).findings() == ()
