"""A plan as a picture: the ring, the trees over it, and the figures beside it.

Readable from ten to some five hundred nodes. No colour carries a meaning alone: the two trees also
bend differently, roots have a shape of their own, and hovering over a node tells what it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from snowcast.core.errors import UsageError
from snowcast.core.trees import Tree
from snowcast.planning.build import Plan
from snowcast.planning.circle import RADIAL_SPACING, Circle, Point
from snowcast.planning.figures import reach
from snowcast.planning.legend import legend, root_mark
from snowcast.planning.markup import Markup, element, joined
from snowcast.planning.outline import count_of
from snowcast.planning.style import STYLE

NODES_MAX = 2_000
WIDTH, HEIGHT = 1200, 800
CENTRE, RADIUS = Point(415, 446), 312.0
LEGEND = Point(845, 132)
BEND = {Tree.STANDARD: 1.0, Tree.PRIMARY: 1.0, Tree.SECONDARY: 0.55}
STROKES = ((3.0, 0.95), (2.3, 0.85), (1.7, 0.7), (1.2, 0.6), (0.9, 0.55))  # width and opacity
CROWDED_LEVELS = 3  # down to which nodes are labelled where not all can be
ROOT_SIZE = 7.5
ROOT_LABEL_GAP = 38.0
ROOT_LABEL_WIDTH = 150.0  # of "secondary root" and a number, at the most
ROOMY_FOR_ROOTS = 2.6 * ROOT_SIZE


def to_svg(plan: Plan) -> str:
    """The picture, as a file that stands alone."""
    if plan.nodes > NODES_MAX:
        raise UsageError(f"a picture shows at most {NODES_MAX} nodes, not {plan.nodes}")
    circle = Circle(plan.nodes, plan.origin, CENTRE, RADIUS)
    title = f"{plan.mode.capitalize()} broadcast to {count_of(plan.nodes, 'node')}"
    under = f"from node {plan.origin}, fanout {plan.fanout}"
    picture = element(
        "svg",
        element("title", f"{title} {under}"),
        element("style", Markup(STYLE)),
        element("rect", class_="ground", width="100%", height="100%"),
        element("text", title, class_="ink title", x=40, y=54),
        element("text", under, class_="faint under", x=40, y=80),
        element("circle", class_="ring", cx=CENTRE.x, cy=CENTRE.y, r=RADIUS),
        *_edges(plan, circle),
        *_nodes(plan, circle),
        *_roots(plan, circle),
        *_labels(plan, circle),
        legend(plan, LEGEND),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
    )
    return joined(picture, "\n")


def _edges(plan: Plan, circle: Circle) -> Iterator[Markup]:
    """One group for each level of each tree, the deepest first so that roots stay on top."""
    levels = [
        (level, tree, list(edges))
        for tree in plan.trees
        for level, edges in groupby(tree.edges, key=lambda edge: edge.level)
    ]
    for level, tree, edges in sorted(levels, key=lambda item: (-item[0], -item[1].tree)):
        width, opacity = STROKES[min(max(level - 2, 0), len(STROKES) - 1)]
        curves = [circle.curve(edge.parent, edge.child, BEND[tree.tree]) for edge in edges]
        yield element(
            "g",
            *(element("path", d=curve) for curve in curves),
            class_=f"edges {tree.name}",
            stroke_width=width,
            stroke_opacity=f"{opacity}",
        )


def _nodes(plan: Plan, circle: Circle) -> Iterator[Markup]:
    """Every node as a dot, larger if it forwards."""
    senders = {tree.name: {edge.parent for edge in tree.edges_below} for tree in plan.trees}
    missed = set(reach(plan).missed)
    stories = _stories(plan)
    for node in range(plan.nodes):
        kinds = [name for name, nodes in senders.items() if node in nodes]
        kind = kinds[0] if len(kinds) == 1 else "both" if kinds else "leaf"
        radius = circle.internal_radius if kinds else circle.leaf_radius
        if node in missed:
            kind = "missed"
        at, told = circle.at(node), element("title", "\n".join([f"node {node}", *stories[node]]))
        yield element("circle", told, class_=f"node {kind}", cx=at.x, cy=at.y, r=radius)


def _stories(plan: Plan) -> list[list[str]]:
    """What each node does in each tree, to be shown where the mouse points."""
    stories: list[list[str]] = [[] for _ in range(plan.nodes)]
    stories[plan.origin].append("the origin")
    for tree in plan.trees:
        for edge in tree.edges:
            what = "a leaf" if edge.is_leaf else f"covers {edge.left} to {edge.right}"
            stories[edge.child].append(f"{tree.name}: level {edge.level}, {what}")
    return stories


def _roots(plan: Plan, circle: Circle) -> Iterator[Markup]:
    """The marks of the roots; where two have no room side by side, one stands outside."""
    is_tight = circle.spacing < ROOMY_FOR_ROOTS
    for tree in reversed(plan.trees):
        at = circle.at(tree.root)
        if tree.tree is Tree.SECONDARY and is_tight:
            mark_at = circle.at(tree.root, 2.4 * ROOT_SIZE)
            yield element("path", d=f"M{at.x} {at.y}L{mark_at.x} {mark_at.y}", class_="lead")
            at = mark_at
        yield root_mark(tree.tree, at, ROOT_SIZE)


def _labels(plan: Plan, circle: Circle) -> Iterator[Markup]:
    """The numbers of nodes, those near a root first, as far as there is room."""
    roots = [tree.root for tree in plan.trees]
    levels: dict[int, int] = {}
    for tree in plan.trees:
        for edge in tree.edges:
            levels[edge.child] = min(edge.level, levels.get(edge.child, edge.level))
    crowded = circle.spacing < RADIAL_SPACING
    others = sorted(
        (level, node)
        for node, level in levels.items()
        if node not in roots and (level <= CROWDED_LEVELS or not crowded)
    )
    for node in circle.labelled((node for _, node in others), roots):
        at, anchor, turned = circle.label(node)
        turn = None if turned is None else f"rotate({turned:.1f} {at.x:.1f} {at.y:.1f})"
        yield _label(str(node), at, anchor, "faint label", turn)
    yield from _root_labels(plan, circle)


def _root_labels(plan: Plan, circle: Circle) -> Iterator[Markup]:
    """The origin above its mark, the secondary root to the left of its own."""
    is_aside = circle.spacing < ROOMY_FOR_ROOTS and len(plan.trees) > 1
    at = circle.at(plan.origin, ROOT_LABEL_GAP)
    dx, anchor = (12, "start") if is_aside else (0, "middle")
    yield _label(f"origin {plan.origin}", Point(at.x + dx, at.y), anchor, "ink small")
    for tree in plan.trees[1:]:
        at = circle.at(tree.root, ROOT_LABEL_GAP)
        right = max(at.x - 6, ROOT_LABEL_WIDTH)
        yield _label(f"secondary root {tree.root}", Point(right, at.y), "end", "ink small")


def _label(words: str, at: Point, anchor: str, kind: str, turn: str | None = None) -> Markup:
    return element(
        "text", words, class_=kind, x=at.x, y=at.y, dy="0.35em", text_anchor=anchor, transform=turn
    )
