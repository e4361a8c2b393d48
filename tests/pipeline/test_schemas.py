"""Spark's schemas follow from the one definition of a trace."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from snowcast.pipeline.schemas import schema_of, select_table, spark_schema
from snowcast.trace.parquet import arrow_schema
from snowcast.trace.schema import TABLES, ProbeRow


def test_columns_have_their_names_types_and_order() -> None:
    assert spark_schema(ProbeRow) == T.StructType(
        [
            T.StructField("run", T.StringType(), False),
            T.StructField("node", T.StringType(), False),
            T.StructField("peer", T.StringType(), False),
            T.StructField("at_us", T.LongType(), False),
            T.StructField("rtt_us", T.LongType(), True),
            T.StructField("offset_us", T.LongType(), True),
            T.StructField("stream", T.BooleanType(), True),
        ]
    )


@pytest.mark.parametrize("table", TABLES)
def test_spark_and_arrow_agree(table: str) -> None:
    from pyspark.sql.pandas.types import to_arrow_schema

    assert to_arrow_schema(schema_of(table)) == arrow_schema(TABLES[table])


def test_selecting_a_table_leaves_what_is_not_its_own_and_sets_order_and_types(
    spark: SparkSession,
) -> None:
    columns = (
        "stream boolean, offset_us int, rtt_us int, at_us int, peer string, more string, "
        "node string, run int"
    )
    df = spark.createDataFrame([(True, -5, 10, 7, "b", "x", "a", 1)], columns)
    found = select_table(df, "probes")
    assert [field.dataType for field in found.schema] == [
        field.dataType for field in schema_of("probes")
    ]
    assert [tuple(row) for row in found.collect()] == [("1", "a", "b", 7, 10, -5, True)]
