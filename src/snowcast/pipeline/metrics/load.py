"""`node_load` and `traffic`: who sends how much, and what for.

A sender's load is taken from where its frames arrive, so frames to the dead and lost datagrams do
not weigh on anybody.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import NODE_LOAD, TRAFFIC
from snowcast.pipeline.metrics.keys import held, with_keys


def received(arrivals: DataFrame) -> DataFrame:
    """What each node got of each kind: `run, node, kind, frames, bytes`."""
    return arrivals.groupBy("run", "node", "kind").agg(
        F.count(F.lit(1)).alias("frames"), F.sum("bytes").alias("bytes")
    )


def node_load(
    keys: DataFrame, members: DataFrame, arrivals: DataFrame, received: DataFrame
) -> DataFrame:
    """One row for each node that the trace names, or that a frame came from or to."""
    is_data = F.col("kind") == "data"
    control_bytes = F.sum(F.when(~is_data, F.col("bytes")))
    data_bytes = F.sum(F.when(is_data, F.col("bytes")))
    got = received.groupBy("run", "node").agg(
        data_bytes.alias("data_bytes_received"), control_bytes.alias("control_bytes_received")
    )
    sent = arrivals.groupBy("run", F.col("sender").alias("node")).agg(
        F.count_if(is_data).alias("data_frames_sent"),
        data_bytes.alias("data_bytes_sent"),
        control_bytes.alias("control_bytes_sent"),
    )
    known = members.select("run", "node", "role", "on_roster")
    rows = (
        sent.join(got, on=["run", "node"], how="full")
        .join(known, on=["run", "node"], how="full")
        .fillna(0)
        .fillna(False, subset=["on_roster"])
    )
    return held(with_keys(rows, keys), NODE_LOAD)


def run_load(node_load: DataFrame) -> DataFrame:
    """How evenly the nodes of the roster share the work, by run."""
    sent = F.col("data_bytes_sent")
    return (
        node_load.where("on_roster")
        .groupBy("run")
        .agg(
            F.count(F.lit(1)).alias("roster"),
            F.avg(sent).alias("load_mean_bytes"),
            F.max(sent).alias("load_max_bytes"),
            F.try_divide(F.stddev_pop(sent), F.avg(sent)).alias("load_spread"),
        )
    )


def traffic(keys: DataFrame, received: DataFrame) -> DataFrame:
    """What the frames of each kind add up to."""
    rows = received.groupBy("run", "kind").agg(
        F.sum("frames").alias("frames"), F.sum("bytes").alias("bytes")
    )
    return held(with_keys(rows, keys), TRAFFIC)


def run_traffic(traffic: DataFrame) -> DataFrame:
    """Data and control, by run."""
    is_data = F.col("kind") == "data"
    return traffic.groupBy("run").agg(
        _sum_where(is_data).alias("data_bytes"), _sum_where(~is_data).alias("control_bytes")
    )


def _sum_where(condition: Column) -> Column:
    return F.sum(F.when(condition, F.col("bytes")).otherwise(F.lit(0)))
