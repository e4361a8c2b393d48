"""Runs as Parquet: whole or not there, typed as the schema says, readable by any tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snowcast.trace import parquet
from snowcast.trace.files import MANIFEST, TraceError
from snowcast.trace.parquet import (
    DRAFTS,
    arrow_schema,
    make_dataset,
    names_of_runs,
    writing,
)
from snowcast.trace.schema import TABLES, ArrivalRow, MessageRow, Row, RunRow


def run_row(run: str = "r") -> RunRow:
    return RunRow(
        run=run, protocol="snow", scenario="s", fanout=4, config="{}", version="1", is_virtual=True
    )


def arrival(at_us: int, **more: Any) -> ArrivalRow:
    return ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=at_us, bytes=4, **more)


def read(directory: Path, table: str, name: str = "r") -> list[Row]:
    """The rows of one file, as they were handed in."""
    rows = pq.read_table(directory / table / f"{name}.parquet", partitioning=None).to_pylist()
    return [
        msgspec.convert({k: v for k, v in row.items() if v is not None}, TABLES[table])
        for row in rows
    ]


def files(directory: Path) -> list[str]:
    """What is there, drafts included."""
    found = [path for path in directory.rglob("*") if path.is_file() and path.name != MANIFEST]
    return sorted(path.relative_to(directory).as_posix() for path in found)


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    rows: list[Row] = [
        arrival(1),
        arrival(2, message="m", hop=1, tree=0, first=True),
        MessageRow(
            run="r", message="m", origin="a", at_us=1, payload_bytes=5, mode="coloring",
            reliable=False,
        ),
        run_row(),
    ]  # fmt: skip
    with writing(tmp_path, "r") as writer:
        for row in rows:
            writer.write(row)
    assert read(tmp_path, "arrivals") == rows[:2]
    assert read(tmp_path, "messages") == [rows[2]]
    assert read(tmp_path, "runs") == [rows[3]]
    assert writer.counts == {"runs": 1, "nodes": 0, "messages": 1, "arrivals": 2, "probes": 0}
    assert files(tmp_path) == ["arrivals/r.parquet", "messages/r.parquet", "runs/r.parquet"]


def test_files_have_exactly_the_columns_of_the_schema(tmp_path: Path) -> None:
    with writing(tmp_path, "r") as writer:
        writer.write(arrival(1))
        writer.write(run_row())
    for table in ("arrivals", "runs"):
        found = pq.read_schema(tmp_path / table / "r.parquet")
        assert found.equals(arrow_schema(TABLES[table]))


def test_many_rows_are_written_in_groups_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS_A_GROUP", 10)
    with writing(tmp_path, "r") as writer:
        for number in range(25):
            writer.write(arrival(number))
        writer.write(run_row())
    file = pq.ParquetFile(tmp_path / "arrivals" / "r.parquet")
    assert file.num_row_groups == 3
    assert file.read()["at_us"].to_pylist() == list(range(25))


def test_columns_can_be_given_as_arrays(tmp_path: Path) -> None:
    names = pa.array(["a", "b"])
    with writing(tmp_path, "r") as writer:
        writer.write(arrival(1))
        writer.write_columns(
            ArrivalRow,
            {
                "run": ["r", "r"],
                "node": pa.DictionaryArray.from_arrays(pa.array([0, 1]), names),
                "sender": pa.DictionaryArray.from_arrays(pa.array([1, 0]), names),
                "kind": ["data", "data"],
                "at_us": np.array([2, 3], np.int64),
                "bytes": np.array([4, 5], np.int32),
                "hop": np.array([1, 2], np.int8),
                "tree": None,
                "first": np.array([True, False]),
            },
        )
        writer.write(run_row())
    more = {"run": "r", "kind": "data"}
    assert read(tmp_path, "arrivals") == [
        arrival(1),
        ArrivalRow(**more, node="a", sender="b", at_us=2, bytes=4, hop=1, first=True),
        ArrivalRow(**more, node="b", sender="a", at_us=3, bytes=5, hop=2, first=False),
    ]


def test_a_null_where_there_must_be_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowInvalid, match="null"), writing(tmp_path, "r") as writer:
        writer.write_columns(ArrivalRow, {"run": ["r"], "node": ["a"]})
    assert files(tmp_path) == []


def test_a_run_that_fails_leaves_nothing_and_what_was_there_stays(tmp_path: Path) -> None:
    def attempt() -> None:
        with writing(tmp_path, "r") as writer:
            writer.write(arrival(1))
            writer.write(run_row())
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError):
        attempt()
    assert files(tmp_path) == []
    with writing(tmp_path, "r") as writer:
        writer.write(run_row())
    with pytest.raises(RuntimeError):
        attempt()
    assert files(tmp_path) == ["runs/r.parquet"]


def test_until_the_run_is_whole_no_file_of_it_can_be_seen(tmp_path: Path) -> None:
    with writing(tmp_path, "r") as writer:
        writer.write(arrival(1))
        writer.write(run_row())
        writer.close()
        assert {Path(path).parts[0] for path in files(tmp_path)} == {DRAFTS}


def test_the_file_of_runs_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []
    replace = Path.replace

    def noted(self: Path, target: Path) -> Path:
        moved.append(target.parent.name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    with writing(tmp_path, "r") as writer:
        writer.write(run_row())
        writer.write(arrival(1))
    assert moved == ["arrivals", "runs"]


def test_a_run_written_again_replaces_the_old_one_and_all_of_it(tmp_path: Path) -> None:
    with writing(tmp_path, "r") as writer:
        writer.write(arrival(1))
        writer.write(run_row())
    with writing(tmp_path, "r") as writer:
        writer.write(run_row())
    assert files(tmp_path) == ["runs/r.parquet"]


def test_a_run_without_its_row_is_a_mistake_of_the_writer(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="0 rows of runs"), writing(tmp_path, "r"):
        pass
    assert files(tmp_path) == []


def test_a_dataset_is_made_once_and_refused_in_another_version(tmp_path: Path) -> None:
    make_dataset(tmp_path / "new")
    make_dataset(tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted([MANIFEST, *TABLES])
    (tmp_path / "new" / MANIFEST).write_text('{"schema": 2}')
    with pytest.raises(TraceError, match="schema version 2"):
        make_dataset(tmp_path / "new")


def test_runs_are_known_by_the_names_of_their_files(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    for name in ("a=1,b.c=2", "other"):
        with writing(tmp_path, name) as writer:
            writer.write(run_row())
            writer.write(arrival(1))
    (tmp_path / "runs" / "other.parquet").unlink()
    (tmp_path / "runs" / "_SUCCESS").touch()
    assert names_of_runs(tmp_path) == {"a=1,b.c=2"}
    assert names_of_runs(tmp_path, "arrivals") == {"a=1,b.c=2", "other"}
