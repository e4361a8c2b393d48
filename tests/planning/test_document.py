"""The JSON of a plan: its keys are a promise."""

from __future__ import annotations

import json

from hypothesis import given

from snowcast.core.trees import Mode
from snowcast.planning.build import Plan, build_plan
from snowcast.planning.document import to_json
from snowcast.planning.figures import reach
from snowcast.planning.views import RelayView, Views
from support import plans


def test_a_standard_plan() -> None:
    assert json.loads(to_json(build_plan(4, 2, 1, Mode.STANDARD))) == {
        "nodes": 4,
        "fanout": 2,
        "origin": 1,
        "mode": "standard",
        "trees": [
            {"name": "standard", "root": 1, "levels": 3, "edges": [[1, 0], [1, 2], [0, 3]]},
        ],
    }


def test_a_coloring_plan_has_two_trees_the_second_with_the_frame_to_its_root_first() -> None:
    assert json.loads(to_json(build_plan(3, 2, 0, Mode.COLORING))) == {
        "nodes": 3,
        "fanout": 2,
        "origin": 0,
        "mode": "coloring",
        "trees": [
            {"name": "primary", "root": 0, "levels": 2, "edges": [[0, 2], [0, 1]]},
            {"name": "secondary", "root": 2, "levels": 2, "edges": [[0, 2], [2, 1]]},
        ],
    }


@given(plans.plans())
def test_every_node_but_the_origin_is_a_child_once_in_each_tree(plan: Plan) -> None:
    document = json.loads(to_json(plan))
    for tree in document["trees"]:
        children = [child for _, child in tree["edges"]]
        assert sorted([*children, plan.origin]) == list(range(plan.nodes))


@given(plans.plans())
def test_levels_are_counted_from_the_root_of_each_tree(plan: Plan) -> None:
    for tree in json.loads(to_json(plan))["trees"]:
        depth = {tree["root"]: 1}
        for parent, child in tree["edges"]:
            if child != tree["root"]:
                depth[child] = depth[parent] + 1
        assert tree["levels"] == max(depth.values())


@given(plans.plans_with_views())
def test_with_relay_views_it_also_tells_who_is_missed_and_who_gets_it_twice(plan: Plan) -> None:
    document = json.loads(to_json(plan))
    assert set(document) == {
        "nodes", "fanout", "origin", "mode", "trees", "missed", "duplicates"
    }  # fmt: skip
    assert document["missed"] == reach(plan).missed
    assert document["duplicates"] == []


def test_missed_nodes_are_numbers_in_order() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 200])))
    document = json.loads(to_json(build_plan(500, 4, 17, Mode.STANDARD, views=views)))
    assert document["missed"] == [3, 4, 200]


def test_it_is_one_line() -> None:
    text = to_json(build_plan(50, 4, 0, Mode.COLORING))
    assert text.endswith("}\n")
    assert text.count("\n") == 1
