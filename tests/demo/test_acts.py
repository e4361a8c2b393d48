"""The story: its scenarios are whole, and its victim is worth killing."""

from __future__ import annotations

import pytest

from snowcast.core.trees import Mode
from snowcast.demo import acts
from snowcast.demo.acts import ACTS, Act
from snowcast.planning.build import build_plan
from snowcast.planning.figures import blast
from snowcast.sim.plan import Enter, Exit
from snowcast.sim.workload import plan


@pytest.mark.parametrize("act", ACTS, ids=lambda act: f"{act.name}-{act.protocol}")
def test_every_act_is_a_scenario_of_the_same_cluster_with_messages(act: Act) -> None:
    scenario = act.scenario()
    assert (scenario.cluster.nodes, scenario.protocol) == (acts.NODES, act.protocol)
    says = act.says()
    assert [say.number for say in says] == list(range(len(says)))
    assert says
    assert {say.mode.value for say in says} == {act.protocol}
    assert {say.node for say in says}.isdisjoint({acts.VICTIM, acts.LEAVER, acts.NEWCOMER})


def test_acts_are_runs_of_their_own() -> None:
    assert len({act.run for act in ACTS}) == len(ACTS)
    assert len({(act.name, act.protocol) for act in ACTS}) == len(ACTS)


def test_the_two_modes_are_given_the_same_messages() -> None:
    origins = [[say.node for say in act.says()] for act in (acts.STANDARD, acts.COLORING)]
    assert origins[0] == origins[1]
    assert len(set(origins[0])) > 1


def test_the_victim_costs_one_tree_most_and_two_trees_nothing() -> None:
    lost = {mode: blast(build_plan(acts.NODES, acts.FANOUT, acts.ORIGIN, mode)) for mode in Mode}
    assert lost[Mode.STANDARD].lost[acts.VICTIM] == lost[Mode.STANDARD].worst > 5
    assert lost[Mode.COLORING].worst == 0


def test_what_happens_to_nodes_is_in_the_scenarios_of_its_acts() -> None:
    exits = {
        act.run: [(s.node, s.how) for s in plan(act.scenario(), acts.SEED).steps if type(s) is Exit]
        for act in ACTS
    }
    dies, leaves = (acts.VICTIM, "crash"), (acts.LEAVER, "leave")
    assert exits[acts.STANDARD.run] == exits[acts.COLORING.run] == []
    assert exits[acts.LOSS.run] == exits[acts.DETOUR.run] == exits[acts.REPAIR.run] == [dies]
    assert exits[acts.COMINGS.run] == [dies, leaves]
    steps = plan(acts.COMINGS.scenario(), acts.SEED).steps
    assert [(s.node, s.contact) for s in steps if type(s) is Enter] == [(acts.NEWCOMER, 0)]
