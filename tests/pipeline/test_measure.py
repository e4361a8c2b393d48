"""All tables of metrics, written as a whole or not at all; and the command that does it."""

from __future__ import annotations

from pathlib import Path
from threading import current_thread, main_thread

import pyarrow.dataset as ds
import pytest
from pyspark.sql import DataFrame, SparkSession

from snowcast.cli.main import main
from snowcast.core.errors import UsageError
from snowcast.pipeline.measure import PASSING, metrics, write_metrics
from snowcast.pipeline.metric_tables import METRIC_TABLES, SUMMARY_METRICS
from snowcast.pipeline.reading import read_traces
from snowcast.trace.parquet import make_dataset, writing
from support import metric_twins
from support.trace_rows import Trace, control, data, dicts, message, node, random_traces, run

SEEDS = range(6)


def dataset(directory: Path, *traces: Trace) -> Path:
    """Runs as a sweep writes them."""
    make_dataset(directory)
    for one in traces:
        with writing(directory, one.runs[0].run) as writer:
            for row in (*one.nodes, *one.messages, *one.arrivals, *one.runs):
                writer.write(row)
    return directory


def some() -> Trace:
    """A message from a to b and c."""
    names = [f"10.0.0.{number}:7000" for number in (1, 2, 3)]
    a, b, c = names
    first = [data(b, 3_000, sender=a), data(c, 5_000, sender=b, hop=2)]
    acks = [control("ack", a, 9_000, b, message="m", complete=True, tree=0)]
    return Trace([run()], [node(name) for name in names], [message(origin=a)], [*first, *acks])


def test_every_table_is_written_with_the_columns_of_its_contract(
    spark: SparkSession, tmp_path: Path
) -> None:
    place = dataset(tmp_path / "runs", some(), *random_traces(SEEDS))
    told: list[tuple[int, int]] = []
    write_metrics(spark, read_traces(spark, [place]), tmp_path / "out", lambda *at: told.append(at))
    assert sorted([path.name for path in (tmp_path / "out").iterdir()]) == sorted(METRIC_TABLES)
    for name, table in METRIC_TABLES.items():
        found = spark.read.parquet(str(tmp_path / "out" / name))
        assert found.dtypes == [(column.name, column.type) for column in table.columns]
        nulls = {column.name for column in table.columns if column.is_nullable}
        for row in dicts(found):
            assert {key for key, value in row.items() if value is None} <= nulls, row
    whole = 100 * (len(METRIC_TABLES) + len(PASSING))
    assert told[-1] == (whole, whole)
    assert told == sorted(told)


def test_tables_that_others_are_made_from_are_kept_first(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept: list[str] = []

    def keep(name: str, rows: DataFrame) -> DataFrame:
        kept.append(name)
        return spark.createDataFrame(rows.toArrow())

    found = metrics(read_traces(spark, [dataset(tmp_path, some())]), keep)
    assert list(found) == list(METRIC_TABLES)
    assert sorted(kept) == sorted([*PASSING, *METRIC_TABLES])
    (row,) = dicts(found["run_metrics"])
    twin = metric_twins.runs(some())
    assert {name: row[name] for name in twin} == pytest.approx(twin)
    told = {row["metric"]: row["mean"] for row in dicts(found["summary"])}
    wanted = {name: twin[name] for name in SUMMARY_METRICS if twin[name] is not None}
    assert told == pytest.approx(wanted)
    assert [frame["receiver"] for frame in dicts(found["broadcast_frames"])] == [1, 2]


def test_a_failure_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    def advance(done: int, total: int) -> None:
        if done >= total / 2 and current_thread() is main_thread():
            raise ZeroDivisionError

    traces = read_traces(spark, [dataset(tmp_path / "runs", some())])
    with pytest.raises(ZeroDivisionError):
        write_metrics(spark, traces, tmp_path / "out", advance)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_dataset_without_a_run_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    traces = read_traces(spark, [dataset(tmp_path / "runs")])
    with pytest.raises(UsageError, match="there is no whole run"):
        write_metrics(spark, traces, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_computes_the_same_of_several_datasets(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = random_traces(SEEDS)
    one, other = dataset(tmp_path / "1", *traces[:3]), dataset(tmp_path / "2", *traces[3:])
    out = tmp_path / "out"
    assert main(["pipeline", "metrics", str(one), str(other), "--out", str(out)]) == 0
    assert capsys.readouterr() == (f"{len(METRIC_TABLES)} tables in {out}\n", "")
    rows = ds.dataset(out / "run_metrics", format="parquet").to_table().to_pylist()
    found = {row["run"]: row for row in rows}
    for trace in traces:
        twin = metric_twins.runs(trace)
        row = found[trace.runs[0].run]
        assert {name: row[name] for name in twin} == pytest.approx(twin)


def test_runs_in_two_datasets_and_no_run_at_all_are_mistakes_too(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = dataset(tmp_path / "one", some()), dataset(tmp_path / "other", some())
    none = dataset(tmp_path / "none")
    out = ["--out", str(tmp_path / "out")]
    assert main(["pipeline", "metrics", str(one), str(other), *out]) == 2
    assert "more than one of the datasets has the run r" in capsys.readouterr().err
    assert main(["pipeline", "metrics", str(none), *out]) == 2
    assert "there is no whole run in these datasets" in capsys.readouterr().err
