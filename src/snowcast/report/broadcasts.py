"""Single broadcasts for the page to play, as the tables of metrics have them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from snowcast.report.measured import Measured, Row
from snowcast.report.protocols import in_order, is_ours, look

SHOWN_FIRST = "repair"
"""The scenario that is there to be looked at; the page opens with it."""

FRAMES_MAX = 20_000  # more do not play well in a browser, nor does anybody see them


def broadcasts(measured: Measured, source: str) -> list[dict[str, Any]]:
    """What the page's model takes, one for each broadcast; `source` is where it was measured."""
    nodes = _by_broadcast(measured.rows("broadcast_nodes"))
    frames = _by_broadcast(measured.rows("broadcast_frames"))
    made = [
        _broadcast(key, nodes[key], frames[key], source)
        for key in sorted(nodes)
        if len(frames[key]) <= FRAMES_MAX
    ]
    order = in_order({one["protocol"] for one in made})

    def place(one: dict[str, Any]) -> tuple[bool, str, int]:
        return one["scenario"] != SHOWN_FIRST, one["scenario"], order.index(one["protocol"])

    return sorted(made, key=place)


def _by_broadcast(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        found[row["run"], row["message"]].append(row)
    return found


def _broadcast(
    key: tuple[str, str], nodes: list[Row], frames: list[Row], source: str
) -> dict[str, Any]:
    run, message = key
    nodes = sorted(nodes, key=lambda row: row["place"])
    one = nodes[0]
    title = look(one["protocol"]).title
    words = [one["scenario"] or run, title, one["variant"], f"{len(nodes)} nodes", source]
    return {
        "label": ", ".join(filter(None, words)),
        "run": run,
        "message": message,
        "scenario": one["scenario"],
        "protocol": one["protocol"],
        "source": source,
        "fanout": one["fanout"],
        # Who else sends late does it for reasons of its own.
        "hop_timeout_us": one["hop_timeout_us"] if is_ours(one["protocol"]) else None,
        "origin": next(row["place"] for row in nodes if row["is_origin"]),
        "nodes": [[row["node"], row["role"], int(row["dead"])] for row in nodes],
        "frames": [_frame(row) for row in sorted(frames, key=_when)],
    }


def _frame(row: Row) -> list[int]:
    first = int(row["first"])
    return [row["at_us"], row["sender"], row["receiver"], row["tree"], row["hop"], first]


def _when(row: Row) -> tuple[int, int, int]:
    return row["at_us"], row["sender"], row["receiver"]
