"""Percentiles by nearest rank, exactly."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.percentiles import nearest_rank, percentiles
from support import metric_twins
from support.trace_rows import few_examples

DELAYS = st.lists(st.lists(st.integers(-9, 200), min_size=1, max_size=120), min_size=1, max_size=9)


@given(DELAYS)
@example([[5], list(range(1, 101)), list(range(100, -1, -1)), [7, 7, 7, 8]])
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, delays: list[list[int]]) -> None:
    rows = [(sorted(values),) for values in delays]
    df = spark.createDataFrame(rows, "delays_us array<long>")
    found = df.select("delays_us", *percentiles(F.col("delays_us")).values()).collect()
    for values, *times_ms in found:
        wanted = [metric_twins.nearest_rank(values, percent) for percent in (50, 90, 99)]
        assert times_ms == [us / 1000 for us in wanted]


def test_of_no_delivery_there_is_no_percentile(spark: SparkSession) -> None:
    df = spark.createDataFrame([([],), (None,)], "delays_us array<long>")
    found = df.select(*percentiles(F.col("delays_us")).values()).collect()
    assert [tuple(row) for row in found] == [(None, None, None)] * 2


def test_the_nearest_rank_is_the_least_that_is_enough(spark: SparkSession) -> None:
    counts = spark.range(1, 301).select(F.col("id").alias("count"))
    found = counts.select(
        "count", *[nearest_rank(F.col("count"), percent) for percent in (50, 90, 99)]
    ).collect()
    for count, *ranks in found:
        assert ranks == [math.ceil(count * percent / 100) for percent in (50, 90, 99)]
