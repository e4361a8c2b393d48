"""What a dataset holds, read without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from snowcast.trace.parquet import arrow_schema
from snowcast.trace.schema import TABLES

Rows = list[dict[str, Any]]


def rows_of(directory: Path, table: str) -> Rows:
    """All rows of a table, in an order that depends on nothing but them."""
    schema = arrow_schema(TABLES[table])
    files = ds.dataset(directory / table, schema, format="parquet", partitioning="hive")
    rows = files.to_table(columns=schema.names).to_pylist()
    return sorted(rows, key=lambda row: tuple((v is not None, v) for v in row.values()))


def content(directory: Path) -> dict[str, Rows]:
    """All tables."""
    return {table: rows_of(directory, table) for table in TABLES}


def runs_of(directory: Path) -> list[str]:
    """Which runs there are."""
    return [row["run"] for row in rows_of(directory, "runs")]
