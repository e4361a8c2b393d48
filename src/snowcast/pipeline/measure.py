"""From the traces of runs to all tables of metrics, in a directory of their own.

Rules of this file:
- It only wires. A table that others are made from is written first and read back: nothing is
  computed twice, and what a reader sees is what the rest was made from.
- The directory is there as a whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from snowcast.core.errors import UsageError
from snowcast.pipeline.compare import comparisons, message_summary, summary
from snowcast.pipeline.metric_tables import METRIC_TABLES
from snowcast.pipeline.metrics.acks import ack_metrics
from snowcast.pipeline.metrics.broadcasts import (
    broadcast_frames,
    broadcast_nodes,
    frames_of,
    nodes_of,
    picked,
)
from snowcast.pipeline.metrics.copies import copies
from snowcast.pipeline.metrics.histogram import delivery_histogram
from snowcast.pipeline.metrics.keys import check_seeds, run_keys
from snowcast.pipeline.metrics.load import node_load, received, traffic
from snowcast.pipeline.metrics.messages import message_metrics, tallies
from snowcast.pipeline.metrics.recovery import recovery
from snowcast.pipeline.metrics.roster import members, roster
from snowcast.pipeline.metrics.runs import run_metrics
from snowcast.pipeline.progress import Advance, followed, onwards, tell_nobody
from snowcast.pipeline.reading import Traces, spark_path
from snowcast.pipeline.session import settled
from snowcast.pipeline.whole import whole_directory

A_TABLE = 100
"""What a table is of the progress."""

MEMBERS, TALLIES, RECEIVED, PICKED, FRAMES = PASSING = (
    "members",
    "tallies",
    "received",
    "picked",
    "frames",
)
"""What several tables are made from, kept until they are: who the members of each run are, what the
copies of each message and the frames that each node got add up to, which broadcasts are shown, and
their frames. Each is one pass less over the large table, or many small jobs less.
"""

Keep = Callable[[str, DataFrame], DataFrame]
"""Given the name of a table and its rows, gives them back from where they are kept."""


def write_metrics(
    spark: SparkSession, traces: Traces, out: Path, advance: Advance = tell_nobody
) -> None:
    """Write every table to `out/<table>`, as Parquet; UsageError if something is there already.

    `advance` is told of hundredths of tables.
    """
    if traces.runs.isEmpty():
        raise UsageError("there is no whole run in these datasets")
    check_seeds(traces.runs)
    with whole_directory(out) as draft, settled(spark):
        kept: list[str] = []
        tell = onwards(advance)

        def keep(name: str, rows: DataFrame) -> DataFrame:
            place = spark_path(draft / name)
            begun, of = A_TABLE * len(kept), A_TABLE * len((*METRIC_TABLES, *PASSING))
            with followed(spark, lambda done, tasks: tell(begun + A_TABLE * done // tasks, of)):
                rows.write.parquet(place)
            kept.append(name)
            tell(A_TABLE * len(kept), of)
            return spark.read.parquet(place)

        metrics(traces, keep)
        for name in PASSING:
            shutil.rmtree(draft / name)


def metrics(traces: Traces, keep: Keep) -> dict[str, DataFrame]:
    """Every table of `metric_tables`, by name."""
    keys = run_keys(traces.runs)
    everybody = keep(MEMBERS, members(traces.nodes, traces.messages))
    tallied = keep(TALLIES, tallies_of(traces, everybody))
    of_messages = keep("message_metrics", messages_of(traces, keys, tallied, everybody))
    got = keep(RECEIVED, received(traces.arrivals))
    found = {
        "message_metrics": of_messages,
        "delivery_histogram": keep(
            "delivery_histogram", delivery_histogram(keys, tallied, of_messages)
        ),
        "node_load": keep("node_load", node_load(keys, everybody, traces.arrivals, got)),
        "traffic": keep("traffic", traffic(keys, got)),
        "recovery": keep("recovery", recovery(keys, traces.nodes, of_messages)),
    }
    of_runs = keep(
        "run_metrics",
        run_metrics(
            keys,
            of_messages,
            found["delivery_histogram"],
            found["node_load"],
            found["traffic"],
            found["recovery"],
        ),
    )
    found |= {
        "run_metrics": of_runs,
        "summary": keep("summary", summary(of_runs)),
        "message_summary": keep("message_summary", message_summary(of_messages)),
        "comparisons": keep("comparisons", comparisons(of_runs)),
    }
    shown = keep(PICKED, picked(keys, traces))
    frames = keep(FRAMES, frames_of(shown, traces.arrivals))
    who = keep("broadcast_nodes", broadcast_nodes(keys, nodes_of(shown, frames, traces.nodes)))
    found |= {
        "broadcast_nodes": who,
        "broadcast_frames": keep("broadcast_frames", broadcast_frames(keys, frames, who)),
    }
    return {name: found[name] for name in METRIC_TABLES}


def tallies_of(traces: Traces, everybody: DataFrame | None = None) -> DataFrame:
    """What the copies of each message of these traces add up to; `everybody` as for messages."""
    receivers = roster(_members_of(traces, everybody))
    return tallies(copies(traces.arrivals, traces.messages, receivers))


def messages_of(
    traces: Traces,
    keys: DataFrame,
    tallied: DataFrame | None = None,
    everybody: DataFrame | None = None,
) -> DataFrame:
    """`message_metrics` of these traces; `tallied`, and `everybody`, the members, if at hand."""
    there = _members_of(traces, everybody)
    return message_metrics(
        keys,
        traces.messages,
        roster(there),
        tallies_of(traces, there) if tallied is None else tallied,
        ack_metrics(traces.arrivals, traces.messages),
    )


def _members_of(traces: Traces, everybody: DataFrame | None) -> DataFrame:
    return members(traces.nodes, traces.messages) if everybody is None else everybody
