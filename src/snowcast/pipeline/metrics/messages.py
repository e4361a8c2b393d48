"""`message_metrics`: reliability, delivery times, bytes and copies of each message.

Paper, Metrics. Its RMR is bytes received for each receiver, here `rmr_bytes`; Plumtree's is a ratio
of copies, here `redundancy`.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import MESSAGE_METRICS
from snowcast.pipeline.metrics.acks import certain_ms
from snowcast.pipeline.metrics.copies import of_first
from snowcast.pipeline.metrics.keys import held, ms, ratio, with_keys
from snowcast.pipeline.metrics.percentiles import percentiles

COUNTS = ("delivered", "copies", "data_bytes", "ack_bytes")
NO_HOP = -1
"""Stands for what the trace does not tell, as arrays have to be of one length."""


def message_metrics(
    keys: DataFrame,
    messages: DataFrame,
    roster: DataFrame,
    tallies: DataFrame,
    acks: DataFrame,
) -> DataFrame:
    """The table, from the messages and what the other functions of this folder say of each."""
    on = ["run", "message"]
    rows = (
        with_intended(numbered(messages), roster)
        .join(with_times(tallies), on=on, how="left")
        .join(acks, on=on, how="left")
        .fillna(0, subset=list(COUNTS))
        .withColumn("certain_ms", certain_ms())
    )
    return held(with_keys(with_ratios(with_live(rows, roster)), keys), MESSAGE_METRICS)


def tallies(copies: DataFrame) -> DataFrame:
    """What the copies of each message add up to. The one pass over all of them.

    `delays_us` are the times of its deliveries, in order; `doomed` is when those crash that got it
    and crash some time.
    """
    is_doomed = F.col("first") & F.col("crashed_us").isNotNull()
    counted = copies.groupBy("run", "message").agg(
        F.count(F.lit(1)).alias("copies"),
        F.sum("bytes").alias("data_bytes"),
        F.collect_list(of_first("place")).alias("place"),
        F.collect_list(of_first("delay_us")).alias("delay_us"),
        F.collect_list(of_first(F.coalesce("hop", F.lit(NO_HOP)))).alias("hop"),
        F.collect_list(F.when(is_doomed, F.struct("place", "crashed_us"))).alias("doomed"),
    )
    last_hop = F.array_max("hop")
    return each_once(counted).select(
        "run",
        "message",
        "copies",
        "data_bytes",
        F.when(last_hop != NO_HOP, last_hop).alias("last_delivery_hop"),
        F.sort_array("delay_us").alias("delays_us"),
        F.transform(F.array_distinct("doomed"), lambda one: one["crashed_us"]).alias("doomed"),
    )


def each_once(counted: DataFrame) -> DataFrame:
    """Of the firsts of a node, in the arrays `place`, `delay_us` and `hop`, the earliest alone.

    Hardly any message has a node twice, and only these are sorted. Grouping all arrivals by node
    would say the same at many times the cost.
    """
    is_fine = F.array_size(F.array_distinct("place")) == F.array_size("place")
    in_order = F.array_sort(F.arrays_zip("place", "delay_us", "hop"))
    before = F.concat(
        F.array(F.lit(None).cast("int")), F.transform(in_order, lambda one: one["place"])
    )
    new = F.zip_with(
        in_order, before, lambda one, last: F.when(~one["place"].eqNullSafe(last), one)
    )
    once = counted.withColumn("once", F.when(~is_fine, F.filter(new, lambda one: ~one.isNull())))

    def kept(name: str) -> Column:
        told = F.transform("once", lambda one: one[name])
        return F.when(F.col("once").isNull(), F.col(name)).otherwise(told)

    return once.withColumns({name: kept(name) for name in ("delay_us", "hop")}).drop("once")


def with_times(tallies: DataFrame) -> DataFrame:
    """How many deliveries there are, the first and the last time of them, and percentiles."""
    delays_us = F.col("delays_us")
    delivered = F.array_size(delays_us)
    return tallies.withColumns(
        {
            "delivered": delivered,
            "first_us": F.get(delays_us, F.lit(0)),
            "last_us": F.get(delays_us, delivered - 1),
            **percentiles(delays_us),
        }
    ).drop("delays_us")


def numbered(messages: DataFrame) -> DataFrame:
    """The messages with their place in the run."""
    in_order = (
        Window.partitionBy("run")
        .orderBy("at_us", "message")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return messages.select(
        "run",
        "message",
        (F.row_number().over(in_order) - 1).alias("number"),
        "origin",
        "mode",
        "reliable",
        F.col("at_us").alias("sent_us"),
        "payload_bytes",
    )


def with_intended(messages: DataFrame, roster: DataFrame) -> DataFrame:
    """How many receivers each message has: the roster, but for the origin if it is on it."""
    sizes = roster.groupBy("run").agg(F.count(F.lit(1)).alias("roster_size"))
    origins = roster.select("run", F.col("node").alias("origin"), F.lit(1).alias("is_on"))
    on_roster = F.coalesce("is_on", F.lit(0))
    return (
        messages.join(F.broadcast(sizes), on="run", how="left")
        .join(F.broadcast(origins), on=["run", "origin"], how="left")
        .withColumn("intended", F.coalesce("roster_size", F.lit(0)) - on_roster)
    )


def with_live(rows: DataFrame, roster: DataFrame) -> DataFrame:
    """How many receivers were alive when the last one got the message, and how many of these did.

    Who crashes on the way is not asked whether it had the message already: it drops out of both.
    """
    crashes = (
        roster.where(F.col("crashed_us").isNotNull())
        .groupBy("run")
        .agg(F.collect_list(F.struct("node", "crashed_us")).alias("crashes"))
    )
    ended_us = F.col("sent_us") + F.coalesce("last_us", F.lit(0))
    dead = F.filter(
        "crashes",
        lambda crash: (crash["crashed_us"] <= ended_us) & (crash["node"] != F.col("origin")),
    )
    had_it = F.filter("doomed", lambda crashed_us: crashed_us <= ended_us)
    return (
        rows.join(F.broadcast(crashes), on="run", how="left")
        .withColumn("intended_live", F.col("intended") - _size(dead))
        .withColumn("delivered_live", F.col("delivered") - _size(had_it))
    )


def with_ratios(rows: DataFrame) -> DataFrame:
    """What is computed from counts and times: the metrics of the paper."""
    return rows.withColumns(
        {
            "reliability": ratio("delivered", "intended"),
            "reliability_live": ratio("delivered_live", "intended_live"),
            "ldt_ms": ms("last_us"),
            "ldt_first_to_last_ms": ms(F.col("last_us") - F.col("first_us")),
            "rmr_bytes": ratio("data_bytes", "intended"),
            "redundancy": ratio("copies", "delivered") - 1,
        }
    )


def _size(array: Column) -> Column:
    return F.coalesce(F.array_size(array), F.lit(0))
