"""The tables of a trace as Spark knows them: from `trace.schema`, and defined nowhere else.

Rules of this file:
- A table that leaves a function of ours has gone through `select_table`: exactly the columns of the
  schema, in its order, with its types.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from snowcast.trace.schema import TABLES, Row, columns

_TYPES: dict[str, T.DataType] = {
    "string": T.StringType(),
    "int64": T.LongType(),
    "bool": T.BooleanType(),
}


def spark_schema(row: type[Row]) -> T.StructType:
    """The columns of a table."""
    return T.StructType(
        [
            T.StructField(column.name, _TYPES[column.type], column.is_nullable)
            for column in columns(row)
        ]
    )


def schema_of(table: str) -> T.StructType:
    """The columns of the table of this name."""
    return spark_schema(TABLES[table])


def select_table(df: DataFrame, table: str) -> DataFrame:
    """The columns of a table out of what has them all, as `table` has them."""
    return df.select(
        *[F.col(field.name).cast(field.dataType).alias(field.name) for field in schema_of(table)]
    )
