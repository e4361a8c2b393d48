"""`snowcast plan`: the trees of a broadcast, before it is sent."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from snowcast.cli.files import read_in, write_out
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.planning.build import Plan, build_plan, check_nodes
from snowcast.planning.document import to_json
from snowcast.planning.svg import to_svg
from snowcast.planning.text import to_text
from snowcast.planning.views import Views, parse_views


class Format(StrEnum):
    """How a plan is written."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"


def plan(
    nodes: Annotated[int, typer.Option(help="How many nodes, the origin included.")],
    fanout: Annotated[int, typer.Option(help="Children a node has at most; even.")] = 4,
    origin: Annotated[int, typer.Option(help="The node that broadcasts.")] = 0,
    mode: Annotated[
        Mode, typer.Option(help="One tree, or two whose inner nodes differ.")
    ] = Mode.STANDARD,
    ring_order: Annotated[
        RingOrder,
        typer.Option(
            help="What orders the ring. Nodes are numbered along it, so the trees are the same."
        ),
    ] = RingOrder.ADDRESS,
    relay_view: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON: whom which relay does not know.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to write the plan.")] = Format.TEXT,
    depth: Annotated[
        int | None, typer.Option(help="Levels of a tree to draw as text; else what fits.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Leave nothing out of the text.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
) -> None:
    """Print the trees of a broadcast before it is sent: who sends to whom, at what cost and risk.

    Nodes are numbered from 0 along the ring. All know each other, unless `--relay-view` says else.

    **Examples**

    - `snowcast plan --nodes 500 --origin 17` draws the tree as text
    - `snowcast plan --nodes 40 --mode coloring --format svg --out plan.svg` makes a picture
    - `snowcast plan --nodes 1000000 --format json | jq '.trees[0].levels'`
    - `snowcast plan --nodes 500 --relay-view views.json` tells who is missed

    **JSON**: `nodes`, `fanout`, `origin`, `mode` and `trees`. A tree has a `name` (`standard`, or
    `primary` and `secondary`), a `root`, `levels` counted from that root on, and `edges`, each
    `[parent, child]`. The edges of a secondary tree begin with the one from the origin to its root.
    With `--relay-view` there are also `missed` and `duplicates`, lists of nodes.

    **Relay view**: `{"*": {"missing": [3, 4]}, "17": {"departed": [9]}}`. A key is a node, or `*`
    for all but the origin that have no key of their own. `missing` are nodes it has not heard of,
    `departed` are nodes it knows to have left.
    """
    if depth is not None and (full or depth < 1):
        raise UsageError("--depth and --full exclude each other" if full else "--depth starts at 1")
    check_nodes(nodes)
    views = None if relay_view is None else _read_views(relay_view, nodes)
    planned = build_plan(nodes, fanout, origin, mode, ring_order, views)
    write_out(_render(planned, format, depth, full), out)


def _render(planned: Plan, format: Format, depth: int | None, full: bool) -> str:
    match format:
        case Format.JSON:
            return to_json(planned)
        case Format.SVG:
            return to_svg(planned)
        case Format.TEXT:
            return to_text(planned, depth, full)


def _read_views(path: Path, nodes: int) -> Views:
    try:
        return parse_views(read_in(path), nodes)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
