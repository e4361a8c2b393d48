"""A plan as text: figures first, then the trees, then what the death of a node would cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snowcast.planning.build import Plan
from snowcast.planning.figures import (
    PAYLOAD_BYTES,
    Blast,
    Figures,
    blast,
    levels_optimum,
    plan_figures,
    reach,
    tree_figures,
)
from snowcast.planning.outline import FULL, count_of, limits_for, numbers_in_short, outline

WORST_MAX = 10
NODES_LISTED_MAX = 20


def to_text(plan: Plan, levels: int | None = None, full: bool = False) -> str:
    """The plan for people. `levels` limits how deep trees are drawn; `full` leaves nothing out."""
    lines = [*_header(plan), "", *_figures(plan)]
    if plan.views is not None:
        lines += ["", *_reach(plan, full)]
    for tree in plan.trees:
        limits = FULL if full else limits_for(tree, levels)
        lines += ["", f"{tree.name} tree", *outline(plan, tree, limits)]
        if limits.levels is not None and limits.levels < tree.levels:
            drawn = f"{limits.levels} of {tree.levels} levels drawn"
            lines.append(f"({drawn}: --depth {tree.levels} or --full draws more)")
    lines += ["", *_blast(plan, full)]
    return "\n".join(lines) + "\n"


def _header(plan: Plan) -> Iterator[str]:
    yield (
        f"A {plan.mode} broadcast from node {plan.origin} to {count_of(plan.nodes, 'node')},"
        f" fanout {plan.fanout}"
    )
    order = "the hashes of their addresses" if plan.order == "hashed" else "their addresses"
    yield f"Nodes are numbered 0 to {plan.nodes - 1} along the ring, in the order of {order}."


def _figures(plan: Plan) -> Iterator[str]:
    columns = [tree_figures(plan, tree) for tree in plan.trees]
    if len(columns) > 1:
        columns.append(plan_figures(plan))
    optimum = levels_optimum(plan.nodes, plan.fanout)
    rows = [("", *(figures.name for figures in columns))] if len(columns) > 1 else []
    rows += [
        ("levels", *(f"{figures.levels}" for figures in columns)),
        ("levels, optimum", *(f"{optimum}" for _ in columns)),
        ("internal nodes", *(f"{figures.internal:,}" for figures in columns)),
        ("leaves", *(f"{figures.leaves:,}" for figures in columns)),
        ("fan-out, min mean max", *map(_fanout, columns)),
        ("frames", *(f"{figures.frames:,}" for figures in columns)),
        (f"bytes, {PAYLOAD_BYTES}-byte payload", *(f"{f.frame_bytes:,}" for f in columns)),
        ("bytes a node, mean", *(f"{f.frame_bytes / plan.nodes:,.1f}" for f in columns)),
    ]
    yield from table(rows)


def _fanout(figures: Figures) -> str:
    return f"{figures.fanout_min} {figures.fanout_mean:.2f} {figures.fanout_max}"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns in line: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *others = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join([f"{row[0]:<{len(first)}}", *others]).rstrip()


def _reach(plan: Plan, full: bool) -> Iterator[str]:
    reached = reach(plan)
    wanted = plan.nodes - 1
    yield f"With the relays' views: {wanted - len(reached.missed):,} of {wanted:,} reached"
    yield from _listed("missed", reached.missed, full)
    if len(plan.trees) > 1:
        yield from _listed("reached by one tree only", reached.once, full)
    yield from _listed("reached twice by one tree", reached.duplicates, full)


def _listed(what: str, numbers: list[int], full: bool) -> Iterator[str]:
    if numbers:
        short = numbers_in_short(numbers, None if full else NODES_LISTED_MAX, "nodes")
        yield f"  {what} ({len(numbers):,}): {short}"
    else:
        yield f"  {what}: nobody"


def _blast(plan: Plan, full: bool) -> Iterator[str]:
    yield "blast radius: how many others miss the message if one node dies unseen"
    found = blast(plan)
    if not found.lost:
        yield "  nobody: no node but the origin sends anything"
    elif not found.worst:
        yield f"  nobody, for any internal node ({len(found.lost):,} of them)"
    else:
        yield from _worst(plan, found, full)


def _worst(plan: Plan, found: Blast, full: bool) -> Iterator[str]:
    levels = [{edge.child: edge.level for edge in tree.edges} for tree in plan.trees]
    ranking = [(node, lost) for node, lost in found.ranking() if lost]
    shown = ranking if full else ranking[:WORST_MAX]
    rows = [("  node", "level", "missing", "share")]
    for node, lost in shown:
        share = f"{lost / max(plan.nodes - 1, 1):.1%}"
        places = " / ".join(str(level.get(node, "-")) for level in levels)
        rows.append((f"  {node}", places, f"{lost:,}", share))
    yield from table(rows)
    if len(shown) < len(ranking):
        yield f"  … and {len(ranking) - len(shown):,} more nodes"
    yield f"  mean over {count_of(len(found.lost), 'internal node')}: {found.mean:.2f}"
