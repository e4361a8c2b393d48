"""The copies of applications' messages that their receivers got: what most metrics are made of.

Rules of this file:
- Only frames of kind `data` count. Announcements are data for the membership: control.
- Only receivers count: nodes on the roster, not the origin, and not what a later life of a node
  gets that crashed.
- What is marked as a first copy is the first of a life. A node that is started again may get a
  message twice so; `tallies` counts its earliest alone.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F


def copies(arrivals: DataFrame, messages: DataFrame, roster: DataFrame) -> DataFrame:
    """One row for each copy: `run, message, place, first, delay_us, bytes, hop, crashed_us`.

    `place` numbers the nodes of the roster, `delay_us` is from the send. `messages` and `roster`
    are the small sides.
    """
    by_name = Window.partitionBy("run").orderBy("node")
    placed = roster.withColumn("place", F.dense_rank().over(by_name))
    data = arrivals.where(F.col("kind") == "data").select(
        "run", "message", "node", "at_us", "bytes", "hop", "first"
    )
    sent = messages.select("run", "message", "origin", F.col("at_us").alias("sent_us"))
    is_receiver = F.col("node") != F.col("origin")
    in_its_life = F.col("crashed_us").isNull() | (F.col("at_us") <= F.col("crashed_us"))
    return (
        data.join(F.broadcast(placed), on=["run", "node"], how="inner")
        .join(F.broadcast(sent), on=["run", "message"], how="inner")
        .where(is_receiver & in_its_life)
        .select(
            "run",
            "message",
            "place",
            F.coalesce("first", F.lit(False)).alias("first"),
            (F.col("at_us") - F.col("sent_us")).alias("delay_us"),
            "bytes",
            "hop",
            "crashed_us",
        )
    )


def of_first(column: Column | str) -> Column:
    """The value of a column in first copies, null in others."""
    return F.when(F.col("first"), F.col(column) if isinstance(column, str) else column)
