"""Each row once, each run with its row in `runs`, and what does not fit set aside.

Traces are collected by programs that would rather send a line twice than not at all, and copied
from place to place. So rows that are equal in every column are one row.

Rules of this file:
- What is taken out comes back as rejects, with the same columns as lines that could not be read.
- The outcome depends on which rows there are: not on their order, nor on the files they are in.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from snowcast.pipeline.schemas import schema_of, select_table

NO_RUN, SECOND_ROW = "no run", "second row"
KEY = {"runs": ("run",), "messages": ("run", "message")}
"""What there is one row for at the most. The other tables may have more for anything."""

NEAR = {"nodes": ("run", "node"), "arrivals": ("run", "node"), "probes": ("run", "node")}
"""What rows that are equal have in common at the least: one shuffle brings them together."""


def distinct(rows: DataFrame, table: str) -> DataFrame:
    """The rows of a table that has no key, each once."""
    return rows.repartition(*NEAR[table]).dropDuplicates()


def one_a_key(rows: DataFrame, table: str) -> tuple[DataFrame, DataFrame]:
    """The row of each key, and as rejects those that say something else of the same key.

    The row that most nodes wrote is taken. `rows` have `file` and `offset`.
    """
    names = [field.name for field in schema_of(table)]
    counted = rows.groupBy(*names).agg(
        F.count(F.lit(1)).alias("count"), F.min(F.struct("file", "offset")).alias("place")
    )
    best = Window.partitionBy(*KEY[table]).orderBy(F.col("count").desc(), *names)
    ranked = counted.withColumn("rank", F.row_number().over(best))
    others = ranked.where("rank > 1").select("*", "place.*")
    detail = F.concat(
        F.lit("there is another row of this "), F.lit(KEY[table][-1]), F.lit(", in more places")
    )
    return select_table(ranked.where("rank = 1"), table), as_rejects(
        others, table, SECOND_ROW, detail
    )


def of_runs(rows: DataFrame, runs: DataFrame, table: str) -> tuple[DataFrame, DataFrame]:
    """The rows of these runs, and the others as rejects."""
    known = F.broadcast(runs.select("run").distinct())
    strays = rows.join(known, on="run", how="left_anti")
    detail = F.concat(F.lit("no row in runs for "), F.col("run"))
    return rows.join(known, on="run", how="left_semi"), as_rejects(strays, table, NO_RUN, detail)


def as_rejects(rows: DataFrame, table: str, reason: str, detail: Column) -> DataFrame:
    """Rows of a table that are not taken, written as the lines they were."""
    line = F.to_json(F.struct(*_names(table)), {"ignoreNullFields": "true"})
    places = [
        (F.col(name) if name in rows.columns else F.lit(None)).cast(kind).alias(name)
        for name, kind in (("file", "string"), ("offset", "long"))
    ]
    return rows.select(
        F.lit(table).alias("table"),
        F.lit(reason).alias("reason"),
        detail.alias("detail"),
        *places,
        F.octet_length(line).cast("long").alias("bytes"),
        line.alias("line"),
    )


def _names(table: str) -> Sequence[str]:
    return [field.name for field in schema_of(table)]
