"""Trees drawn as outlines: whole ones line for line, large ones with what is left out counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from snowcast.core.trees import Mode
from snowcast.planning.build import Plan, build_plan
from snowcast.planning.outline import (
    FULL,
    LINES_WANTED,
    Limits,
    count_of,
    limits_for,
    numbers_in_short,
    outline,
)
from support import plans


def drawn(plan: Plan, limits: Limits, tree: int = 0) -> list[str]:
    return list(outline(plan, plan.trees[tree], limits))


def test_a_small_tree_is_drawn_whole() -> None:
    assert drawn(build_plan(14, 4, 0, Mode.STANDARD), FULL) == [
        "0  origin; 14 nodes in its tree",
        "├─ 9   7..10   4 nodes",
        "│  └─ leaves 7 8 10",
        "├─ 12  11..13  3 nodes",
        "│  └─ leaves 11 13",
        "├─ 2   1..3    3 nodes",
        "│  └─ leaves 1 3",
        "└─ 5   4..6    3 nodes",
        "   └─ leaves 4 6",
    ]


def test_a_secondary_tree_begins_with_who_tells_its_root() -> None:
    assert drawn(build_plan(4, 2, 1, Mode.COLORING), FULL, tree=1) == [
        "0  secondary root, told by origin 1; 3 nodes in its tree",
        "└─ leaves 3 2",
    ]


@given(plans.plans())
def test_in_full_every_node_is_drawn_once(plan: Plan) -> None:
    for number, tree in enumerate(plan.trees):
        found = []
        for line in drawn(plan, FULL, number):
            words = line.lstrip("│├└─ ").split()
            leaves = words[0] in ("leaf", "leaves")
            found += [int(word) for word in (words[1:] if leaves else words[:1])]
        assert sorted(found) == sorted({tree.root, *(edge.child for edge in tree.edges)})


@given(plans.plans())
def test_what_is_not_drawn_is_counted(plan: Plan) -> None:
    limits = Limits(levels=2, internal=1, leaves=1)
    count = 1
    for line in drawn(plan, limits)[1:]:
        words = line.lstrip("│├└─ ").split()
        if more := re.search(r"… and ([\d,]+) more leaves", line):
            count += int(more[1].replace(",", "")) + 1
        elif words[0] in ("leaf", "leaves"):
            count += len(words) - 1
        elif more := re.search(r"more internal nodes, covering ([\d,]+)", line):
            count += int(more[1].replace(",", ""))
        else:
            count += int(words[2])
    assert count == plan.nodes


def test_at_the_last_level_drawn_a_node_says_how_many_are_below() -> None:
    lines = drawn(build_plan(500, 4, 17, Mode.STANDARD), Limits(2))
    assert len(lines) == 5
    assert lines[1] == "├─ 329  267..391  125 nodes  … 124 below"


def test_many_leaves_and_many_internal_nodes_are_elided() -> None:
    lines = drawn(build_plan(41, 40, 0, Mode.STANDARD), Limits(None))
    assert lines[1].endswith("32 … and 28 more leaves")
    lines = drawn(build_plan(5_000, 64, 0, Mode.STANDARD), Limits(2))
    assert lines[-1].startswith("└─ … and 52 more internal nodes, covering 4,0")


@pytest.mark.parametrize("nodes", [10, 40, 500, 20_000])
@pytest.mark.parametrize("fanout", [2, 4, 16, 256])
@pytest.mark.parametrize("mode", Mode)
def test_by_default_a_tree_fits_a_screen_or_two(nodes: int, fanout: int, mode: Mode) -> None:
    plan = build_plan(nodes, fanout, 3, mode)
    for number, tree in enumerate(plan.trees):
        assert len(drawn(plan, limits_for(tree, None), number)) <= LINES_WANTED + 1


def test_the_depth_may_be_asked_for() -> None:
    plan = build_plan(500, 4, 17, Mode.STANDARD)
    assert limits_for(plan.trees[0], None).levels == 3
    assert limits_for(plan.trees[0], 5).levels == 5
    assert len(drawn(plan, limits_for(plan.trees[0], 1))) == 1


def test_one_number_is_not_left_out_for_the_words_would_be_longer() -> None:
    assert numbers_in_short(range(4), 3, "nodes") == "0 1 2 3"
    assert numbers_in_short(range(5), 3, "nodes") == "0 1 2 … and 2 more nodes"
    assert numbers_in_short(range(5), None, "nodes") == "0 1 2 3 4"


def test_counts_are_written_with_their_noun() -> None:
    assert (count_of(1, "node"), count_of(2_000, "node")) == ("1 node", "2,000 nodes")
