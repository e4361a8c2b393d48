"""What the probes between two nodes say about their clocks: one row for each pair.

A probe tells how far the clock of its peer is ahead, if both ways take as long. It errs by half of
what one way takes longer, so a probe that took little longer than the quickest of its pair is worth
more. A lasting difference between the two ways of a pair cannot be seen by anybody.

Rules of this file:
- What goes to the solver is bounded by the number of nodes: of each node `PAIRS_A_NODE` pairs are
  taken, drawn by a hash. So many random ones keep any cluster in one piece that probes at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

PAIRS_A_NODE = 64
NOISE_US = 50
"""By how much a probe errs at the best: nodes are told of frames a little late."""


def usable(probes: DataFrame) -> DataFrame:
    """Probes that say something about clocks: `run, node, peer, at_us, rtt_us, offset_us`.

    A ping on a stream may have waited for a connection.
    """
    by_datagram = ~F.coalesce("stream", F.lit(False))
    others = F.col("node") != F.col("peer")
    return probes.where(by_datagram & others & (F.col("rtt_us") >= 0)).select(
        "run", "node", "peer", "at_us", "rtt_us", "offset_us"
    )


def pair_offsets(probes: DataFrame, groups: Sequence[str]) -> DataFrame:
    """One row for each pair in each group: `*groups, a, b, offset_us, weight, probes, rtt_us`.

    `offset_us` is how far b's clock is ahead of a's, `weight` one over its variance, in us^-2.
    """
    is_forward = F.col("node") < F.col("peer")
    offset_us = F.col("offset_us").cast("double")
    named = probes.select(
        *groups,
        F.least("node", "peer").alias("a"),
        F.greatest("node", "peer").alias("b"),
        F.when(is_forward, offset_us).otherwise(-offset_us).alias("offset_us"),
        F.col("rtt_us").cast("double").alias("rtt_us"),
    )
    of_pair = Window.partitionBy(*groups, "a", "b")
    excess_us = (F.col("rtt_us") - F.min("rtt_us").over(of_pair)) / 2
    weighed = named.withColumn("weight", 1 / (F.lit(float(NOISE_US**2)) + excess_us * excess_us))
    return (
        weighed.groupBy(*groups, "a", "b")
        .agg(
            F.sum(F.col("weight") * F.col("offset_us")).alias("moment"),
            F.sum("weight").alias("weight"),
            F.count(F.lit(1)).alias("probes"),
            F.min("rtt_us").alias("rtt_us"),
        )
        .withColumn("offset_us", F.col("moment") / F.col("weight"))
        .drop("moment")
    )


def some_of_each_node(pairs: DataFrame, groups: Sequence[str]) -> DataFrame:
    """The pairs, but of each node no more than `PAIRS_A_NODE` that it is the one to keep."""
    drawn = F.xxhash64("a", "b")
    of_a = Window.partitionBy(*groups, "a").orderBy(drawn, "b")
    of_b = Window.partitionBy(*groups, "b").orderBy(drawn, "a")
    ranked = pairs.withColumns(
        {"rank_a": F.row_number().over(of_a), "rank_b": F.row_number().over(of_b)}
    )
    is_kept = (F.col("rank_a") <= PAIRS_A_NODE) | (F.col("rank_b") <= PAIRS_A_NODE)
    return ranked.where(is_kept).drop("rank_a", "rank_b")
