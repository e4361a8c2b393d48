"""Tables of metrics as Spark has them, from rows that need not say everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.metric_tables import Column, MetricTable

_NOTHING = {"string": "", "bigint": 0, "double": 0.0, "boolean": False}


def metric_frame(
    spark: SparkSession, of: MetricTable, rows: Iterable[Mapping[str, Any]]
) -> DataFrame:
    """Rows of a table; what one does not say is null, or nothing where there must be a value."""
    whole = [[_value(column, row) for column in of.columns] for row in rows]
    ddl = ", ".join([f"{column.name} {column.type}" for column in of.columns])
    return spark.createDataFrame(whole, ddl)


def _value(column: Column, row: Mapping[str, Any]) -> Any:
    value = row.get(column.name, None if column.is_nullable else _NOTHING[column.type])
    return float(value) if column.type == "double" and value is not None else value
