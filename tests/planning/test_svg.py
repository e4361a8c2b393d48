"""The picture of a plan is well-formed and shows every node and every frame."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given

from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from snowcast.planning.build import Plan, build_plan
from snowcast.planning.svg import HEIGHT, NODES_MAX, ROOT_LABEL_WIDTH, WIDTH, to_svg
from snowcast.planning.views import RelayView, Views
from support import plans

SVG = "{http://www.w3.org/2000/svg}"


def parsed(plan: Plan) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(plan))


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    legend = next(part for part in picture if part.get("class") == "legend")
    inside = set(legend.iter())
    return [
        part
        for part in picture.iter()
        if part not in inside and name in part.get("class", "").split()
    ]


@given(plans.plans())
def test_there_is_a_dot_for_each_node_and_a_curve_for_each_frame(plan: Plan) -> None:
    picture = parsed(plan)
    assert len(of_class(picture, "node")) == plan.nodes
    for tree in plan.trees:
        groups = [part for part in of_class(picture, "edges") if tree.name in part.get("class", "")]
        assert sum(len(group) for group in groups) == len(tree.edges)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("nodes", [10, 40, 120, 500])
def test_everything_is_inside_the_picture(nodes: int, mode: Mode) -> None:
    picture = parsed(build_plan(nodes, 4, 7, mode))
    for part in picture.iter():
        for key, limit in (("x", WIDTH), ("cx", WIDTH), ("y", HEIGHT), ("cy", HEIGHT)):
            assert 0 <= float(part.get(key, 0)) <= limit


@pytest.mark.parametrize("nodes", range(3, 12))
def test_the_name_of_a_root_has_room_beside_the_ring(nodes: int) -> None:
    labels = of_class(parsed(build_plan(nodes, 4, 0, Mode.COLORING)), "small")
    ends = [float(part.get("x", 0)) for part in labels if part.get("text-anchor") == "end"]
    assert [x for x in ends if x < ROOT_LABEL_WIDTH] == []
    assert len(ends) == 1


def test_a_node_alone_is_not_called_nodes() -> None:
    titles = [part.text for part in of_class(parsed(build_plan(1, 4, 0, Mode.STANDARD)), "title")]
    assert titles == ["Standard broadcast to 1 node"]


def test_each_root_is_marked_and_named() -> None:
    picture = parsed(build_plan(500, 4, 0, Mode.COLORING))
    kinds = sorted(part.get("class", "") for part in of_class(picture, "root"))
    assert kinds == ["root primary", "root secondary"]
    assert {part.text for part in of_class(picture, "small")} == {
        "origin 0",
        "secondary root 499",
    }


def test_nodes_that_forward_are_larger_and_of_their_trees_colour() -> None:
    plan = build_plan(40, 4, 7, Mode.STANDARD)
    senders = {edge.parent for edge in plan.trees[0].edges}
    dots = of_class(parsed(plan), "node")
    radii = [float(dot.get("r", 0)) for dot in dots]
    assert min(radii[node] for node in senders) > max(
        radii[node] for node in range(40) if node not in senders
    )
    kinds = [dot.get("class") for dot in dots]
    assert kinds == ["node standard" if x in senders else "node leaf" for x in range(40)]


def test_where_views_differ_the_missed_and_the_doubly_internal_stand_out() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 20])))
    picture = parsed(build_plan(40, 4, 7, Mode.COLORING, views=views))
    assert len(of_class(picture, "missed")) == 2
    assert of_class(picture, "both")


def test_hovering_over_a_node_tells_what_it_does() -> None:
    picture = parsed(build_plan(500, 4, 17, Mode.STANDARD))
    told = [dot.findtext(f"{SVG}title") for dot in of_class(picture, "node")]
    assert told[17] == "node 17\nthe origin"
    assert told[329] == "node 329\nstandard: level 2, covers 267 to 391"


def test_all_nodes_are_labelled_where_there_is_room_and_only_high_ones_in_a_crowd() -> None:
    few = of_class(parsed(build_plan(100, 4, 7, Mode.STANDARD)), "label")
    assert sorted(int(part.text or "") for part in few) == [x for x in range(100) if x != 7]
    crowd = of_class(parsed(build_plan(500, 4, 7, Mode.STANDARD)), "label")
    assert 4 <= len(crowd) <= 20


def test_the_title_says_what_is_shown() -> None:
    picture = parsed(build_plan(500, 4, 17, Mode.COLORING))
    assert (
        picture.findtext(f"{SVG}title") == "Coloring broadcast to 500 nodes from node 17, fanout 4"
    )


def test_a_picture_that_nobody_could_read_is_refused() -> None:
    with pytest.raises(UsageError, match="at most 2000 nodes, not 2001"):
        to_svg(build_plan(NODES_MAX + 1, 4, 0, Mode.STANDARD))
    assert len(of_class(parsed(build_plan(NODES_MAX, 4, 0, Mode.COLORING)), "node")) == NODES_MAX
