"""A task and its cells: rows to Parquet, one row of summary to Spark, whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from snowcast.pipeline.cells import SUMMARY, cells_task, simulate
from snowcast.pipeline.grid import Cell, grid
from snowcast.trace.parquet import DRAFTS, RunWriter, writing
from support.datasets import content, rows_of, runs_of

SMALL = """\
protocol = "coloring"
quiet_s = 1
[cluster]
nodes = 9
[workload]
messages = 3
"""


@pytest.fixture
def cells(tmp_path: Path) -> list[Cell]:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return grid([str(path)], range(3))


def batches(cells: list[Cell]) -> Iterator[pa.RecordBatch]:
    """The cells as Spark hands them to a task, two at a time."""
    rows = [{"number": n, **msgspec.to_builtins(cell)} for n, cell in enumerate(cells)]
    for at in range(0, len(rows), 2):
        yield pa.RecordBatch.from_pylist(rows[at : at + 2])


def told(*found: pa.RecordBatch) -> list[dict[str, Any]]:
    return [row for batch in found for row in batch.to_pylist()]


def test_every_cell_is_a_run_and_a_row_of_summary(cells: list[Cell], tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = told(*cells_task(out)(batches(cells)))
    names = [column.split()[0] for column in SUMMARY.split(", ")]
    assert [list(row) for row in found] == [names] * 3
    assert [row["number"] for row in found] == [0, 1, 2]
    assert {row["error"] for row in found} == {""}
    assert {row["worker"].rpartition(":")[2] for row in found} == {str(os.getpid())}
    assert runs_of(out) == sorted(cell.run for cell in cells)
    assert sum([row["rows"] for row in found]) == sum(map(len, content(out).values()))


def test_a_cell_that_fails_leaves_nothing_and_says_where(cells: list[Cell], tmp_path: Path) -> None:
    def run_cell(cell: Cell, writer: RunWriter) -> None:
        simulate(cell, writer)
        if cell == cells[1]:
            raise ValueError("out of luck")

    found = told(*cells_task(tmp_path, run_cell)(batches(cells)))
    errors = [row["error"] for row in found]
    assert [errors[0], errors[2]] == ["", ""]
    assert errors[1].startswith("ValueError: out of luck (test_cells.py:")
    assert errors[1].endswith(" in run_cell)")
    assert runs_of(tmp_path) == [cells[0].run, cells[2].run]
    assert list((tmp_path / DRAFTS).iterdir()) == []


def test_a_cell_done_twice_is_there_once(cells: list[Cell], tmp_path: Path) -> None:
    list(cells_task(tmp_path / "once")(batches(cells)))
    list(cells_task(tmp_path / "twice")(batches([*cells, *cells])))
    for path in sorted((tmp_path / "once").rglob("*.parquet")):
        other = tmp_path / "twice" / path.relative_to(tmp_path / "once")
        assert other.read_bytes() == path.read_bytes()


def test_a_kernel_writes_the_arrivals_that_nodes_would(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    frames = {}
    for name, kernel_from in (("nodes", None), ("kernel", 1)):
        (cell,) = grid([str(path)], [4], kernel_from=kernel_from)
        with writing(tmp_path / name, cell.name) as writer:
            simulate(cell, writer)
        frames[name] = [
            [row[key] for key in ("run", "message", "sender", "node", "tree", "hop", "bytes")]
            for row in rows_of(tmp_path / name, "arrivals")
            if row["kind"] == "data"
        ]
    assert sorted(frames["kernel"]) == sorted(frames["nodes"])
    assert len(frames["kernel"]) == 3 * 2 * 8
