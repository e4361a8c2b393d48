"""`broadcast_nodes` and `broadcast_frames`: single broadcasts as they went, for people to look at.

One for each scenario and protocol: of its smallest run, which can be seen best, the first message
after a node has crashed, for something happens then; or the first of all.

Rules of this file:
- Samples of what the trace says, and no metric. Frames are few, so they may pass a worker at once.
- Nodes are numbered in the order of the ring, which is that of the run's settings.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.pipeline.metric_tables import BROADCAST_FRAMES, BROADCAST_NODES
from snowcast.pipeline.metrics.keys import held, with_keys
from snowcast.pipeline.reading import Traces

NODES_MAX = 2_000
"""Of a larger run nobody can see a broadcast."""

_ONE = ["run", "message"]
_PLACED = "run string, message string, node string, place bigint"


def picked(keys: DataFrame, traces: Traces) -> DataFrame:
    """The broadcasts to show: `run, message, origin, sent_us, ring_order, hop_timeout_us`."""
    of_kind = Window.partitionBy("scenario", "protocol", "is_virtual")
    smallest = of_kind.orderBy("nodes", "fanout", "seed", "run")
    is_small = F.col("nodes").isNull() | (F.col("nodes") <= NODES_MAX)
    runs = (
        keys.where((F.col("variant") == "") & is_small)
        .withColumn("rank", F.row_number().over(smallest))
        .where("rank = 1")
        .select("run")
    )
    deaths = traces.nodes.groupBy("run").agg(F.min("crashed_us").alias("death_us"))
    after_death = F.coalesce(F.col("at_us") >= F.col("death_us"), F.lit(False))
    first = F.min(F.struct(~after_death, "at_us", "message", "origin")).alias("first")
    found = (
        traces.messages.join(F.broadcast(runs), on="run", how="inner")
        .join(F.broadcast(deaths), on="run", how="left")
        .groupBy("run")
        .agg(first)
    )
    settings = traces.runs.select(
        "run",
        F.get_json_object("config", "$.ring_order").alias("ring_order"),
        F.get_json_object("config", "$.hop_timeout_us").try_cast("bigint").alias("hop_timeout_us"),
    )
    return found.join(settings, on="run", how="inner").select(
        "run",
        "first.message",
        "first.origin",
        F.col("first.at_us").alias("sent_us"),
        "ring_order",
        "hop_timeout_us",
    )


def frames_of(picked: DataFrame, arrivals: DataFrame) -> DataFrame:
    """Their data frames: `run, message, node, sender, at_us, tree, hop, first`, from the send."""
    sent = picked.select(*_ONE, "sent_us")
    runs = [row.run for row in picked.select("run").collect()]  # few, so most files are not opened
    is_shown = (F.col("kind") == "data") & F.col("run").isin(runs)
    data = arrivals.where(is_shown).select(*_ONE, "node", "sender", "at_us", "tree", "hop", "first")
    at_us = F.greatest(F.col("at_us") - F.col("sent_us"), F.lit(0))  # clocks may disagree
    return data.join(F.broadcast(sent), on=_ONE, how="inner").withColumn("at_us", at_us)


def nodes_of(picked: DataFrame, frames: DataFrame, nodes: DataFrame) -> DataFrame:
    """Who was a member, or took part: `run, message, node, role, dead, is_origin, place`."""
    known = nodes.groupBy("run", "node").agg(
        F.max_by("role", "life").alias("role"),
        F.min("joined_us").alias("joined_us"),
        F.max("left_us").alias("left_us"),
        F.min("crashed_us").alias("crashed_us"),
    )
    ends = [frames.select(*_ONE, F.col(end).alias("node")) for end in ("node", "sender")]
    takes_part = ends[0].unionByName(ends[1]).distinct().withColumn("takes_part", F.lit(True))
    has_come = F.coalesce(F.col("joined_us") <= F.col("sent_us"), F.lit(True))
    is_gone = F.coalesce(F.col("left_us") <= F.col("sent_us"), F.lit(False))
    is_known = F.col("role").isNotNull()
    there = (
        known.join(F.broadcast(picked), on="run", how="inner")
        .join(takes_part, on=[*_ONE, "node"], how="full")
        .where(F.col("takes_part") | (is_known & has_come & ~is_gone))
        .select(*_ONE, "node", "role", "crashed_us")
        .join(F.broadcast(picked), on=_ONE, how="inner")
    )
    placed = there.select(*_ONE, "node", "ring_order").groupBy(*_ONE).applyInArrow(_place, _PLACED)
    return there.join(placed, on=[*_ONE, "node"], how="inner").select(
        *_ONE,
        "place",
        "node",
        F.coalesce("role", F.lit("plain")).alias("role"),
        F.coalesce(F.col("crashed_us") <= F.col("sent_us"), F.lit(False)).alias("dead"),
        (F.col("node") == F.col("origin")).alias("is_origin"),
        "hop_timeout_us",
    )


def broadcast_nodes(keys: DataFrame, nodes: DataFrame) -> DataFrame:
    """The table, of what `nodes_of` gives."""
    return held(with_keys(nodes, keys), BROADCAST_NODES)


def broadcast_frames(keys: DataFrame, frames: DataFrame, nodes: DataFrame) -> DataFrame:
    """The table, of what `frames_of` and `nodes_of` give; or rows of the table of nodes."""
    senders = nodes.select(*_ONE, F.col("node").alias("sender"), F.col("place").alias("from"))
    receivers = nodes.select(*_ONE, "node", F.col("place").alias("to"))
    numbered = frames.join(senders, on=[*_ONE, "sender"], how="inner").join(
        receivers, on=[*_ONE, "node"], how="inner"
    )
    rows = numbered.select(
        *_ONE,
        "at_us",
        F.col("from").alias("sender"),
        F.col("to").alias("receiver"),
        F.coalesce("tree", F.lit(0)).alias("tree"),
        "hop",
        F.coalesce("first", F.lit(False)).alias("first"),
    )
    return held(with_keys(rows, keys), BROADCAST_FRAMES)


def _place(rows: pa.Table) -> pa.Table:
    """The nodes of one broadcast, numbered along the ring."""
    is_hashed = rows["ring_order"][0].as_py() == RingOrder.HASHED
    names = sorted(rows["node"].to_pylist(), key=lambda name: _along_ring(name, is_hashed))
    columns: dict[str, Any] = {
        "run": [rows["run"][0].as_py()] * len(names),
        "message": [rows["message"][0].as_py()] * len(names),
        "node": names,
        "place": list(range(len(names))),
    }
    return pa.table(columns)


def _along_ring(name: str, is_hashed: bool) -> tuple[bool, bytes]:
    """What a node is sorted by. Somebody's trace may name nodes by what is no address: last."""
    try:
        address = Address.parse(name)
    except UsageError:
        return True, name.encode()
    return False, address.hashed() + address if is_hashed else address
