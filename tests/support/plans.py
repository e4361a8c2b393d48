"""Plans to test with, and the naive twin of what a dead node costs."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from snowcast.planning.build import Edge, Plan, build_plan
from snowcast.planning.views import RelayView, Views
from support import rings

SOME = st.frozensets(st.integers(0, 59), max_size=20)


@st.composite
def plans(draw: st.DrawFn, nodes_max: int = 120) -> Plan:
    """Any plan where all nodes share the origin's view."""
    nodes = draw(st.integers(1, nodes_max))
    origin = draw(st.integers(0, nodes - 1))
    return build_plan(nodes, draw(rings.fanouts()), origin, draw(rings.modes()))


@st.composite
def plans_with_views(draw: st.DrawFn) -> Plan:
    """A plan of up to 60 nodes, some of which do not have the origin's view."""
    nodes = draw(st.integers(1, 60))
    origin = draw(st.integers(0, nodes - 1))

    def view(itself: int | None) -> RelayView:
        missing = {x for x in draw(SOME) if x < nodes and x != itself}
        departed = {x for x in draw(SOME) if x < nodes and x != itself} - missing
        return RelayView(frozenset(missing), frozenset(departed))

    by_node = {x: view(x) for x in draw(SOME) if x < nodes}
    others = view(None) if draw(st.booleans()) else None
    views = Views(by_node, others)
    fanout, mode, order = draw(rings.fanouts()), draw(rings.modes()), draw(rings.orders())
    return build_plan(nodes, fanout, origin, mode, order, views)


def receivers(plan: Plan, dead: int | None = None) -> set[int]:
    """Who gets the message, by any tree, if `dead` neither receives nor sends: a walk."""
    return {node for tree in plan.trees for node in _flooded(tree.edges, plan.origin, dead)}


def _flooded(edges: Iterable[Edge], origin: int, dead: int | None) -> set[int]:
    wet = {origin}
    while new := {edge.child for edge in edges if edge.parent in wet} - wet - {dead}:
        wet |= new
    return wet
