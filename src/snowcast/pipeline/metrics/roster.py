"""Who is meant to get messages: the fixed roster of a run (paper, Experimental Setting; DESIGN 7).

On it are the nodes that were members when the first message was sent and never left gracefully.
Those who crash stay on it, as in the paper's Breakdown; those who join or leave are not on it, as
in its Frequent Leaving and Joining.

Rules of this file:
- A node is its address. The trace has a row for each of its lives, or several; what is known of a
  node is the earliest join and crash and the latest leave of all.
- A restart is a new life: from its first crash on, a node on the roster counts as dead.
- Whether a node was a member for the whole run is taken from the writer of the trace if it knows.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def members(nodes: DataFrame, messages: DataFrame) -> DataFrame:
    """One row for each node: `run, node, role, on_roster, crashed_us`."""
    known = nodes.groupBy("run", "node").agg(
        F.max_by("role", "life").alias("role"),
        F.max("stable").alias("stable"),
        F.min("joined_us").alias("joined_us"),
        F.max("left_us").alias("left_us"),
        F.min("crashed_us").alias("crashed_us"),
    )
    starts = messages.groupBy("run").agg(F.min("at_us").alias("starts_us"))
    # Simulators know when everybody joined. Of real nodes, the founder never does.
    was_there = F.when(F.col("joined_us").isNull(), F.col("stable").isNull()).otherwise(
        F.col("starts_us").isNull() | (F.col("joined_us") <= F.col("starts_us"))
    )
    may_be_stable = F.coalesce("stable", F.lit(True)) | F.col("crashed_us").isNotNull()
    stayed = F.col("left_us").isNull() & may_be_stable
    return known.join(F.broadcast(starts), on="run", how="left").select(
        "run",
        "node",
        "role",
        (F.coalesce("stable", F.lit(False)) | (was_there & stayed)).alias("on_roster"),
        "crashed_us",
    )


def roster(members: DataFrame) -> DataFrame:
    """Those on it: `run, node, crashed_us`."""
    return members.where("on_roster").select("run", "node", "crashed_us")
