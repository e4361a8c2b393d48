"""`run_metrics`: what the other tables say of a run, in one row."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import RUN_METRICS
from snowcast.pipeline.metrics.histogram import run_percentiles
from snowcast.pipeline.metrics.keys import held, ratio
from snowcast.pipeline.metrics.load import run_load, run_traffic
from snowcast.pipeline.metrics.recovery import run_recovery

MEANS = (
    "ldt_ms",
    "ldt_first_to_last_ms",
    "last_delivery_hop",
    "rmr_bytes",
    "redundancy",
    "certain_ms",
)
COUNTS = ("messages", "roster", "data_bytes", "control_bytes", "unrecovered")


def run_metrics(
    keys: DataFrame,
    message_metrics: DataFrame,
    delivery_histogram: DataFrame,
    node_load: DataFrame,
    traffic: DataFrame,
    recovery: DataFrame,
) -> DataFrame:
    """The table: a row for each run, whether it had messages or not."""
    rows = (
        keys.join(run_messages(message_metrics), on="run", how="left")
        .join(run_percentiles(delivery_histogram), on="run", how="left")
        .join(run_load(node_load), on="run", how="left")
        .join(run_traffic(traffic), on="run", how="left")
        .join(run_recovery(recovery), on="run", how="left")
        .fillna(0, subset=list(COUNTS))
    )
    return held(rows, RUN_METRICS)


def run_messages(message_metrics: DataFrame) -> DataFrame:
    """What the messages of a run come to."""
    live = F.col("reliability_live")
    return (
        message_metrics.groupBy("run")
        .agg(
            F.count(F.lit(1)).alias("messages"),
            *[
                F.sum(name).alias(name)
                for name in ("intended", "delivered", "intended_live", "delivered_live")
            ],
            F.min("reliability").alias("reliability_min"),
            F.avg(F.when(live.isNotNull(), (live == 1).cast("double"))).alias("complete_live"),
            F.max("ldt_ms").alias("ldt_max_ms"),
            *[F.avg(name).alias(name) for name in MEANS],
        )
        .withColumn("reliability", ratio("delivered", "intended"))
        .withColumn("reliability_live", ratio("delivered_live", "intended_live"))
    )
