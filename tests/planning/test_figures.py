"""Figures of a plan, against counting by hand and against killing nodes one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.codec import encode
from snowcast.core.frames import Data, MessageId
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode, Tree
from snowcast.planning.build import Edge, Plan, PlannedTree, build_plan, node_address
from snowcast.planning.figures import (
    LIFE,
    PAYLOAD_BYTES,
    SEQUENCE,
    blast,
    levels_optimum,
    plan_figures,
    reach,
    tree_figures,
)
from snowcast.planning.views import RelayView, Views
from support import plans, twins


@given(st.one_of(plans.plans(), plans.plans_with_views()))
def test_the_blast_radius_is_who_is_no_longer_reached_when_that_node_is_killed(plan: Plan) -> None:
    everybody = plans.receivers(plan)
    senders = {edge.parent for tree in plan.trees for edge in tree.edges} - {plan.origin}
    assert blast(plan).lost == {
        node: len(everybody - {node}) - len(plans.receivers(plan, dead=node)) for node in senders
    }


@given(plans.plans())
def test_with_coloring_and_one_view_no_single_death_costs_anybody_the_message(plan: Plan) -> None:
    if len(plan.trees) == 2:
        assert blast(plan).worst == 0


def test_the_blast_radius_is_ranked_by_what_is_lost() -> None:
    found = blast(build_plan(40, 4, 17, Mode.STANDARD))
    assert found.ranking()[:5] == [(2, 9), (12, 9), (23, 9), (32, 8), (8, 2)]
    assert found.worst == 9
    assert found.mean == pytest.approx(sum(found.lost.values()) / 20)


def test_where_nobody_but_the_origin_sends_there_is_nothing_to_lose() -> None:
    found = blast(build_plan(3, 4, 0, Mode.STANDARD))
    assert (found.lost, found.worst, found.mean) == ({}, 0, 0.0)


@given(plans.plans())
def test_bytes_are_those_of_the_frames_as_encoded(plan: Plan) -> None:
    ring = [node_address(number) for number in range(plan.nodes)]
    id, payload = MessageId(ring[plan.origin], LIFE, SEQUENCE), bytes(PAYLOAD_BYTES)

    def frame(tree: PlannedTree, edge: Edge) -> Data:
        left = None if edge.left == edge.child else ring[edge.left]
        right = None if edge.right == edge.child else ring[edge.right]
        return Data(id, tree.tree, left, right, payload)

    sizes = [sum(len(encode(frame(tree, edge))) for edge in tree.edges) for tree in plan.trees]
    assert [tree_figures(plan, tree).frame_bytes for tree in plan.trees] == sizes
    assert plan_figures(plan).frame_bytes == sum(sizes)


def test_the_figures_of_one_tree() -> None:
    plan = build_plan(500, 4, 17, Mode.STANDARD)
    figures = tree_figures(plan, plan.trees[0])
    senders = {edge.parent for edge in plan.trees[0].edges}
    assert (figures.name, figures.levels, figures.frames) == ("standard", 6, 499)
    assert figures.internal == len(senders)
    assert figures.leaves == 500 - len(senders)
    assert (figures.fanout_min, figures.fanout_max) == (1, 4)
    assert figures.fanout_mean == pytest.approx(499 / len(senders))


def test_the_secondary_tree_leaves_the_origin_out_of_everything_but_its_frames() -> None:
    plan = build_plan(3, 4, 0, Mode.COLORING)
    primary, secondary = (tree_figures(plan, tree) for tree in plan.trees)
    assert (primary.internal, primary.leaves, primary.frames) == (1, 2, 2)
    assert (secondary.internal, secondary.leaves, secondary.frames) == (1, 1, 2)
    assert (secondary.fanout_min, secondary.fanout_max) == (1, 1)


def test_together_a_leaf_is_a_leaf_of_both_trees_and_the_origin_sends_once_more() -> None:
    plan = build_plan(120, 6, 7, Mode.COLORING)
    together = plan_figures(plan)
    each = [tree_figures(plan, tree) for tree in plan.trees]
    assert together.internal == sum(figures.internal for figures in each)
    assert together.leaves == 120 - together.internal
    assert together.frames == 2 * 119
    assert together.fanout_max == 7


def test_the_figures_of_a_node_alone() -> None:
    plan = build_plan(1, 4, 0, Mode.STANDARD)
    figures = tree_figures(plan, plan.trees[0])
    assert (figures.levels, figures.internal, figures.leaves) == (1, 0, 1)
    assert (figures.fanout_max, figures.frames, figures.frame_bytes) == (0, 0, 0)


@given(st.integers(1, 100_000), st.integers(1, 64))
def test_the_optimum_is_the_height_of_the_paper_put_right(nodes: int, half: int) -> None:
    assert levels_optimum(nodes, 2 * half) == twins.levels(nodes, 2 * half)


@given(plans.plans_with_views())
def test_missed_and_reached_once_agree_with_a_walk(plan: Plan) -> None:
    reached = reach(plan)
    assert set(reached.missed) == set(range(plan.nodes)) - plans.receivers(plan)
    if len(plan.trees) == 1:
        assert reached.once == []


@given(plans.plans_with_views())
def test_nobody_is_reached_twice_by_one_tree_whatever_the_relays_know(plan: Plan) -> None:
    assert reach(plan).duplicates == []


def test_a_copy_too_many_or_one_that_comes_back_to_the_origin_would_be_told() -> None:
    edges = [Edge(0, 1, 1, 2, 2), Edge(1, 2, 2, 2, 3), Edge(1, 2, 2, 2, 3), Edge(1, 0, 0, 0, 3)]
    tree = PlannedTree(Tree.STANDARD, 0, 3, edges)
    plan = Plan(4, 2, 0, Mode.STANDARD, RingOrder.ADDRESS, Views(), [tree])
    assert reach(plan).duplicates == [0, 2]
    assert reach(plan).missed == [3]


def test_who_is_reached_by_one_of_two_trees_is_told() -> None:
    views = Views({17: RelayView(missing=frozenset([5]))})
    reached = reach(build_plan(40, 4, 17, Mode.COLORING, views=views))
    plan = build_plan(40, 4, 17, Mode.COLORING, views=views)
    found = [{edge.child for edge in tree.edges} for tree in plan.trees]
    assert reached.once == sorted((found[0] ^ found[1]) - {17})
