"""Reading datasets: all whole runs, each once, and a clear word about what is no dataset."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.core.errors import UsageError
from snowcast.pipeline.reading import read_traces
from snowcast.pipeline.schemas import schema_of
from snowcast.trace.files import TraceWriter
from snowcast.trace.parquet import make_dataset, writing
from snowcast.trace.schema import TABLES, ArrivalRow, RunRow


def dataset(directory: Path, *runs: str) -> Path:
    """A dataset of runs, each with two arrivals."""
    make_dataset(directory)
    for run in runs:
        with writing(directory, run) as writer:
            row = RunRow(
                run=run, protocol="snow", scenario="s", fanout=4, config="{}", version="1",
                is_virtual=True,
            )  # fmt: skip
            writer.write(row)
            for at_us in (1, 2):
                writer.write(
                    ArrivalRow(run=run, node="a", sender="b", kind="ping", at_us=at_us, bytes=4)
                )
    return directory


def runs_in(spark: SparkSession, *dirs: Path) -> tuple[list[str], list[str]]:
    """The runs there are, and those that have arrivals, once for each arrival."""
    traces = read_traces(spark, dirs)
    runs, arrivals = traces.runs.select("run"), traces.arrivals.select("run")
    return sorted(row.run for row in runs.collect()), sorted(row.run for row in arrivals.collect())


def test_every_table_has_the_columns_of_the_schema(spark: SparkSession, tmp_path: Path) -> None:
    traces = read_traces(spark, [dataset(tmp_path, "r")])
    for table in TABLES:
        found = getattr(traces, table).schema
        wanted = schema_of(table)
        assert [(f.name, f.dataType) for f in found] == [(f.name, f.dataType) for f in wanted]


def test_runs_of_several_datasets_are_read_together(spark: SparkSession, tmp_path: Path) -> None:
    one, other = dataset(tmp_path / "one", "a", "b"), dataset(tmp_path / "other", "c")
    assert runs_in(spark, one, other) == (["a", "b", "c"], ["a", "a", "b", "b", "c", "c"])


def test_a_dataset_named_twice_is_read_once(spark: SparkSession, tmp_path: Path) -> None:
    one = dataset(tmp_path / "one", "a")
    assert runs_in(spark, one, tmp_path / "one" / ".") == (["a"], ["a", "a"])


def test_a_run_that_two_datasets_have_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    one, other = dataset(tmp_path / "one", "a", "b"), dataset(tmp_path / "other", "b")
    with pytest.raises(UsageError, match="more than one of the datasets has the run b"):
        read_traces(spark, [one, other])


def test_a_run_that_is_not_whole_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    dataset(tmp_path, "a", "b")
    (tmp_path / "runs" / "b.parquet").unlink()
    assert runs_in(spark, tmp_path) == (["a"], ["a", "a"])
    (tmp_path / "runs" / "a.parquet").unlink()
    assert runs_in(spark, tmp_path) == ([], [])


def test_a_dataset_without_runs_is_empty(spark: SparkSession, tmp_path: Path) -> None:
    assert runs_in(spark, dataset(tmp_path)) == ([], [])


def test_a_path_may_have_any_character(spark: SparkSession, tmp_path: Path) -> None:
    place = dataset(tmp_path / "a b,{c}[d]*?%20\\é", "x=[1],y=*")
    assert runs_in(spark, place) == (["x=[1],y=*"], ["x=[1],y=*"] * 2)
    (place / "arrivals" / "left.parquet").write_bytes(b"")
    assert runs_in(spark, place) == (["x=[1],y=*"], ["x=[1],y=*"] * 2)


def test_columns_that_a_run_is_a_partition_by_are_columns_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    place = dataset(tmp_path / "flat", "1", "2")
    hive = tmp_path / "hive"
    make_dataset(hive)
    traces = read_traces(spark, [place])
    for table in TABLES:
        df = getattr(traces, table)
        df.write.mode("overwrite").partitionBy("run").parquet(str(hive / table))
    assert runs_in(spark, hive) == (["1", "2"], ["1", "1", "2", "2"])
    assert read_traces(spark, [hive]).arrivals.columns == traces.arrivals.columns


def test_what_is_no_dataset_is_said(spark: SparkSession, tmp_path: Path) -> None:
    def complaint(place: Path) -> str:
        with pytest.raises(UsageError) as caught:
            read_traces(spark, [place])
        return str(caught.value).replace(str(tmp_path), "")

    with pytest.raises(UsageError, match="at least one dataset"):
        read_traces(spark, [])
    assert complaint(tmp_path / "none") == "/none: no such directory"
    (tmp_path / "empty").mkdir()
    assert complaint(tmp_path / "empty") == "/empty is no trace: it has no manifest.json"
    with TraceWriter(tmp_path / "lines") as writer:
        writer.write(ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=1, bytes=4))
    assert complaint(tmp_path / "lines").endswith("as agents write it: `pipeline ingest` it first")
    place = dataset(tmp_path / "older", "a")
    manifest = place / "manifest.json"
    manifest.write_text('{"schema": 0}')
    assert complaint(place) == "/older/manifest.json: schema version 0, not 1"
