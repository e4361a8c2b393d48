"""The keys of runs, and tables held to their contract."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError
from snowcast.pipeline.metric_tables import KEYS, TRAFFIC
from snowcast.pipeline.metrics.keys import check_seeds, held, ms, ratio, run_keys, with_keys
from support.trace_rows import dicts, frame, run


def test_a_run_without_a_variant_has_an_empty_one(spark: SparkSession) -> None:
    found = dicts(run_keys(frame(spark, "runs", [run("a"), run("b", variant="v", seed=None)])))
    assert [list(row) for row in found] == [[key.name for key in KEYS]] * 2
    assert [(row["run"], row["variant"], row["seed"]) for row in found] == [
        ("a", "", 0),
        ("b", "v", None),
    ]


def test_two_runs_of_a_cell_under_one_seed_are_a_mistake(spark: SparkSession) -> None:
    fine = [
        run("a"),
        run("b", seed=1),
        run("c", is_virtual=False),
        run("d", variant="v"),
        run("e", nodes=None, seed=None),
        run("f", nodes=None, seed=None),
        run("g", nodes=None),
    ]
    check_seeds(frame(spark, "runs", fine))
    for one, other in [(run("z", variant=""), "a"), (run("z", nodes=None), "g")]:
        with pytest.raises(UsageError, match=f"{other} and z are runs of the same under one seed"):
            check_seeds(frame(spark, "runs", [one, *fine]))


def test_rows_of_unknown_runs_are_left_out(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", 1), ("x", 2)], "run string, frames int")
    found = dicts(with_keys(rows, run_keys(frame(spark, "runs", [run("a")]))))
    assert [(row["run"], row["scenario"], row["frames"]) for row in found] == [("a", "s", 1)]


def test_a_table_has_its_columns_in_order_and_of_its_types(spark: SparkSession) -> None:
    columns = "bytes int, frames short, more string, kind string, run string, scenario string, \
        variant string, protocol string, nodes int, fanout byte, is_virtual boolean, seed int"
    values = 1, 2, "x", "data", "r", "s", "", "p", 3, 4, False, 5
    rows = spark.createDataFrame([values], columns)
    found = held(rows, TRAFFIC)
    assert found.dtypes == [(column.name, column.type) for column in TRAFFIC.columns]
    assert [tuple(row) for row in found.collect()] == [
        ("r", "s", "", "p", 3, 4, False, 5, "data", 2, 1)
    ]


def test_a_share_of_nothing_is_none(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, 2), (1, 0), (None, 1)], "part long, whole long")
    assert [row[0] for row in df.select(ratio("part", "whole")).collect()] == [0.5, None, None]
    assert [row[0] for row in df.select(ms("whole")).collect()] == [0.002, 0.0, 0.001]
    assert df.select(ms(F.col("part") + 1)).first()[0] == 0.002
