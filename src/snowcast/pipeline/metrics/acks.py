"""What a receipt costs and how long it takes (paper, Reliable Message).

The origin is certain once all its children have sent a complete ack in one tree; with coloring the
first tree to be complete is enough. The trace does not tell how many children there were: the last
complete ack of the faster tree is taken. So for a message whose receipt came at its deadline, with
somebody missing and nothing repaired, it says when the rest was certain.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.keys import ms

ACKS = ("ack", "ack_query")


def ack_metrics(arrivals: DataFrame, messages: DataFrame) -> DataFrame:
    """One row for each message that has acks: `run, message, ack_bytes, certain_ms`."""
    acks = arrivals.where(F.col("kind").isin(*ACKS)).select(
        "run", "message", "node", "tree", "at_us", "bytes", "complete"
    )
    sent = messages.select("run", "message", "origin", F.col("at_us").alias("sent_us"))
    tells = F.col("complete") & (F.col("node") == F.col("origin"))
    took_us = F.when(tells, F.col("at_us") - F.col("sent_us"))
    by_tree = (
        acks.join(F.broadcast(sent), on=["run", "message"], how="inner")
        .groupBy("run", "message", "tree")
        .agg(F.sum("bytes").alias("bytes"), F.max(took_us).alias("certain_us"))
    )
    return by_tree.groupBy("run", "message").agg(
        F.sum("bytes").alias("ack_bytes"), ms(F.min("certain_us")).alias("certain_ms")
    )
