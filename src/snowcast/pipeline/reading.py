"""Datasets, as `sweep` and `ingest` write them, read as one set of tables.

A dataset is a directory with a folder of Parquet for each table of `trace.schema`, and a manifest.

Rules of this file:
- A run whose row in `runs` is not there is not there at all: it was interrupted, or is being
  written, and no row of it is read.
- A run comes from one dataset only. Counting one twice would make every metric wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError
from snowcast.pipeline.schemas import schema_of, select_table
from snowcast.trace.files import TraceError, check_manifest
from snowcast.trace.parquet import SUFFIX, names_of_runs
from snowcast.trace.schema import TABLES

NAMED_MAX = 3


@dataclass(frozen=True)
class Traces:
    """The tables of many runs, each with exactly the columns of `trace.schema`."""

    runs: DataFrame
    nodes: DataFrame
    messages: DataFrame
    arrivals: DataFrame
    probes: DataFrame


def read_traces(spark: SparkSession, dirs: Iterable[Path]) -> Traces:
    """All runs of these datasets; UsageError if one is none, or if two have a run in common."""
    places = list(dict.fromkeys(path.resolve() for path in dirs))
    if not places:
        raise UsageError("expected at least one dataset")
    for place in places:
        check_dataset(place)
    tables = {table.name: _union(spark, places, table.name) for table in fields(Traces)}
    traces = Traces(**tables)
    if len(places) > 1:
        _check_runs_differ(traces.runs)
    return traces


def check_dataset(directory: Path) -> None:
    """UsageError, saying what to do, if there is no dataset at this place."""
    if not directory.is_dir():
        raise UsageError(f"{directory}: no such directory")
    try:
        check_manifest(directory)
    except TraceError as error:
        raise UsageError(str(error)) from None
    missing = [table for table in TABLES if not (directory / table).is_dir()]
    if missing and any(directory.glob("*.jsonl")):
        raise UsageError(f"{directory} is a trace as agents write it: `pipeline ingest` it first")
    if missing:
        raise UsageError(f"{directory} is no dataset: it has no folder {missing[0]}")


def spark_path(path: Path) -> str:
    """A path of this machine as Spark takes it, with nothing in it that means more than itself."""
    return "file://" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path))


def _union(spark: SparkSession, places: list[Path], table: str) -> DataFrame:
    parts = [select_table(_read(spark, place, table), table) for place in places]
    return reduce(DataFrame.unionByName, parts)


def _read(spark: SparkSession, place: Path, table: str) -> DataFrame:
    reader = spark.read.schema(schema_of(table))
    whole, there = names_of_runs(place), names_of_runs(place, table)
    if there <= whole:
        return reader.parquet(spark_path(place / table))
    paths = [spark_path(place / table / (name + SUFFIX)) for name in sorted(there & whole)]
    return reader.parquet(*paths) if paths else spark.createDataFrame([], schema_of(table))


def _check_runs_differ(runs: DataFrame) -> None:
    twice = runs.groupBy("run").count().filter(F.col("count") > 1).orderBy("run").limit(NAMED_MAX)
    names = [row.run for row in twice.collect()]
    if names:
        raise UsageError(f"more than one of the datasets has the run {', '.join(names)}")
