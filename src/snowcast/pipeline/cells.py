"""What a Spark task does with the cells it is given: simulate each, and write its Parquet itself.

Rows go from Python to a file. They would have to cross to the JVM twice to be written by Spark,
at a third of the speed; to Spark goes one row of summary for each cell.

Rules of this file:
- It runs on executors, where there may be nothing of ours but this package.
- Two tasks may be at one cell, when Spark tries again. Both write the same bytes.
"""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from snowcast.pipeline.grid import Cell
from snowcast.sim.run import record
from snowcast.trace.parquet import RunWriter, writing
from snowcast.trace.schema import ArrivalRow

if TYPE_CHECKING:
    from snowcast.kernels.results import Arrivals

SUMMARY = "number long, error string, rows long, seconds double, worker string"
"""What a task tells of a cell, as Spark's schema; `error` is empty if all went well."""

_COLUMNS = pa.schema(
    [
        pa.field("number", pa.int64()),
        pa.field("error", pa.string()),
        pa.field("rows", pa.int64()),
        pa.field("seconds", pa.float64()),
        pa.field("worker", pa.string()),
    ]
)

RunCell = Callable[[Cell, RunWriter], None]
Batches = Iterator[pa.RecordBatch]


def cells_task(directory: Path, run_cell: RunCell | None = None) -> Callable[[Batches], Batches]:
    """The function for `mapInArrow`: cells in, summaries out, and a run in `directory` for each."""
    return partial(_run_all, str(directory), run_cell or simulate)


def simulate(cell: Cell, writer: RunWriter) -> None:
    """Run a cell, on full nodes or by kernel, and write its rows."""
    scenario, name, variant = cell.load(), cell.scenario, cell.variant
    if not cell.by_kernel:
        record(scenario, cell.seed, writer.write, name=name, variant=variant, label=cell.run)
        return
    from snowcast.kernels.run import record as record_by_kernel  # Numba is slow to load

    record_by_kernel(
        scenario,
        cell.seed,
        writer.write,
        partial(_write_arrivals, writer, cell.run),
        name=name,
        variant=variant,
        label=cell.run,
    )


def _write_arrivals(
    writer: RunWriter, run: str, message: str, arrivals: Arrivals, names: Sequence[str]
) -> None:
    """The arrivals of a message, in columns as the kernels have them."""
    addresses = pa.array(names)
    content = {
        "run": _constant(run, len(arrivals)),
        "message": _constant(message, len(arrivals)),
        "node": addresses.take(pa.array(arrivals.node)),
        "sender": addresses.take(pa.array(arrivals.sender)),
        "kind": _constant("data", len(arrivals)),
        "at_us": arrivals.at_us,
        "bytes": arrivals.bytes,
        "hop": arrivals.hop,
        "tree": arrivals.tree,
        "first": arrivals.first,
    }
    writer.write_columns(ArrivalRow, content)


def _constant(text: str, length: int) -> pa.Array:
    return pa.repeat(pa.scalar(text), length)


def _run_all(directory: str, run_cell: RunCell, batches: Batches) -> Batches:
    for batch in batches:
        for row in batch.to_pylist():
            number = row.pop("number")
            summary = _run_one(Path(directory), run_cell, msgspec.convert(row, Cell))
            yield pa.RecordBatch.from_pylist([{"number": number, **summary}], _COLUMNS)


def _run_one(directory: Path, run_cell: RunCell, cell: Cell) -> dict[str, object]:
    begun, error, rows = time.perf_counter(), "", 0
    try:
        with writing(directory, cell.name) as writer:
            run_cell(cell, writer)
        rows = sum(writer.counts.values())
    except Exception as broken:  # a cell that fails must not sink the others
        last = traceback.extract_tb(broken.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
        error = f"{type(broken).__name__}: {broken} ({where})"
    return {
        "error": error,
        "rows": rows,
        "seconds": time.perf_counter() - begun,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
    }
