"""The session."""

from __future__ import annotations

from pyspark.sql import SparkSession

from snowcast.pipeline.session import open_session


def test_who_has_a_session_keeps_it(spark: SparkSession) -> None:
    with open_session() as again:
        assert again is spark
    assert spark.range(3).count() == 3
