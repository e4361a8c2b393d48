"""A sweep: all cells, each whole, the same whoever computes them, and failures that sink nobody."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.cli.main import main
from snowcast.core.errors import UsageError
from snowcast.pipeline.cells import simulate
from snowcast.pipeline.grid import Cell, grid
from snowcast.pipeline.reading import read_traces
from snowcast.pipeline.sweep import missing_cells, sweep
from snowcast.pipeline.whole import one_writer
from snowcast.trace.parquet import DRAFTS, RunWriter, names_of_runs, writing
from support.datasets import content, runs_of

SLOW_CELLS = 40
SMALL = """\
quiet_s = 2
[cluster]
nodes = 8
[network]
latency = "uniform"
latency_ms = [1, 40]
[workload]
messages = 3
origin = "random"
mode = "protocol"
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A scenario that takes no time."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


@pytest.fixture
def cells(small: str) -> list[Cell]:
    """Six cells of it."""
    return grid([small], range(3), protocols=["standard", "coloring"])


def alone(cells: list[Cell], directory: Path) -> Path:
    """What the cells are without Spark."""
    for cell in cells:
        with writing(directory, cell.name) as writer:
            simulate(cell, writer)
    return directory


def test_each_cell_is_what_a_run_alone_gives_whatever_the_partitioning(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    wanted = content(alone(cells, tmp_path / "alone"))
    assert len(wanted["runs"]) == len(cells)
    assert len(wanted["arrivals"]) > 300
    for partitions in (1, 2, None):
        out = tmp_path / str(partitions)
        swept = sweep(spark, cells, out, partitions=partitions)
        assert (swept.cells, swept.computed, swept.failures) == (6, 6, ())
        assert content(out) == wanted


def test_the_dataset_can_be_read_as_traces(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    sweep(spark, cells, tmp_path / "out")
    runs = read_traces(spark, [tmp_path / "out"]).runs.collect()
    assert sorted(row.run for row in runs) == sorted(cell.run for cell in cells)
    assert {(row.scenario, row.variant, row.nodes, row.fanout) for row in runs} == {
        ("small", None, 8, 4)
    }


def test_only_missing_cells_are_computed(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert sweep(spark, cells[:2], out).computed == 2
    before = {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    (out / "runs" / f"{cells[1].name}.parquet").unlink()
    assert sweep(spark, cells, out).computed == 5
    kept = out / "runs" / f"{cells[0].name}.parquet"
    assert kept.stat().st_mtime_ns == before[kept]
    assert content(out) == content(alone(cells, tmp_path / "alone"))
    swept = sweep(spark, cells, out)
    assert (swept.computed, swept.workers) == (0, frozenset())


def test_a_failing_cell_is_told_and_the_others_go_on(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    bad = cells[2].run

    def run_cell(cell: Cell, writer: RunWriter) -> None:
        if cell.run == bad:
            simulate(cell, writer)
            raise ValueError("out of luck")
        simulate(cell, writer)

    swept = sweep(spark, cells, tmp_path / "out", run_cell=run_cell)
    (failure,) = swept.failures
    assert failure.cell == cells[2]
    assert failure.error.startswith("ValueError: out of luck (test_sweep.py:")
    assert swept.computed == 5
    assert bad not in runs_of(tmp_path / "out")
    assert sweep(spark, cells, tmp_path / "out").computed == 1


def test_a_cell_that_takes_its_worker_down_sinks_no_other(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    bad = {cells[0].run, cells[3].run}

    def run_cell(cell: Cell, writer: RunWriter) -> None:
        if cell.run in bad:
            os._exit(9)
        simulate(cell, writer)

    swept = sweep(spark, cells, tmp_path / "out", run_cell=run_cell)
    assert {failure.cell.run for failure in swept.failures} == bad
    assert {failure.error for failure in swept.failures} == {
        "it took its worker down, or ran out of memory"
    }
    assert swept.computed == 4
    assert not (tmp_path / "out" / DRAFTS).exists()


def test_a_scenario_that_has_changed_since_is_refused(
    spark: SparkSession, cells: list[Cell], small: str, tmp_path: Path
) -> None:
    sweep(spark, cells[:1], tmp_path / "out")
    Path(small).write_text(SMALL.replace("messages = 3", "messages = 4"))
    changed = grid([small], range(2))
    with pytest.raises(UsageError, match="small-standard-n8-k4-s0 of another version"):
        sweep(spark, changed, tmp_path / "out")
    assert missing_cells(changed[1:], tmp_path / "out") == changed[1:]


def test_no_run_is_added_to_those_of_real_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "real"
    (out / "clocks").mkdir(parents=True)
    assert main(["pipeline", "sweep", "smoke", "--seeds", "1", "--out", str(out)]) == 2
    told = f"{out} holds ingested traces of real nodes: sweep into another directory"
    assert capsys.readouterr().err == f"snowcast pipeline sweep: {told}\n"
    assert [path.name for path in out.iterdir()] == ["clocks"]


def test_two_sweeps_do_not_write_to_one_place(
    spark: SparkSession, cells: list[Cell], tmp_path: Path
) -> None:
    sweep(spark, cells[:1], tmp_path)
    with one_writer(tmp_path / ".lock"), pytest.raises(UsageError, match="somebody is writing"):
        sweep(spark, cells, tmp_path)
    assert sweep(spark, cells, tmp_path).computed == 5


def test_progress_is_told_by_cells(spark: SparkSession, cells: list[Cell], tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    told: list[tuple[int, int]] = []

    def advance(done: int, total: int) -> None:
        told.append((done, total))
        if done >= len(cells) - 1:
            gate.touch()

    last, path = cells[-1].run, str(gate)

    def run_cell(cell: Cell, writer: RunWriter) -> None:
        while cell.run == last and not Path(path).exists():
            time.sleep(0.01)
        simulate(cell, writer)

    sweep(spark, cells, tmp_path / "out", run_cell=run_cell, advance=advance)
    assert {total for _, total in told} == {6}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert (5, 6) in told


class Command:
    """`snowcast pipeline sweep` as a process of its own, of a scenario that takes a while."""

    def __init__(self, directory: Path) -> None:
        self.scenario = directory / "slow.toml"
        self.scenario.write_text(SMALL.replace("nodes = 8", "nodes = 100"))
        self.out = directory / "out"
        words = ["pipeline", "sweep", str(self.scenario), "--out", str(self.out)]
        self.words = [*words, "--seeds", f"0..{SLOW_CELLS}"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "snowcast", *self.words, "--master", "local[2]"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_for_a_cell(self) -> None:
        while not ((self.out / "runs").is_dir() and names_of_runs(self.out)):
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.02)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send it a signal; its status and all it has said."""
        self.process.send_signal(number)
        told, _ = self.process.communicate(timeout=120)
        return self.process.returncode, told


def test_a_sweep_that_was_killed_goes_on_where_it_was(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Command(tmp_path)
    command.wait_for_a_cell()
    assert command.end(signal.SIGKILL) == (-signal.SIGKILL, "")
    done = len(runs_of(command.out))
    assert 0 < done < SLOW_CELLS

    assert main([*command.words]) == 0
    assert f"{SLOW_CELLS} runs in {command.out}: " in capsys.readouterr().out
    cells = grid([str(command.scenario)], range(SLOW_CELLS))
    assert names_of_runs(command.out) == {cell.name for cell in cells}
    assert not (command.out / DRAFTS).exists()
    some = cells[::10]
    wanted = content(alone(some, tmp_path / "alone"))
    for table, rows in content(command.out).items():
        runs = {cell.run for cell in some}
        assert [row for row in rows if row["run"] in runs] == wanted[table]


def test_a_sweep_that_is_told_to_stop_stops_and_leaves_whole_cells(tmp_path: Path) -> None:
    command = Command(tmp_path)
    command.wait_for_a_cell()
    assert command.end(signal.SIGTERM) == (128 + signal.SIGTERM, "")
    found = content(command.out)
    runs = [row["run"] for row in found["runs"]]
    assert 0 < len(runs) < SLOW_CELLS
    assert {row["run"] for row in found["arrivals"]} == set(runs)


def test_the_command_tells_what_failed_and_how_to_see_it(
    spark: SparkSession,
    small: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    words = ["pipeline", "sweep", small, "--out", str(out), "--seeds", "0..2", "--nodes", "5"]
    (out / DRAFTS).mkdir(parents=True)
    assert main([*words, "--protocols", "standard,coloring"]) == 0
    assert capsys.readouterr().out == (f"4 runs in {out}: 4 computed, 0 there already, 0 failed\n")
    # A folder in the place of a file: this cell cannot be written.
    (cell,) = grid([small], [7], nodes=[5])
    (out / "runs" / f"{cell.name}.parquet" / "x").mkdir(parents=True)
    monkeypatch.setattr("snowcast.pipeline.sweep.names_of_runs", lambda out: set())
    assert main([*words[:5], "--seeds", "7", "--nodes", "5"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"FAILED: snowcast sim run {small} --seed 7 --nodes 5 --no-kernel"
    assert told[1].startswith("  IsADirectoryError: ")
    assert told[2] == f"1 runs in {out}: 0 computed, 0 there already, 1 failed"
    assert main(shlex.split(told[0])[2:]) == 0
