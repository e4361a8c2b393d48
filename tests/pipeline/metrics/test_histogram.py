"""The histogram of delivery times: its bins, its counts, and percentiles from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from snowcast.pipeline.measure import tallies_of
from snowcast.pipeline.metrics.histogram import (
    bin_of,
    delivery_histogram,
    lower_end,
    run_percentiles,
)
from snowcast.pipeline.metrics.keys import run_keys
from support import metric_twins
from support.trace_rows import SEEDS, dicts, few_examples, random_traces, together


def test_every_time_is_in_the_bin_that_counting_finds(spark: SparkSession) -> None:
    edges = [2**power + near for power in range(5, 23) for near in (-1, 0, 1)]
    times = [-5, *range(200), *edges, 3_000_000, 59_999_999]
    df = spark.createDataFrame([(time,) for time in times], "us long")
    found = df.select("us", bin_of("us").alias("bin")).select(
        "us", "bin", lower_end(F.col("bin")), lower_end(F.col("bin") + 1)
    )
    for time, *bin in found.collect():
        assert tuple(bin) == metric_twins.bins_of(time), time


def test_bins_stay_exact_where_doubles_do_not(spark: SparkSession) -> None:
    times = [2**power + near for power in range(6, 51) for near in (-1, 0)]
    df = spark.createDataFrame([(time,) for time in times], "us long")
    ends = df.select("us", bin_of("us").alias("bin")).select(
        "us", lower_end(F.col("bin")), lower_end(F.col("bin") + 1)
    )
    for time, from_us, to_us in ends.collect():
        assert from_us <= time < to_us
        assert to_us - from_us <= max(1, from_us / 32)


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    traces = random_traces(seeds)
    tables = together(traces).traces(spark)
    keys = run_keys(tables.runs)
    sent = [(row["run"], row["intended"]) for one in traces for row in metric_twins.messages(one)]
    intended = spark.createDataFrame(sent, "run string, intended long")
    found = dicts(delivery_histogram(keys, tallies_of(tables), intended))
    wanted = [row for one in traces for row in metric_twins.histogram(one)]
    wanted.sort(key=lambda row: (row["run"], row["bin"]))
    found.sort(key=lambda row: (row["run"], row["bin"]))
    assert len(found) == len(wanted)
    for row, twin in zip(found, wanted, strict=True):
        assert {name: row[name] for name in twin} == pytest.approx(twin)


def test_percentiles_of_a_run_are_the_middles_of_bins(spark: SparkSession) -> None:
    rows = [("r", 1, 1_000, 2_000, 50), ("r", 2, 4_000, 6_000, 49), ("r", 3, 8_000, 9_000, 1)]
    columns = "run string, bin long, from_us long, to_us long, deliveries long"
    (found,) = dicts(run_percentiles(spark.createDataFrame(rows, columns)))
    assert found == {"run": "r", "p50_ms": 1.5, "p90_ms": 5.0, "p99_ms": 5.0}
