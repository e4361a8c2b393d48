"""Small tables of metrics, made by hand: what a report is given in its tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, Any]]

CELL = {"variant": "", "nodes": 500, "fanout": 4}


def summary(
    scenario: str, protocol: str, metric: str, mean: float, spread: float = 0, **changes: Any
) -> dict[str, Any]:
    """One row of `summary`: the mean, and as much to either side."""
    row = {"scenario": scenario, "protocol": protocol, **CELL, "metric": metric, "seeds": 20}
    interval = {"mean": mean, "median": mean, "low": mean - spread, "high": mean + spread}
    return {**row, **interval, **changes}


def at_message(number: int, *cell: Any, **changes: Any) -> dict[str, Any]:
    """One row of `message_summary`."""
    return {**summary(*cell, **changes), "number": number}


def pair(
    scenario: str, protocol: str, against: str, difference: float, equal: int = 0
) -> dict[str, Any]:
    """One row of `comparisons`: a difference in LDT."""
    row = {"scenario": scenario, "protocol": protocol, "against": against, **CELL}
    interval = {"difference": difference, "low": difference - 5, "high": difference + 5}
    means = {"mean": 2_000.0 + difference, "mean_against": 2_000.0}
    counts = {"seeds": 20, "lower": 16, "equal": equal}
    return {**row, "metric": "ldt_ms", **means, **interval, **counts}


def of_run(protocol: str, run: str = "r", **columns: Any) -> dict[str, Any]:
    """One row of a table about runs."""
    return {"run": run, "scenario": "stable", "protocol": protocol, **CELL, "seed": 0, **columns}


def broadcast() -> dict[str, Rows]:
    """A message from node 1 of four: node 3 is dead, and node 0 hears of it in its place."""

    def row(**columns: Any) -> dict[str, Any]:
        return of_run("coloring", message="m", **columns)

    nodes = [
        row(
            place=place,
            node=f"10.0.0.{place + 1}:1",
            role="straggler" if place == 2 else "plain",
            dead=place == 3,
            is_origin=place == 1,
            hop_timeout_us=1_000_000,
        )
        for place in range(4)
    ]
    sent = [(2_000, 1, 2, 1, 1, True), (2_500, 1, 2, 2, 1, False), (1_002_000, 1, 0, 1, 2, True)]
    names = ("at_us", "sender", "receiver", "tree", "hop", "first")
    frames = [row(**dict(zip(names, frame, strict=True))) for frame in sent]
    return {"broadcast_nodes": nodes, "broadcast_frames": list(reversed(frames))}


def write(directory: Path, tables: Mapping[str, Rows]) -> Path:
    """Tables as the pipeline writes them: a folder each, with a file of Parquet."""
    for name, rows in tables.items():
        (directory / name).mkdir(parents=True)
        pq.write_table(
            pa.Table.from_pylist([dict(row) for row in rows]), directory / name / "0.parquet"
        )
    return directory


def everything() -> dict[str, Rows]:
    """A few rows in each of the tables, for two protocols."""
    both = ("standard", "coloring")
    points = [
        ("sweep_nodes", {"nodes": 100}),
        ("sweep_nodes", {"nodes": 900}),
        ("sweep_fanout", {"fanout": 2}),
        ("sweep_fanout", {"fanout": 8}),
        ("undetected", {"variant": "event.0.share=0"}),
        ("undetected", {"variant": "event.0.share=0.05"}),
        *[
            (
                "stragglers",
                {
                    "variant": f"processing.stragglers={placement},"
                    f"processing.straggler_every={every}"
                },
            )
            for placement in ("aligned", "random")
            for every in (0, 20)
        ],
    ]
    metrics = {"ldt_ms": 2000.0, "ldt_first_to_last_ms": 1900.0, "rmr_bytes": 116.0}
    metrics |= {"reliability": 1.0, "reliability_live": 1.0}
    summaries = [
        summary(scenario, protocol, metric, mean / (index + 1), 0.1, **changes)
        for scenario, changes in [("stable", {}), ("churn", {}), ("breakdown", {}), *points]
        for index, protocol in enumerate(both)
        for metric, mean in metrics.items()
    ]
    curves = [
        at_message(number, scenario, protocol, metric, mean + number)
        for scenario in ("stable", "churn", "breakdown")
        for protocol in both
        for metric, mean in metrics.items()
        for number in range(3)
    ]
    histogram = [
        of_run(protocol, bin=k, from_us=2**k, to_us=2 ** (k + 1), delivered_share=k / 20)
        for protocol in both
        for k in range(10, 21)
    ]
    load = [
        of_run(protocol, node=f"n{k}", on_roster=k < 8, data_bytes_sent=100 * k)
        for protocol in both
        for k in range(9)
    ]
    return {
        "summary": summaries,
        "message_summary": curves,
        "delivery_histogram": histogram,
        "node_load": load,
        "run_metrics": [of_run(protocol, messages=3) for protocol in both],
        "comparisons": [pair("stable", "coloring", "standard", -900.0)],
        **broadcast(),
    }
