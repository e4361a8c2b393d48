"""Which rows can stand in one figure: those of one n and k, the paper's if there are any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from snowcast.report.measured import Row
from snowcast.report.paper import SIZE


def of_one_size(rows: Iterable[Row]) -> tuple[list[Row], str]:
    """The rows of one n and k, and what these are in words, if they are not the paper's.

    Where nothing was run at the paper's size it is the size with most rows, and the larger of two
    with as many.
    """
    rows = list(rows)
    sizes = Counter([(row["nodes"], row["fanout"]) for row in rows])
    if not rows or SIZE in sizes:
        return [row for row in rows if (row["nodes"], row["fanout"]) == SIZE], ""
    nodes, fanout = size = max(sizes, key=lambda one: (sizes[one], one[0] or 0, one[1]))
    chosen = [row for row in rows if (row["nodes"], row["fanout"]) == size]
    return chosen, f"k = {fanout}" if nodes is None else f"n = {nodes}, k = {fanout}"
