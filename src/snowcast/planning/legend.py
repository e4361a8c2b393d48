"""What stands beside the ring of a picture: the figures of the trees, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterator

from snowcast.core.trees import Tree
from snowcast.planning.build import Plan
from snowcast.planning.circle import Point
from snowcast.planning.figures import (
    PAYLOAD_BYTES,
    Figures,
    blast,
    levels_optimum,
    plan_figures,
    reach,
    tree_figures,
)
from snowcast.planning.markup import Markup, element

WIDTH = 310.0
ROW = 26.0
COLUMN = 96.0


def legend(plan: Plan, at: Point) -> Markup:
    """The figures above, the marks below."""
    marks_at = Point(at.x, at.y + (len(_rows(plan)) + 1.6) * ROW)
    return element("g", *_figures(plan, at), *_marks(plan, marks_at), class_="legend")


def root_mark(tree: Tree, at: Point, size: float) -> Markup:
    """A disc for the origin, a diamond for a secondary root."""
    if tree is Tree.SECONDARY:
        size *= 1.25
        corners = ((0, -size), (size, 0), (0, size), (-size, 0))
        points = " ".join(f"{at.x + dx:.1f},{at.y + dy:.1f}" for dx, dy in corners)
        return element("polygon", points=points, class_="root secondary")
    return element("circle", cx=at.x, cy=at.y, r=size, class_=f"root {tree.name.lower()}")


def _rows(plan: Plan) -> list[tuple[str, list[str]]]:
    """Label and values: one value a tree, or one for all trees together."""
    trees = [tree_figures(plan, tree) for tree in plan.trees]
    together = plan_figures(plan)
    rows = [
        (f"levels (optimum {levels_optimum(plan.nodes, plan.fanout)})", _each(trees, "levels")),
        ("internal nodes", _each(trees, "internal")),
        ("leaves", _each(trees, "leaves")),
        ("fan-out, mean", [f"{figures.fanout_mean:.2f}" for figures in trees]),
        ("fan-out, most", _each(trees, "fanout_max")),
        ("frames", _each(trees, "frames")),
        (
            f"bytes a node, payload {PAYLOAD_BYTES}",
            [f"{together.frame_bytes / plan.nodes:.1f}"],
        ),
    ]
    found = blast(plan)
    if plan.views is not None:
        rows.append(("missed", [f"{len(reach(plan).missed):,}"]))
    rows.append(("lost with one dead node, most", [f"{found.worst:,}"]))
    rows.append(("lost with one dead node, mean", [f"{found.mean:.2f}"]))
    return rows


def _each(trees: list[Figures], name: str) -> list[str]:
    return [f"{getattr(figures, name):,}" for figures in trees]


def _figures(plan: Plan, at: Point) -> Iterator[Markup]:
    right = at.x + WIDTH
    names = [tree.name for tree in plan.trees]
    for name, x in zip(reversed(names), (right, right - COLUMN), strict=False):
        text_class = f"{name} strong"
        yield element("text", name, class_=text_class, x=x, y=at.y, text_anchor="end")
    for index, (label, values) in enumerate(_rows(plan), start=1):
        y = at.y + index * ROW
        yield element("path", d=f"M{at.x} {y - 18}h{WIDTH}", class_="rule")
        yield element("text", label, class_="faint", x=at.x, y=y)
        for value, x in zip(reversed(values), (right, right - COLUMN), strict=False):
            yield element("text", value, class_="ink", x=x, y=y, text_anchor="end")


def _marks(plan: Plan, at: Point) -> Iterator[Markup]:
    """One line a mark: its picture and its meaning."""
    meanings = [
        (root_mark(tree.tree, Point(0, 0), 7), _root_text(plan, tree.tree, tree.root))
        for tree in plan.trees
    ]
    for tree in plan.trees:
        path = element("path", d="M-16 4Q0 -12 16 4")
        line = element("g", path, class_=f"edges {tree.name}", stroke_width=2.2)
        meanings.append((line, f"{tree.name} tree, thinner further down"))
    for kind, radius, meaning in _kinds(plan):
        meanings.append((element("circle", r=radius, class_=f"node {kind}"), meaning))
    for index, (mark, meaning) in enumerate(meanings):
        y = at.y + index * ROW
        yield element("g", mark, transform=f"translate({at.x + 16} {y - 5})")
        yield element("text", meaning, class_="ink", x=at.x + 44, y=y)


def _kinds(plan: Plan) -> Iterator[tuple[str, float, str]]:
    """The kinds of dots in this picture: class, radius, meaning."""
    together = plan_figures(plan)
    internal = [tree_figures(plan, tree).internal for tree in plan.trees]
    for tree, count in zip(plan.trees, internal, strict=True):
        if count > 1:  # more than the root, which has a mark of its own
            yield tree.name, 6, f"internal node of the {tree.name} tree"
    if sum(internal) > together.internal:
        yield "both", 6, "internal node of both trees"
    if together.leaves:
        yield "leaf", 4, "leaf" if len(internal) == 1 else "leaf of both trees"
    if plan.views is not None and reach(plan).missed:
        yield "missed", 4, "missed"


def _root_text(plan: Plan, tree: Tree, root: int) -> str:
    if tree is Tree.SECONDARY:
        return f"secondary root, node {root}"
    where = "origin and primary root" if tree is Tree.PRIMARY else "origin"
    return f"{where}, node {plan.origin}"
