"""Who is meant to get messages: the fixed roster of a run (paper, Experimental Setting; DESIGN 7).

On it are the nodes that were members when the first message was sent and did not leave gracefully
from then on. Those who crash stay on it, as in the paper's Breakdown; those who join or leave are
not on it, as in its Frequent Leaving and Joining.

Rules of this file:
- A node is its address, and a member life by life: what counts is the life that it had when the
  first message was sent, and what became of that one and of those after it. Who left before, and
  had come back by then, is a member like any other.
- The trace has a row for each life, or several: what is known of a life is the earliest join and
  crash and the latest leave of all of these.
- A restart is a new life: from its first crash on, a node on the roster counts as dead.
- Whether a node was a member for the whole run is taken from the writer of the trace if it knows.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F


def members(nodes: DataFrame, messages: DataFrame) -> DataFrame:
    """One row for each node: `run, node, role, on_roster, crashed_us`."""
    starts = messages.groupBy("run").agg(F.min("at_us").alias("starts_us"))
    # Simulators know when everybody joined. Of real nodes, the founder never does: but who has had
    # a life before is no founder, and has not joined as long as nobody says so.
    may_be_founder = F.col("stable").isNull() & (F.col("life") == F.col("first_life"))
    was_there = F.when(F.col("joined_us").isNull(), may_be_founder).otherwise(
        F.col("starts_us").isNull() | (F.col("joined_us") <= F.col("starts_us"))
    )
    is_there = F.coalesce("stable", F.lit(False)) | was_there
    of_node = Window.partitionBy("run", "node")
    counted = (
        lives(nodes)
        .join(F.broadcast(starts), on="run", how="left")
        .withColumn("first_life", F.min("life").over(of_node))
        .withColumn("counted_life", F.max(F.when(is_there, F.col("life"))).over(of_node))
    )

    def since(column: str) -> Column:
        return F.when(F.col("life") >= F.col("counted_life"), F.col(column))

    known = counted.groupBy("run", "node").agg(
        F.max_by("role", "life").alias("role"),
        F.max("counted_life").alias("counted_life"),
        F.max(since("stable")).alias("stable"),
        F.max(since("left_us")).alias("left_us"),
        F.min(since("crashed_us")).alias("crashed_us"),
    )
    may_be_stable = F.coalesce("stable", F.lit(True)) | F.col("crashed_us").isNotNull()
    stayed = F.col("left_us").isNull() & may_be_stable
    is_member = F.col("counted_life").isNotNull()
    return known.select(
        "run",
        "node",
        "role",
        (F.coalesce("stable", F.lit(False)) | (is_member & stayed)).alias("on_roster"),
        "crashed_us",
    )


def lives(nodes: DataFrame) -> DataFrame:
    """One row for each life: `run, node, life, role, stable, joined_us, left_us, crashed_us`."""
    by_node = nodes.repartition("run", "node")  # the only shuffle: what follows finds it so
    return by_node.groupBy("run", "node", "life").agg(
        F.max("role").alias("role"),
        F.max("stable").alias("stable"),
        F.min("joined_us").alias("joined_us"),
        F.max("left_us").alias("left_us"),
        F.min("crashed_us").alias("crashed_us"),
    )


def roster(members: DataFrame) -> DataFrame:
    """Those on it: `run, node, crashed_us`."""
    return members.where("on_roster").select("run", "node", "crashed_us")
