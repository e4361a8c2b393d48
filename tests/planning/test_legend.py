"""What stands beside the ring: the figures of the plan, and only marks that are in the picture."""

from __future__ import annotations

from xml.etree import ElementTree

from snowcast.core.trees import Mode, Tree
from snowcast.planning.build import Plan, build_plan
from snowcast.planning.circle import Point
from snowcast.planning.legend import legend, root_mark
from snowcast.planning.views import RelayView, Views


def words(plan: Plan) -> list[str]:
    found = ElementTree.fromstring(legend(plan, Point(0, 0)))
    return [part.text or "" for part in found.iter("text")]


def test_a_standard_plan_has_one_column() -> None:
    assert words(build_plan(40, 4, 7, Mode.STANDARD)) == [
        "standard",
        *("levels (optimum 4)", "4"),
        *("internal nodes", "21"),
        *("leaves", "19"),
        *("fan-out, mean", "1.86"),
        *("fan-out, most", "4"),
        *("frames", "39"),
        *("bytes a node, payload 100", "118.3"),
        *("lost with one dead node, most", "9"),
        *("lost with one dead node, mean", "2.70"),
        "origin, node 7",
        "standard tree, thinner further down",
        "internal node of the standard tree",
        "leaf",
    ]


def test_a_coloring_plan_has_a_column_for_each_tree() -> None:
    said = words(build_plan(120, 6, 7, Mode.COLORING))
    assert said[:5] == ["secondary", "primary", "levels (optimum 4)", "4", "4"]
    assert said[-7:] == [
        "origin and primary root, node 7",
        "secondary root, node 6",
        "primary tree, thinner further down",
        "secondary tree, thinner further down",
        "internal node of the primary tree",
        "internal node of the secondary tree",
        "leaf of both trees",
    ]


def test_marks_that_are_not_drawn_are_not_explained() -> None:
    said = words(build_plan(40, 4, 7, Mode.COLORING))
    assert "leaf of both trees" not in said
    assert "internal node of both trees" not in said
    assert "missed" not in said


def test_with_relay_views_it_tells_of_the_missed_and_of_nodes_that_send_in_both_trees() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 20])))
    said = words(build_plan(40, 4, 7, Mode.COLORING, views=views))
    assert said[-3:] == ["internal node of both trees", "leaf of both trees", "missed"]
    assert said[said.index("missed") + 1] == "2"


def test_roots_differ_in_shape() -> None:
    disc, diamond = (root_mark(tree, Point(5, 5), 4) for tree in (Tree.PRIMARY, Tree.SECONDARY))
    assert disc == '<circle cx="5" cy="5" r="4" class="root primary"/>'
    assert diamond.startswith('<polygon points="5.0,0.0 10.0,5.0 5.0,10.0 0.0,5.0"')
