"""How long it took until a share of a message's receivers had it: exact, by nearest rank.

Sorting rows of two integers costs a third of sorting them with the names of run and message, and
no sketch that Spark has is as quick. So a message stands there as a hash of 64 bits: the chance
that any two of a million messages have the same one is 1 to 37 million.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.keys import ms

PERCENTILES = {"p50_ms": 50, "p90_ms": 90, "p99_ms": 99}


def message_percentiles(deliveries: DataFrame) -> DataFrame:
    """One row for each message that was delivered at all: `message_hash, p50_ms, ...`."""
    hashed = deliveries.select(message_hash().alias("message_hash"), "delay_us")
    by_message = Window.partitionBy("message_hash")
    in_order = by_message.orderBy("delay_us").rowsBetween(
        Window.unboundedPreceding, Window.currentRow
    )
    everything = by_message.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    ranked = hashed.select(
        "message_hash",
        "delay_us",
        F.row_number().over(in_order).alias("rank"),
        F.count(F.lit(1)).over(everything).alias("count"),
    )
    return ranked.groupBy("message_hash").agg(
        *[
            ms(F.max(F.when(F.col("rank") == nearest_rank(percent), F.col("delay_us")))).alias(name)
            for name, percent in PERCENTILES.items()
        ]
    )


def message_hash() -> Column:
    """Stands for `run` and `message` in 64 bits."""
    return F.xxhash64("run", "message")


def nearest_rank(percent: int) -> Column:
    """The rank, from 1, of the least of `count` values that `percent` of them do not exceed."""
    return F.floor((F.col("count") * percent + 99) / 100)
