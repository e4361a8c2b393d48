"""The table of clocks: for each node of each run how far its clock is off, and how that changes.

First one offset for each node and run, over all of its probes: clocks may be off by hours. Then,
in windows of time, what is left: clocks drift, and machines set them right.

Rules of this file:
- What Spark collects for one call of the solver are the pairs of one run, or of one window: a
  number bounded by that of nodes, whatever the number of probes. Nothing passes through the driver.
- A node without probes has no row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.clocks.pairs import pair_offsets, some_of_each_node, usable
from snowcast.pipeline.clocks.solve import Array, Edges, centred, groups, solve

OFF_US_MAX = 1 << 55
"""As far as times go: probes that are lies add up to no more than this."""

WINDOW_US = 30_000_000
WINDOWS_MAX = 256

_OFFSETS = "run string, node string, group string, offset_us double, probes long, rtt_us double"
_LEFT = "run string, window long, node string, left_us double"
_DRIFTS = "run string, node string, left_us array<double>"

CLOCKS = (
    "run string, node string, group string, probes long, rtt_us double, offset_us double, "
    "starts_us long, window_us long, left_us array<double>"
)
"""`group` is the least node that probes connect a node with. `offset_us` is how far its clock is
ahead of the middle one of its group, and `left_us` what has to be added to that in the middle of
each window of `window_us` from `starts_us` on. `rtt_us` is its quickest probe: half of that is what
nobody can tell."""


Keep = Callable[[str, DataFrame], DataFrame]
"""Given a name and rows, gives them back from where they are kept."""


def clocks(probes: DataFrame, keep: Keep = lambda name, rows: rows) -> DataFrame:
    """The table, from the probes of a trace. What is needed more than once goes through `keep`."""
    taken = usable(probes)
    first = keep("offsets", offsets(taken))
    left = less_offsets(taken, first)
    known_spans = keep("spans", spans(left))
    drifts = filled(left_over(with_windows(left, known_spans)), known_spans)
    rows = first.join(F.broadcast(known_spans), on="run", how="inner").join(
        drifts, on=["run", "node"], how="left"
    )
    return rows.select(
        "run",
        "node",
        "group",
        "probes",
        "rtt_us",
        "offset_us",
        "starts_us",
        "window_us",
        F.coalesce("left_us", F.array(F.lit(0.0))).alias("left_us"),
    )


def offsets(probes: DataFrame) -> DataFrame:
    """One offset for each node of each run."""
    pairs = some_of_each_node(pair_offsets(probes, ["run"]), ["run"])
    return pairs.groupBy("run").applyInArrow(_solve_run, _OFFSETS)


def less_offsets(probes: DataFrame, offsets: DataFrame) -> DataFrame:
    """The probes with their times set right by `offsets`, and of offsets what these leave."""
    known = offsets.select("run", "node", F.round("offset_us").cast("long").alias("node_us"))
    peers = known.select("run", F.col("node").alias("peer"), F.col("node_us").alias("peer_us"))
    return (
        probes.join(F.broadcast(known), on=["run", "node"], how="inner")
        .join(F.broadcast(peers), on=["run", "peer"], how="inner")
        .select(
            "run",
            "node",
            "peer",
            (F.col("at_us") - F.col("node_us")).alias("at_us"),
            "rtt_us",
            (F.col("offset_us") - (F.col("peer_us") - F.col("node_us"))).alias("offset_us"),
        )
    )


def spans(probes: DataFrame) -> DataFrame:
    """How the time of each run is cut: `run, starts_us, window_us, windows`."""
    ends = probes.groupBy("run").agg(
        F.min("at_us").alias("starts_us"), (F.max("at_us") + 1).alias("ends_us")
    )
    length_us = F.col("ends_us") - F.col("starts_us")
    windows = F.greatest(F.lit(1), F.least(F.lit(WINDOWS_MAX), F.floor(length_us / WINDOW_US)))
    return ends.select(
        "run",
        "starts_us",
        F.ceil(length_us / windows).cast("long").alias("window_us"),
        windows.cast("long").alias("windows"),
    )


def with_windows(probes: DataFrame, spans: DataFrame) -> DataFrame:
    """The probes with the number of the window that each is in."""
    place = F.floor((F.col("at_us") - F.col("starts_us")) / F.col("window_us"))
    return (
        probes.join(F.broadcast(spans), on="run", how="inner")
        .withColumn("window", place)
        .drop("starts_us", "window_us", "windows")
    )


def left_over(windowed: DataFrame) -> DataFrame:
    """What each clock is off by besides, in each window in which the node was probed."""
    by = ["run", "window"]
    pairs = some_of_each_node(pair_offsets(windowed, by), by)
    return pairs.groupBy(*by).applyInArrow(_solve_window, _LEFT)


def filled(left: DataFrame, spans: DataFrame) -> DataFrame:
    """For each node an array over all windows of its run, with what is missing filled in."""
    windows = spans.select("run", "windows")
    counted = left.join(F.broadcast(windows), on="run", how="inner")
    return counted.groupBy("run", "node").applyInArrow(_fill, _DRIFTS)


def _solve_run(table: pa.Table) -> pa.Table:
    names, edges = _edges(table)
    group = groups(len(names), edges)
    offset_us = centred(solve(len(names), edges), group)
    rtt_us = np.full(len(names), np.inf)
    probes = np.zeros(len(names))
    for ends in (edges.a, edges.b):
        np.minimum.at(rtt_us, ends, table["rtt_us"].to_numpy())
        np.add.at(probes, ends, table["probes"].to_numpy())
    return pa.table(
        {
            "run": pa.array([table["run"][0].as_py()] * len(names), pa.string()),
            "node": pa.array(names, pa.string()),
            "group": pa.array([names[number] for number in group], pa.string()),
            "offset_us": pa.array(_believable(offset_us), pa.float64()),
            "probes": pa.array(probes.astype(np.int64), pa.int64()),
            "rtt_us": pa.array(rtt_us, pa.float64()),
        }
    )


def _solve_window(table: pa.Table) -> pa.Table:
    names, edges = _edges(table)
    left_us = solve(len(names), edges)
    run, window = table["run"][0].as_py(), table["window"][0].as_py()
    return pa.table(
        {
            "run": pa.array([run] * len(names), pa.string()),
            "window": pa.array([window] * len(names), pa.int64()),
            "node": pa.array(names, pa.string()),
            "left_us": pa.array(_believable(left_us), pa.float64()),
        }
    )


def _fill(table: pa.Table) -> pa.Table:
    table = table.sort_by("window")
    count = table["windows"][0].as_py()
    known = table["window"].to_numpy()
    left_us = np.interp(np.arange(count), known, table["left_us"].to_numpy())
    return pa.table(
        {
            "run": table["run"].slice(0, 1).cast(pa.string()),
            "node": table["node"].slice(0, 1).cast(pa.string()),
            "left_us": pa.array([left_us.tolist()], pa.list_(pa.float64())),
        }
    )


def _believable(offsets_us: Array) -> Array:
    """Offsets that a time can be set right by and still be a time."""
    return np.clip(np.nan_to_num(offsets_us), -OFF_US_MAX, OFF_US_MAX)


def _edges(table: pa.Table) -> tuple[list[str], Edges]:
    """The names of the nodes, in order, and the pairs by their numbers, in an order of their own.

    Sums of floats depend on the order, so pairs are sorted: the same pairs, the same clocks.
    """
    table = table.sort_by([("a", "ascending"), ("b", "ascending")])
    a, b = (table[end].to_numpy(zero_copy_only=False).astype(str) for end in ("a", "b"))
    names, numbers = np.unique(np.concatenate([a, b]), return_inverse=True)
    return names.tolist(), Edges(
        numbers[: len(a)],
        numbers[len(a) :],
        table["offset_us"].to_numpy(),
        table["weight"].to_numpy(),
    )
