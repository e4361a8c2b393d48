"""What a receipt costs and how long it takes (paper, Reliable Message).

The origin is certain once all its children have sent a complete ack in one tree. With coloring the
first tree to be complete is enough if it names nobody as missing; else the other may know better,
and both are waited for. The trace tells neither how many children there were nor whom they named.

Rules of this file:
- The last complete ack of a tree is when it was complete. For a message whose receipt came at its
  deadline it says when the rest was certain.
- If every receiver has got the message the faster tree counts, else the slower one. So where
  members that had died were evicted before the send it says too much, by what lies between the two.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.keys import ms

ACKS = ("ack", "ack_query")


def ack_metrics(arrivals: DataFrame, messages: DataFrame) -> DataFrame:
    """One row for each message that has acks: `run, message, ack_bytes, one_us, all_us`.

    The last two are when the first of its trees was complete, and when all that ever were.
    """
    acks = arrivals.where(F.col("kind").isin(*ACKS)).select(
        "run", "message", "node", "tree", "at_us", "bytes", "complete"
    )
    sent = messages.select("run", "message", "origin", F.col("at_us").alias("sent_us"))
    tells = F.col("complete") & (F.col("node") == F.col("origin"))
    took_us = F.when(tells, F.col("at_us") - F.col("sent_us"))
    by_tree = (
        acks.join(F.broadcast(sent), on=["run", "message"], how="inner")
        .groupBy("run", "message", "tree")
        .agg(F.sum("bytes").alias("bytes"), F.max(took_us).alias("took_us"))
    )
    return by_tree.groupBy("run", "message").agg(
        F.sum("bytes").alias("ack_bytes"),
        F.min("took_us").alias("one_us"),
        F.max("took_us").alias("all_us"),
    )


def certain_ms() -> Column:
    """When the origin was certain, of messages with the columns of `ack_metrics`."""
    has_everybody = F.col("delivered") >= F.col("intended")
    return ms(F.when(has_everybody, F.col("one_us")).otherwise(F.col("all_us")))
