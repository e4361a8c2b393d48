"""Many runs at once: the cells of a grid, simulated by Spark tasks, in one dataset.

The grid is a DataFrame with a row for each cell, and each cell is a task of its own: Spark shares
them out as workers become free, counts them, and tries again where a machine is lost. There is no
shuffle whose files could be lost with it. What a task does is in `cells`.

Rules of this file:
- Only missing cells are computed. A cell is there when its row in `runs` is.
- Which rows a cell has follows from the cell alone: not from how many workers there are.
- A cell that fails is told with the command that runs it, and the others go on; even if it takes
  its worker down with it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError
from snowcast.pipeline.cells import SUMMARY, RunCell, cells_task
from snowcast.pipeline.grid import Cell
from snowcast.pipeline.ingest.ingest import CLOCKS
from snowcast.pipeline.progress import Advance, followed, tell_nobody
from snowcast.pipeline.session import settled
from snowcast.pipeline.whole import one_writer
from snowcast.trace.files import TraceError
from snowcast.trace.parquet import DRAFTS, make_dataset, names_of_runs

LOCK = ".lock"
CELL = "run string, scenario string, variant string, seed long, by_kernel boolean, \
content string, command string, code string"
_LOST_TASK = re.compile(r"Task (\d+) in stage [\d.]+ failed")


@dataclass(frozen=True)
class Failure:
    """A cell that could not be computed."""

    cell: Cell
    error: str


@dataclass(frozen=True)
class Swept:
    """What became of the cells of a sweep."""

    cells: int
    computed: int
    """The others were there already, or have failed."""
    failures: tuple[Failure, ...]
    workers: frozenset[str]
    """The processes that did it, as far as they lived to tell."""


def sweep(
    spark: SparkSession,
    cells: Sequence[Cell],
    out: Path,
    *,
    partitions: int | None = None,
    advance: Advance = tell_nobody,
    run_cell: RunCell | None = None,
) -> Swept:
    """Compute the cells that `out` does not have yet.

    `partitions` is for those who want fewer tasks than there are cells. `run_cell` takes the place
    of the simulator.
    """
    out = out.resolve()
    check_place(out)
    try:
        make_dataset(out)
    except TraceError as error:
        raise UsageError(str(error)) from None
    with one_writer(out / LOCK):
        shutil.rmtree(out / DRAFTS, ignore_errors=True)  # of a sweep that was killed
        missing = missing_cells(cells, out)
        failures: list[Failure] = []
        workers: set[str] = set()
        try:
            left = missing
            while left:
                with settled(spark):
                    left = _round(
                        spark, left, out, partitions, advance, run_cell, failures, workers
                    )
        finally:
            shutil.rmtree(out / DRAFTS, ignore_errors=True)
        computed = len(missing) - len(missing_cells(missing, out))
    return Swept(len(cells), computed, tuple(failures), frozenset(workers))


def check_place(out: Path) -> None:
    """UsageError if a dataset is at this place that is not a sweep's to add to.

    Runs of real nodes have clocks, and are told apart from simulated ones by where they are.
    """
    if (out / CLOCKS).is_dir():
        raise UsageError(f"{out} holds ingested traces of real nodes: sweep into another directory")


def missing_cells(cells: Sequence[Cell], out: Path) -> list[Cell]:
    """Those that are not in the dataset; UsageError if it has one of them in another version."""
    there = names_of_runs(out)
    digests = {run: digest for run, _, digest in (name.rpartition(".") for name in there)}
    missing = [cell for cell in cells if cell.name not in there]
    for cell in missing:
        if cell.name.rpartition(".")[0] in digests:
            raise UsageError(
                f"{out} has the run {cell.run} of another version of its scenario, or of snowcast: "
                "take another directory"
            )
    return missing


def cells_frame(spark: SparkSession, cells: Sequence[Cell], partitions: int) -> DataFrame:
    """A row for each cell, and a partition for each, if there are as many; found by number."""
    rows = [(number, *msgspec.structs.astuple(cell)) for number, cell in enumerate(cells)]
    grid = spark.createDataFrame(rows, f"number long, {CELL}")
    numbers = spark.range(0, len(cells), 1, partitions).select(F.col("id").alias("number"))
    return numbers.join(F.broadcast(grid), "number", "inner")


def _round(
    spark: SparkSession,
    cells: list[Cell],
    out: Path,
    partitions: int | None,
    advance: Advance,
    run_cell: RunCell | None,
    failures: list[Failure],
    workers: set[str],
) -> list[Cell]:
    """Compute these cells, or, if one takes its worker along, those before it; return the rest."""
    tasks = min(partitions or len(cells), len(cells))
    told = cells_frame(spark, cells, tasks).mapInArrow(cells_task(out, run_cell), SUMMARY)
    try:
        with followed(spark, advance, tasks):
            summaries = told.collect()
    except (PySparkException, Py4JError) as error:
        lost = _LOST_TASK.search(str(error))
        if lost is None or tasks < len(cells):
            raise
        failed = cells[int(lost[1])]
        failures.append(Failure(failed, "it took its worker down, or ran out of memory"))
        return [cell for cell in missing_cells(cells, out) if cell is not failed]
    workers.update(row.worker for row in summaries)
    failures.extend(Failure(cells[row.number], row.error) for row in summaries if row.error)
    return []
