"""Ingest: raw traces in, a dataset out that `pipeline metrics` reads, with what did not fit beside.

    runs/run=R/part-...parquet      and so for each table of the schema
    clocks/part-...parquet          how far each clock was off, as `clocks.estimate` has it
    rejects/part-...parquet         lines and rows that were not taken: where they stood, and why

Rules of this file:
- It only wires. Lines are read once, into a draft; each table is then made from that.
- Every line is in a table, or a duplicate of a row that is, or in `rejects`.
- The directory is there as a whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.clocks.correct import TIMES, correct
from snowcast.pipeline.clocks.estimate import clocks
from snowcast.pipeline.ingest.clean import KEY, distinct, of_runs, one_a_key
from snowcast.pipeline.ingest.landing import land, rejects_of, rows_of
from snowcast.pipeline.ingest.sources import Source
from snowcast.pipeline.progress import Advance, followed, tell_nobody
from snowcast.pipeline.reading import spark_path
from snowcast.pipeline.session import settled
from snowcast.pipeline.whole import whole_directory
from snowcast.trace.files import MANIFEST, manifest, write_whole
from snowcast.trace.schema import TABLES

CLOCKS, REJECTS = "clocks", "rejects"
ASIDE = ".aside"
LANDED, RUNS, PROBES = "landed", "runs", "probes"
"""What others are made from, kept aside as long as the rest is written."""

STEPS = len(TABLES) + len((CLOCKS, REJECTS)) + len((LANDED, RUNS, PROBES, "offsets", "spans"))
A_STEP = 100
"""What a step is of the progress."""


@dataclass(frozen=True)
class Ingested:
    """What has become of the lines."""

    files: int
    lines: int
    rows: dict[str, int]
    """Of each table."""
    rejects: dict[tuple[str, str], int]
    """By table and reason; the table is empty where nobody can tell."""
    clocks: int
    """How many nodes' clocks could be set right."""

    @property
    def rejected(self) -> int:
        """How many lines were set aside."""
        return sum(self.rejects.values())

    @property
    def duplicates(self) -> int:
        """How many lines said what another one says."""
        return self.lines - sum(self.rows.values()) - self.rejected


def ingest(
    spark: SparkSession, sources: Iterable[Source], out: Path, advance: Advance = tell_nobody
) -> Ingested:
    """Write the dataset of these files to `out`; UsageError if something is there already.

    `advance` is told of hundredths of steps.
    """
    sources = list(sources)
    with whole_directory(out) as draft, settled(spark):
        written = _Written(spark, draft, advance)
        landed = written.keep_aside(LANDED, land(spark, sources), by="table")
        runs, rejects = one_a_key(rows_of(landed, "runs"), "runs")
        runs = written.keep_aside(RUNS, runs)
        taken = {table: _taken(landed, table, runs) for table in TIMES}
        probes = written.keep_aside(PROBES, taken["probes"][0])
        known = written.keep(CLOCKS, clocks(probes, written.keep_aside))
        written.keep("runs", runs, by="run")
        for table, (rows, others) in taken.items():
            uncorrected = probes if table == "probes" else rows
            written.keep(table, correct(uncorrected, table, known), by="run")
            rejects = rejects.unionByName(others)
        written.keep(REJECTS, rejects_of(landed).unionByName(rejects))
        told = written.count(len(sources))
        shutil.rmtree(draft / ASIDE)
        write_whole(draft / MANIFEST, manifest())
    return told


class _Written:
    """What is written of the draft, step by step."""

    def __init__(self, spark: SparkSession, draft: Path, advance: Advance) -> None:
        self._spark = spark
        self._draft = draft
        self._advance = advance
        self._kept: dict[str, DataFrame] = {}

    def keep(self, name: str, rows: DataFrame, by: str | None = None) -> DataFrame:
        """Write rows, in a folder for each value of `by`, and give them back as they were read."""
        place = spark_path(self._draft / name)
        begun, of = A_STEP * len(self._kept), A_STEP * STEPS

        def tell(done: int, tasks: int) -> None:
            self._advance(begun + A_STEP * done // tasks, of)

        with followed(self._spark, tell):
            rows.write.parquet(place, partitionBy=by)
        self._kept[name] = self._spark.read.schema(rows.schema).parquet(place)
        self._advance(A_STEP * len(self._kept), of)
        return self._kept[name]

    def keep_aside(self, name: str, rows: DataFrame, by: str | None = None) -> DataFrame:
        """The same, for what is not part of the dataset."""
        return self.keep(f"{ASIDE}/{name}", rows, by)

    def count(self, files: int) -> Ingested:
        """What it all comes to."""
        why = self._kept[REJECTS].groupBy("table", "reason").count().collect()
        return Ingested(
            files=files,
            lines=self._kept[f"{ASIDE}/{LANDED}"].count(),
            rows={table: self._kept[table].count() for table in TABLES},
            rejects={(row["table"], row.reason): row["count"] for row in why},
            clocks=self._kept[CLOCKS].count(),
        )


def _taken(landed: DataFrame, table: str, runs: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The rows of a table, each once, and the others as rejects."""
    rows = rows_of(landed, table)
    if table not in KEY:
        return of_runs(distinct(rows, table), runs, table)
    rows, others = one_a_key(rows, table)
    rows, strays = of_runs(rows, runs, table)
    return rows, others.unionByName(strays)
