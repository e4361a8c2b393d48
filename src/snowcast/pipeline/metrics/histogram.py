"""`delivery_histogram`: how often a delivery took how long, in bins that never change.

Counts in fixed bins add up, over tasks and over runs, where percentiles do not. The bins are those
of HdrHistogram: up to 64 us one each, then 32 to every doubling, so a bin is 3 % wide at the most.

Rules of this file:
- All is done in integers. A delivery before its send, by clocks that disagree, counts as 0.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import DELIVERY_HISTOGRAM
from snowcast.pipeline.metrics.keys import held, ms, ratio, with_keys

SUB_BITS = 5
SUBS = 1 << SUB_BITS
PERCENTILES = {"p50_ms": 50, "p90_ms": 90, "p99_ms": 99}


def delivery_histogram(
    keys: DataFrame, tallies: DataFrame, message_metrics: DataFrame
) -> DataFrame:
    """The table."""
    delays = tallies.select("run", F.explode("delays_us").alias("delay_us"))
    counts = delays.groupBy("run", bin_of("delay_us").alias("bin")).agg(
        F.count(F.lit(1)).alias("deliveries")
    )
    intended = message_metrics.groupBy("run").agg(F.sum("intended").alias("intended"))
    rows = (
        counts.join(F.broadcast(intended), on="run", how="inner")
        .withColumn("below", F.sum("deliveries").over(_up_to_here()))
        .withColumn("delivered_share", ratio("below", "intended"))
        .withColumns({"from_us": lower_end(F.col("bin")), "to_us": lower_end(F.col("bin") + 1)})
    )
    return held(with_keys(rows, keys), DELIVERY_HISTOGRAM)


def run_percentiles(histogram: DataFrame) -> DataFrame:
    """One row for each run with deliveries: the middles of the bins that hold its percentiles."""
    whole = Window.partitionBy("run").rowsBetween(
        Window.unboundedPreceding, Window.unboundedFollowing
    )
    ranked = histogram.select(
        "run",
        ms((F.col("from_us") + F.col("to_us")) / 2).alias("middle_ms"),
        F.sum("deliveries").over(_up_to_here()).alias("below"),
        F.sum("deliveries").over(whole).alias("count"),
    )
    return ranked.groupBy("run").agg(
        *[
            F.min(
                F.when(F.col("below") * 100 >= F.col("count") * percent, F.col("middle_ms"))
            ).alias(name)
            for name, percent in PERCENTILES.items()
        ]
    )


def bin_of(time_us: str) -> Column:
    """The number of the bin that a time is in."""
    time = F.greatest(F.col(time_us), F.lit(0))
    # Half a microsecond up, no power of two is near enough to be taken for its neighbour.
    doublings = F.floor(F.log2(time + F.lit(0.5))) - SUB_BITS
    binned = doublings * SUBS + F.call_function("shiftright", time, doublings.cast("int"))
    return F.when(time < 2 * SUBS, time).otherwise(binned)


def lower_end(bin: Column) -> Column:
    """The least time in a bin, in microseconds."""
    doublings = F.floor(bin / SUBS).cast("int") - 1
    shifted = F.call_function("shiftleft", bin - doublings * SUBS, doublings)
    return F.when(bin < 2 * SUBS, bin).otherwise(shifted)


def _up_to_here() -> WindowSpec:
    return (
        Window.partitionBy("run")
        .orderBy("bin")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
