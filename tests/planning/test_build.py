"""A plan is what the nodes would do: the same trees as a walk through every node's own planning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Mode, Tree
from snowcast.planning.build import NODES_MAX, Plan, build_plan, node_address
from snowcast.planning.views import RelayView, Views
from support import rings, walks
from support.plans import plans_with_views


def frames(plan: Plan) -> list[tuple[Tree, int, int]]:
    return sorted(
        (tree.tree, edge.parent, edge.child) for tree in plan.trees for edge in tree.edges
    )


def walked(plan: Plan) -> list[tuple[Tree, int, int]]:
    """The same frames from the walk of the tests, on addresses of its own."""
    ring = rings.ring(plan.nodes, plan.order)
    numbers = {address: number for number, address in enumerate(ring)}

    def view_of(address: Address) -> walks.View:
        number = numbers[address]
        views = plan.views or Views()
        short = views.by_node.get(number, None if number == plan.origin else views.others)
        if short is None:
            return walks.View(ring)
        known = [x for x in ring if x == address or not short.lacks(numbers[x])]
        departed = frozenset(ring[x] for x in short.departed)
        return walks.View(Ring(known, plan.order), departed)

    sends = walks.walk(view_of, ring[plan.origin], plan.fanout, plan.mode)
    return sorted((send.tree, numbers[send.parent], numbers[send.child]) for send in sends)


@given(st.integers(1, 120), st.data(), rings.fanouts(), rings.modes(), rings.orders())
def test_a_plan_is_the_broadcast_that_the_nodes_would_make(
    nodes: int, data: st.DataObject, fanout: int, mode: Mode, order: RingOrder
) -> None:
    plan = build_plan(nodes, fanout, data.draw(st.integers(0, nodes - 1)), mode, order)
    assert frames(plan) == walked(plan)


@given(plans_with_views())
def test_it_is_so_as_well_where_relays_have_views_of_their_own(plan: Plan) -> None:
    assert frames(plan) == walked(plan)


@given(plans_with_views())
def test_regions_below_a_node_lie_inside_its_own_and_apart_from_each_other(plan: Plan) -> None:
    def inside(left: int, right: int) -> set[int]:
        return {(left + step) % plan.nodes for step in range((right - left) % plan.nodes + 1)}

    for tree in plan.trees:
        covered = {edge.child: inside(edge.left, edge.right) for edge in tree.edges}
        taken: dict[int, set[int]] = {}
        for edge in tree.edges_below:
            region = covered[edge.child]
            assert edge.parent not in region
            assert region <= covered.get(edge.parent, region)
            assert not region & taken.setdefault(edge.parent, set())
            taken[edge.parent] |= region


def test_the_order_of_the_ring_does_not_change_the_trees() -> None:
    plain, hashed = (build_plan(200, 4, 17, Mode.COLORING, order) for order in RingOrder)
    assert plain.trees == hashed.trees


def test_edges_come_level_by_level_with_the_root_at_level_one() -> None:
    (tree,) = build_plan(500, 4, 17, Mode.STANDARD).trees
    levels = [edge.level for edge in tree.edges]
    assert levels == sorted(levels)
    assert [edge.parent for edge in tree.edges[:4]] == [17] * 4
    assert (levels[0], levels[-1], tree.levels) == (2, 6, 6)


def test_a_secondary_tree_begins_with_the_frame_from_the_origin_to_its_root() -> None:
    primary, secondary = build_plan(40, 4, 17, Mode.COLORING).trees
    assert (primary.name, primary.root) == ("primary", 17)
    assert (secondary.name, secondary.root) == ("secondary", 16)
    first, *below = secondary.edges
    assert (first.parent, first.child, first.level) == (17, 16, 1)
    assert below == secondary.edges_below
    assert all(17 not in (edge.parent, edge.child) for edge in below)


def test_a_leaf_covers_only_itself() -> None:
    (tree,) = build_plan(5, 4, 0, Mode.STANDARD).trees
    assert [(edge.child, edge.left, edge.right) for edge in tree.edges] == [
        (3, 3, 3),
        (4, 4, 4),
        (1, 1, 1),
        (2, 2, 2),
    ]
    assert all(edge.is_leaf for edge in tree.edges)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("nodes", "frames_sent"), [(1, 0), (2, 1)])
def test_one_or_two_nodes_have_one_tree_at_most(mode: Mode, nodes: int, frames_sent: int) -> None:
    (tree,) = build_plan(nodes, 2, 0, mode).trees
    assert (tree.root, len(tree.edges), tree.levels) == (0, frames_sent, nodes)


def test_a_boundary_that_a_relay_does_not_know_is_a_candidate_and_a_departed_one_is_not() -> None:
    (whole,) = build_plan(40, 4, 17, Mode.STANDARD).trees
    relay, left = whole.edges[0].child, whole.edges[0].left

    def reached(view: RelayView) -> bool:
        plan = build_plan(40, 4, 17, Mode.STANDARD, views=Views({relay: view}))
        return left in {edge.child for edge in plan.trees[0].edges}

    assert reached(RelayView(missing=frozenset([left])))
    assert not reached(RelayView(departed=frozenset([left])))


def test_everybody_else_does_not_include_the_origin_but_its_own_number_does() -> None:
    view = RelayView(missing=frozenset([1]))
    star = build_plan(4, 4, 0, Mode.STANDARD, views=Views(others=view))
    own = build_plan(4, 4, 0, Mode.STANDARD, views=Views(by_node={0: view}))
    assert [edge.child for edge in star.trees[0].edges] == [2, 3, 1]
    assert [edge.child for edge in own.trees[0].edges] == [3, 2]


@pytest.mark.parametrize(
    ("nodes", "fanout", "origin", "said"),
    [
        (0, 4, 0, "nodes must be from 1"),
        (-1, 4, 0, "nodes must be from 1"),
        (NODES_MAX + 1, 4, 0, "nodes must be from 1"),
        (10, 3, 0, "fanout must be even"),
        (10, 0, 0, "fanout must be even"),
        (10, 258, 0, "fanout must be even"),
        (10, 4, 10, "origin must be from 0 to 9"),
        (10, 4, -1, "origin must be from 0 to 9"),
    ],
)
def test_what_cannot_be_planned_is_refused(nodes: int, fanout: int, origin: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build_plan(nodes, fanout, origin, Mode.STANDARD)


def test_nodes_are_given_addresses_in_the_order_of_their_places() -> None:
    assert str(node_address(0)) == "10.0.0.1:7946"
    assert str(node_address(255)) == "10.0.1.0:7946"
    assert node_address(0) < node_address(1) < node_address(NODES_MAX - 1)
