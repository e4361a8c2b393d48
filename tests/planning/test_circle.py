"""Geometry of the ring in a picture."""

from __future__ import annotations

from math import hypot

import pytest

from snowcast.planning.circle import Circle, Point

QUARTERS = Circle(nodes=4, top=3, centre=Point(0, 0), radius=100)


def test_the_origin_is_at_the_top_and_the_ring_runs_clockwise() -> None:
    places = [QUARTERS.at(node) for node in (3, 0, 1, 2)]
    expected = [(0, -100), (100, 0), (0, 100), (-100, 0)]
    for place, (x, y) in zip(places, expected, strict=True):
        assert place == pytest.approx((x, y))


def test_a_place_outside_of_a_node() -> None:
    assert QUARTERS.at(0, outwards=20) == pytest.approx((120, 0))


@pytest.mark.parametrize("bend", [0.5, 1.0])
@pytest.mark.parametrize(("start", "end"), [(0, 1), (0, 7), (5, 30), (38, 2), (39, 0), (0, 19)])
def test_a_curve_swings_from_node_to_node_on_the_inner_side(
    start: int, end: int, bend: float
) -> None:
    circle = Circle(40, 5, Point(300, 300), 250)
    first, last = circle.curve(start, end, bend).removeprefix("M").split("Q")
    x1, y1 = map(float, first.split())
    x2, y2, x3, y3 = map(float, last.split())
    assert (x1, y1) == pytest.approx(circle.at(start), abs=0.1)
    assert (x3, y3) == pytest.approx(circle.at(end), abs=0.1)
    middle = hypot((x1 + x3) / 2 - 300, (y1 + y3) / 2 - 300)
    assert hypot(x2 - 300, y2 - 300) < middle


def test_opposite_nodes_are_joined_by_a_straight_line() -> None:
    assert QUARTERS.curve(3, 1, 1.0) == "M0 -100Q0 0 0 100"


def test_more_nodes_are_smaller_and_internal_ones_always_larger_than_leaves() -> None:
    sizes = [Circle(n, 0, Point(0, 0), 300) for n in (10, 100, 500, 2_000)]
    assert [c.leaf_radius for c in sizes] == sorted((c.leaf_radius for c in sizes), reverse=True)
    assert all(c.internal_radius > c.leaf_radius for c in sizes)


def test_labels_are_across_where_there_is_room_and_turned_where_there_is_less() -> None:
    assert [Circle(n, 0, Point(0, 0), 300).is_roomy for n in (10, 60, 120)] == [True, True, False]
    assert Circle(10, 0, Point(0, 0), 300).label(3)[1:] == ("middle", None)
    crowded = Circle(100, 0, Point(0, 0), 300)
    assert crowded.label(25)[1:] == ("start", pytest.approx(0))
    assert crowded.label(75)[1:] == ("end", pytest.approx(0))


def test_every_node_is_labelled_where_all_fit_but_the_ones_taken() -> None:
    circle = Circle(20, 0, Point(0, 0), 300)
    assert circle.labelled(range(20), taken=[0]) == list(range(1, 20))


def test_where_not_all_fit_the_important_ones_win_and_none_is_close_to_another() -> None:
    circle = Circle(500, 0, Point(0, 0), 300)
    chosen = circle.labelled([250, 251, 100, 2, 252, 497], taken=[0])
    assert chosen == [250, 100]
