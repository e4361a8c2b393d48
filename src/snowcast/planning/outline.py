"""A tree as an outline, drawn with box characters and short enough to read.

One line an internal node, with the region it covers and how many members are in it; its leaves
share a line. What does not fit is counted, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from snowcast.planning.build import Edge, Plan, PlannedTree

LINES_WANTED = 48
INTERNAL_MAX = 12
NUMBERS_MAX = 12


class Limits(msgspec.Struct, frozen=True):
    """How much of a tree is drawn: levels, internal children a node, leaves a node; None is all."""

    levels: int | None
    internal: int | None = INTERNAL_MAX
    leaves: int | None = NUMBERS_MAX


FULL = Limits(None, None, None)


def limits_for(tree: PlannedTree, levels: int | None) -> Limits:
    """The usual limits, with as many levels as fit a screen or two unless `levels` says."""
    return Limits(_levels_that_fit(tree) if levels is None else levels)


def outline(plan: Plan, tree: PlannedTree, limits: Limits) -> Iterator[str]:
    """The lines of one tree."""
    below: dict[int, list[Edge]] = {}
    for edge in tree.edges_below:
        below.setdefault(edge.parent, []).append(edge)
    sizes = _sizes(tree)
    drawing = _Drawing(below, sizes, len(str(plan.nodes - 1)), limits)
    title = (
        "origin" if tree.root == plan.origin else f"secondary root, told by origin {plan.origin}"
    )
    yield f"{tree.root}  {title}; {count_of(sizes[tree.root], 'node')} in its tree"
    if limits.levels != 1:
        yield from drawing.below(tree.root, 1, "")


def numbers_in_short(numbers: Sequence[int], shown_max: int | None, what: str) -> str:
    """`3 4 5 … and 37 more leaves`."""
    if shown_max is None or len(numbers) <= shown_max + 1:
        return " ".join(map(str, numbers))
    left_out = len(numbers) - shown_max
    shown = " ".join(map(str, numbers[:shown_max]))
    return f"{shown} … and {left_out:,} more {what}"


def count_of(count: int, noun: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class _Drawing(msgspec.Struct):
    """Everything the lines of one tree are made from."""

    children: dict[int, list[Edge]]
    sizes: dict[int, int]
    width: int
    limits: Limits

    def below(self, parent: int, level: int, indent: str) -> Iterator[str]:
        """The lines under `parent`, which is at `level`."""
        edges = self.children.get(parent, [])
        internal = [edge for edge in edges if edge.child in self.children]
        leaves = [edge.child for edge in edges if edge.child not in self.children]
        shown = internal if self._few(internal) else internal[: self.limits.internal]
        rest = internal[len(shown) :]
        lines = len(shown) + bool(rest) + bool(leaves)
        for number, edge in enumerate(shown, start=1):
            branch, bar = ("├─ ", "│  ") if number < lines else ("└─ ", "   ")
            is_last = self.limits.levels is not None and level + 1 >= self.limits.levels
            yield indent + branch + self._node(edge, is_last)
            if not is_last:
                yield from self.below(edge.child, level + 1, indent + bar)
        if rest:
            covered = sum(self.sizes[edge.child] for edge in rest)
            branch = "├─ " if leaves else "└─ "
            yield f"{indent}{branch}… and {len(rest):,} more internal nodes, covering {covered:,}"
        if leaves:
            yield f"{indent}└─ {self._leaves(leaves)}"

    def _few(self, internal: list[Edge]) -> bool:
        return self.limits.internal is None or len(internal) <= self.limits.internal + 1

    def _node(self, edge: Edge, is_last: bool) -> str:
        size = self.sizes[edge.child]
        hidden = f"  … {size - 1:,} below" if is_last else ""
        region = f"{edge.left}..{edge.right}"
        head = f"{edge.child:<{self.width}}  {region:<{2 * self.width + 2}}"
        return f"{head}  {count_of(size, 'node')}{hidden}"

    def _leaves(self, leaves: list[int]) -> str:
        noun = "leaf" if len(leaves) == 1 else "leaves"
        return f"{noun} {numbers_in_short(leaves, self.limits.leaves, 'leaves')}"


def _sizes(tree: PlannedTree) -> dict[int, int]:
    """How many nodes get the message through each, itself included."""
    sizes: dict[int, int] = {tree.root: 1}
    for edge in reversed(tree.edges_below):
        sizes[edge.child] = sizes.get(edge.child, 1)
        sizes[edge.parent] = sizes.get(edge.parent, 1) + sizes[edge.child]
    return sizes


def _levels_that_fit(tree: PlannedTree) -> int:
    """How many levels can be drawn before there are too many lines; at least two."""
    edges = tree.edges_below
    internal = {edge.parent for edge in edges}
    lines, levels = 1, 1
    for level, drawn in _by_level(edges):
        parents_of_leaves = {edge.parent for edge in drawn if edge.child not in internal}
        lines += len(parents_of_leaves) + sum(edge.child in internal for edge in drawn)
        if level > 2 and lines > LINES_WANTED:
            break
        levels = level
    return levels


def _by_level(edges: Iterable[Edge]) -> Iterator[tuple[int, list[Edge]]]:
    """Edges in runs of one level; they are in that order already."""
    run: list[Edge] = []
    for edge in edges:
        if run and edge.level != run[0].level:
            yield run[0].level, run
            run = []
        run.append(edge)
    if run:
        yield run[0].level, run
