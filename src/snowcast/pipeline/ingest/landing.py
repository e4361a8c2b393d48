"""Files of lines as a DataFrame of landed rows, read by Spark's tasks in ranges.

Spark's own reader of JSON tells neither where a line stands nor why it is none, and cannot follow a
file that grows. So the lines are read and checked as `parse` has it, here and in a watch alike.

Rules of this file:
- A file is cut into ranges, so that large ones are read by many, and each is a task's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema

from snowcast.pipeline.ingest.parse import LANDED, PLACED, landed
from snowcast.pipeline.ingest.sources import Source
from snowcast.pipeline.schemas import select_table

RANGE_BYTES = 32 << 20
TASK_FILES = 64
"""Small files go together: starting a task costs more than reading one."""

LANDED_TYPE: T.StructType = from_arrow_schema(LANDED)
REJECTS = [field.name for field in LANDED.field("reject").type]

Range = tuple[str, str, int, int, str]


def land(
    spark: SparkSession, sources: Iterable[Source], range_bytes: int = RANGE_BYTES
) -> DataFrame:
    """All lines of these files, landed."""
    ranges = list(_ranges(sources, range_bytes))
    if not ranges:
        return spark.createDataFrame([], LANDED_TYPE)
    tasks = shared_out(ranges, range_bytes)
    rows = [(task, *range) for task, ranges in enumerate(tasks) for range in ranges]
    plan = spark.createDataFrame(
        rows, "task long, file string, `table` string, start long, end long, problem string"
    )
    numbers = spark.range(0, len(tasks), 1, len(tasks)).select(F.col("id").alias("task"))
    return numbers.join(F.broadcast(plan), "task", "inner").mapInArrow(_land, LANDED_TYPE)


def rows_of(landed: DataFrame, table: str) -> DataFrame:
    """The rows of a table; with `file` and `offset` behind the others where they are remembered."""
    places = ["file", "offset"] if table in PLACED else []
    rows = landed.where(F.col("table") == table)
    if not places:
        return select_table(rows.select(f"{table}.*"), table)
    return rows.select(f"{table}.*", *places)


def rejects_of(landed: DataFrame) -> DataFrame:
    """The lines that are no rows: `table, reason, detail, file, offset, bytes, line`."""
    return landed.where(F.col("table") == "rejects").select("reject.*")


def shared_out(ranges: list[Range], range_bytes: int) -> list[list[Range]]:
    """The ranges in tasks: none much larger than a whole range, none of too many files."""
    tasks: list[list[Range]] = [[]]
    size = 0
    for one in ranges:
        length = one[3] - one[2]
        if tasks[-1] and (size + length > range_bytes or len(tasks[-1]) >= TASK_FILES):
            tasks.append([])
            size = 0
        tasks[-1].append(one)
        size += length
    return tasks


def _land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            path = Path(row["file"])
            yield from landed(path, row["table"], row["start"], row["end"], row["problem"])


def _ranges(sources: Iterable[Source], range_bytes: int) -> Iterator[Range]:
    for source in sources:
        for start in range(0, source.size, range_bytes):
            end = min(start + range_bytes, source.size)
            yield str(source.path), source.table, start, end, source.problem
