"""The keys of runs, and tables held to their contract."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import KEYS, TRAFFIC
from snowcast.pipeline.metrics.keys import held, ms, ratio, run_keys, with_keys
from support.trace_rows import dicts, frame, run


def test_a_run_without_a_variant_has_an_empty_one(spark: SparkSession) -> None:
    found = dicts(run_keys(frame(spark, "runs", [run("a"), run("b", variant="v", seed=None)])))
    assert [list(row) for row in found] == [[key.name for key in KEYS]] * 2
    assert [(row["run"], row["variant"], row["seed"]) for row in found] == [
        ("a", "", 0),
        ("b", "v", None),
    ]


def test_rows_of_unknown_runs_are_left_out(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", 1), ("x", 2)], "run string, frames int")
    found = dicts(with_keys(rows, run_keys(frame(spark, "runs", [run("a")]))))
    assert [(row["run"], row["scenario"], row["frames"]) for row in found] == [("a", "s", 1)]


def test_a_table_has_its_columns_in_order_and_of_its_types(spark: SparkSession) -> None:
    columns = "bytes int, frames short, more string, kind string, run string, scenario string, \
        variant string, protocol string, nodes int, fanout byte, seed int"
    rows = spark.createDataFrame([(1, 2, "x", "data", "r", "s", "", "p", 3, 4, 5)], columns)
    found = held(rows, TRAFFIC)
    assert found.dtypes == [(column.name, column.type) for column in TRAFFIC.columns]
    assert [tuple(row) for row in found.collect()] == [("r", "s", "", "p", 3, 4, 5, "data", 2, 1)]


def test_a_share_of_nothing_is_none(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, 2), (1, 0), (None, 1)], "part long, whole long")
    assert [row[0] for row in df.select(ratio("part", "whole")).collect()] == [0.5, None, None]
    assert [row[0] for row in df.select(ms("whole")).collect()] == [0.002, 0.0, 0.001]
    assert df.select(ms(F.col("part") + 1)).first()[0] == 0.002
