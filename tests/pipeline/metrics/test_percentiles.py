"""Percentiles by nearest rank, exactly."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.percentiles import (
    message_hash,
    message_percentiles,
    nearest_rank,
)
from support import metric_twins
from support.trace_rows import few_examples

DELAYS = st.lists(st.lists(st.integers(-9, 200), min_size=1, max_size=120), min_size=1, max_size=9)


@given(DELAYS)
@example([[5], list(range(1, 101)), list(range(100, -1, -1)), [7, 7, 7, 8]])
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, delays: list[list[int]]) -> None:
    rows = [("r", f"m{m}", us) for m, values in enumerate(delays) for us in values]
    df = spark.createDataFrame(rows, "run string, message string, delay_us long")
    hashes = df.select("message", message_hash().alias("message_hash")).distinct()
    found = hashes.join(message_percentiles(df.repartition(2)), on="message_hash", how="inner")
    assert {
        row.message: (row.p50_ms * 1000, row.p90_ms * 1000, row.p99_ms * 1000)
        for row in found.collect()
    } == {
        f"m{m}": tuple([metric_twins.nearest_rank(values, percent) for percent in (50, 90, 99)])
        for m, values in enumerate(delays)
    }


def test_the_nearest_rank_is_the_least_that_is_enough(spark: SparkSession) -> None:
    counts = spark.range(1, 301).select(F.col("id").alias("count"))
    found = counts.select("count", *[nearest_rank(percent) for percent in (50, 90, 99)]).collect()
    for count, *ranks in found:
        assert ranks == [math.ceil(count * percent / 100) for percent in (50, 90, 99)]
