"""`recovery`: after each membership change, how long messages went on missing somebody.

Paper, Frequent Leaving and Joining, and Breakdown: what a tree that is kept has to mend after each
change. It is seen by messages only: the interval between them is its resolution.

Rules of this file:
- A change is judged by the messages from then on until the next change; changes at the same time
  are judged by the same messages.
- What came before the first message is how the run was set up.
- What was not seen to recover is not left out of a mean, for then it would be best never to: it
  counts with the time for which messages were seen to miss somebody, which is a lower bound.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import RECOVERY
from snowcast.pipeline.metrics.keys import held, ms, with_keys

CHANGES = {"join": "joined_us", "leave": "left_us", "crash": "crashed_us"}


def recovery(keys: DataFrame, nodes: DataFrame, message_metrics: DataFrame) -> DataFrame:
    """The table."""
    is_incomplete = F.coalesce(F.col("reliability_live") < 1, F.lit(False))
    sent = message_metrics.select("run", "sent_us", is_incomplete.alias("is_incomplete"))
    of_change = ["run", "node", "change", "at_us"]
    after = (F.col("sent_us") >= F.col("at_us")) & (
        F.col("next_us").isNull() | (F.col("sent_us") < F.col("next_us"))
    )
    judged = (
        changes(nodes, message_metrics)
        .withColumnRenamed("run", "run_of_change")
        .join(sent, on=(F.col("run") == F.col("run_of_change")) & after, how="left")
        .withColumn("run", F.col("run_of_change"))
    )
    of_it = Window.partitionBy(*of_change).rowsBetween(
        Window.unboundedPreceding, Window.unboundedFollowing
    )
    last_bad_us = F.max(F.when(F.col("is_incomplete"), F.col("sent_us"))).over(of_it)
    counted = (
        judged.withColumn("last_bad_us", last_bad_us)
        .groupBy(*of_change)
        .agg(
            F.count("sent_us").alias("messages"),
            F.count_if("is_incomplete").alias("incomplete"),
            F.max("last_bad_us").alias("last_bad_us"),
            F.min(F.when(F.col("sent_us") > F.col("last_bad_us"), F.col("sent_us"))).alias(
                "good_us"
            ),
        )
        .withColumn("missing_ms", ms(F.col("last_bad_us") - F.col("at_us")))
    )
    took_ms = F.when(F.col("incomplete") > 0, ms(F.col("good_us") - F.col("at_us"))).when(
        F.col("messages") > 0, F.lit(0.0)
    )
    return held(with_keys(counted.withColumn("recovery_ms", took_ms), keys), RECOVERY)


def changes(nodes: DataFrame, message_metrics: DataFrame) -> DataFrame:
    """`run, node, change, at_us, next_us`: every change, and when the next one came, if one did."""
    lives = nodes.groupBy("run", "node", "life").agg(
        *[F.min(column).alias(column) for column in CHANGES.values()]
    )
    told = lives.unpivot(
        ids=["run", "node"],
        values=list(CHANGES.values()),
        variableColumnName="column",
        valueColumnName="at_us",
    )
    name = F.create_map(*[F.lit(word) for pair in CHANGES.items() for word in reversed(pair)])
    starts = message_metrics.groupBy("run").agg(F.min("sent_us").alias("starts_us"))
    later = Window.partitionBy("run").orderBy("at_us").rangeBetween(1, Window.unboundedFollowing)
    return (
        told.join(F.broadcast(starts), on="run", how="inner")
        .where(F.col("at_us") > F.col("starts_us"))
        .select("run", "node", name[F.col("column")].alias("change"), "at_us")
        .distinct()  # two lives may have been told to begin at once
        .withColumn("next_us", F.min("at_us").over(later))
    )


def run_recovery(recovery: DataFrame) -> DataFrame:
    """What the changes of a run come to. Those without messages after say nothing."""
    has_recovered = F.col("recovery_ms").isNotNull()
    return (
        recovery.where("messages > 0")
        .groupBy("run")
        .agg(
            F.avg(F.coalesce("recovery_ms", "missing_ms")).alias("recovery_ms"),
            F.avg(has_recovered.cast("double")).alias("recovered"),
            F.count_if(~has_recovered).alias("unrecovered"),
        )
    )
