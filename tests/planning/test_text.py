"""The text of a plan: whole for a small one, and what it says where views differ."""

from __future__ import annotations

from hypothesis import given

from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.planning.build import Plan, build_plan
from snowcast.planning.text import table, to_text
from snowcast.planning.views import RelayView, Views
from support import plans

SMALL = """\
A standard broadcast from node 0 to 8 nodes, fanout 4
Nodes are numbered 0 to 7 along the ring, in the order of their addresses.

levels                          3
levels, optimum                 3
internal nodes                  4
leaves                          4
fan-out, min mean max    1 1.75 4
frames                          7
bytes, 100-byte payload       837
bytes a node, mean          104.6

standard tree
0  origin; 8 nodes in its tree
├─ 5  4..5  2 nodes
│  └─ leaf 4
├─ 7  6..7  2 nodes
│  └─ leaf 6
├─ 2  1..2  2 nodes
│  └─ leaf 1
└─ leaf 3

blast radius: how many others miss the message if one node dies unseen
  node  level  missing  share
  2         2        1  14.3%
  5         2        1  14.3%
  7         2        1  14.3%
  mean over 3 internal nodes: 1.00
"""


def test_a_small_plan_in_whole() -> None:
    assert to_text(build_plan(8, 4, 0, Mode.STANDARD)) == SMALL


def test_coloring_has_a_column_for_each_tree_and_one_for_both() -> None:
    text = to_text(build_plan(40, 4, 17, Mode.COLORING))
    assert "                          primary  secondary  together\n" in text
    assert "frames                         39         39        78\n" in text
    assert "\nprimary tree\n17  origin; 40 nodes in its tree\n" in text
    assert "\nsecondary tree\n16  secondary root, told by origin 17; 39 nodes" in text
    assert "  nobody, for any internal node (39 of them)\n" in text


def test_the_order_of_the_ring_is_said() -> None:
    text = to_text(build_plan(8, 4, 0, Mode.STANDARD, RingOrder.HASHED))
    assert "in the order of the hashes of their addresses" in text


def test_a_large_tree_says_what_is_not_drawn_and_how_to_see_it() -> None:
    plan = build_plan(500, 4, 17, Mode.STANDARD)
    assert "(3 of 6 levels drawn: --depth 6 or --full draws more)" in to_text(plan)
    assert "(2 of 6 levels drawn" in to_text(plan, levels=2)
    assert "levels drawn" not in to_text(plan, levels=6)
    assert "… and 233 more nodes" in to_text(plan)


def test_in_full_nothing_is_left_out() -> None:
    text = to_text(build_plan(2_000, 32, 17, Mode.STANDARD), full=True)
    assert "…" not in text


@given(plans.plans_with_views())
def test_any_plan_can_be_written_without_wide_or_ragged_lines(plan: Plan) -> None:
    for line in to_text(plan).splitlines():
        assert line == line.rstrip()
        assert len(line) <= 110


def test_with_relay_views_it_lists_who_is_missed() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 200])))
    text = to_text(build_plan(500, 4, 17, Mode.STANDARD, views=views))
    assert "With the relays' views: 496 of 499 reached\n  missed (3): 3 4 200\n" in text
    assert "  reached twice by one tree: nobody\n" in text
    assert "reached by one tree only" not in text


def test_with_coloring_it_lists_who_has_only_one_tree_left_and_whose_death_would_cost() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 20])))
    text = to_text(build_plan(40, 4, 17, Mode.COLORING, views=views))
    assert "  reached by one tree only (" in text
    assert "  node  level  missing  share\n" in text


def test_long_lists_are_elided_unless_all_is_wanted() -> None:
    views = Views({0: RelayView(departed=frozenset(range(1, 41)))})
    plan = build_plan(50, 4, 0, Mode.STANDARD, views=views)
    assert "  missed (40): 1 2 3" in to_text(plan)
    assert "20 … and 20 more nodes\n" in to_text(plan)
    assert "38 39 40\n" in to_text(plan, full=True)


def test_a_node_alone_has_nobody_to_lose() -> None:
    text = to_text(build_plan(1, 4, 0, Mode.COLORING))
    assert text.startswith("A coloring broadcast from node 0 to 1 node, fanout 4\n")
    assert text.endswith("  nobody: no node but the origin sends anything\n")


def test_tables_are_in_line() -> None:
    assert list(table([("a", "1"), ("bcd", "234")])) == ["a      1", "bcd  234"]
