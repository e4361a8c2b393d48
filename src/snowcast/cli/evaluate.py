"""`snowcast evaluate`: the paper's evaluation in one command, from scenarios to the report.

    OUT/runs      the traces of all runs
    OUT/metrics   the tables of metrics
    OUT/report    figures, tables and the page

Rules of this file:
- What is there is not made again, as long as the same code would make it of the same: runs that
  were computed, by the quick evaluation too, and metrics of just these runs. Runs of other code
  are refused, and other metrics are computed again.
- Kernels are used where they are exact: where views are equal and nobody comes or goes.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from snowcast.cli.progress import bar
from snowcast.cli.report import print_table
from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session
from snowcast.cli.statuses import NO
from snowcast.cli.sweep import counts, tell_failures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from snowcast.pipeline.grid import Cell


MADE_OF = "made_of.json"
"""Beside the tables of metrics: what they were made of."""


class Part(NamedTuple):
    """Scenarios that are run with the same protocols under the same seeds, from 0 on."""

    scenarios: tuple[str, ...]
    protocols: tuple[str, ...]
    seeds: int
    by_kernel: bool = False
    nodes: tuple[int, ...] = ()
    """Numbers of nodes; those of the scenario, if none are given."""


SNOW = ("standard", "coloring")
COMPILED = (*SNOW, "gossip")
PLUMTREES = ("plumtree", "plumtree-paper")
OTHERS = ("flooding", "static-tree")
TABLE = ("stable", "churn", "breakdown")
SWEEPS = ("sweep_nodes", "sweep_fanout")

FULL = (
    # What takes longest comes first: tasks are begun in this order.
    Part(("sweep_nodes",), PLUMTREES, 2, nodes=(1500, 1200, 900, 500, 100)),
    Part(("sweep_fanout",), PLUMTREES, 2),
    Part(TABLE, (*COMPILED, *PLUMTREES), 10),
    Part(TABLE, OTHERS, 3),
    Part((*SWEEPS, "undetected"), ("gossip",), 3, by_kernel=True),
    Part(("stragglers",), ("gossip",), 5, by_kernel=True),
    Part((*SWEEPS, "stragglers", "undetected"), SNOW, 10, by_kernel=True),
    Part(("repair",), SNOW, 1),
)
QUICK = (
    Part(TABLE, PLUMTREES, 1),
    Part(TABLE, COMPILED, 2),
    Part((*SWEEPS, "stragglers", "undetected"), SNOW, 1, by_kernel=True),
    Part(("sweep_nodes",), ("gossip",), 1, by_kernel=True, nodes=(100, 500, 1000, 1500)),
    Part(("sweep_fanout",), ("gossip",), 1, by_kernel=True),
    Part(("repair",), SNOW, 1),
)
"""All of it is part of FULL, so that nothing of it is lost for those who go on to that."""


def evaluate(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where all of it goes; it may be there.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Few seeds: minutes, and no intervals.")
    ] = False,
    real: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Tables from real nodes, to stand beside.")
    ] = None,
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Repeat the paper's evaluation: simulate all its scenarios, compute metrics, draw the report.

    An evaluation that was interrupted goes on where it was, and one that was quick can be made
    full in the same directory. A run that fails is told with the command that makes it again; the
    status is 1 if there was one.

    **Examples**

    - `snowcast evaluate --quick --out build/evaluation`
    - `snowcast evaluate --out build/evaluation --real build/lab-metrics`
    """
    need_the_extra()
    from snowcast.report.build import build
    from snowcast.report.measured import open_measured
    from snowcast.report.whole import check_free

    if real is not None:  # a mistake is told before hours of work
        open_measured(real)
    check_free(out / "report")
    with spark_session(master, conf) as spark:
        failed = _runs(spark, cells_of(QUICK if quick else FULL), out / "runs")
        _metrics(spark, out / "runs", out / "metrics")
    with _timed("report"):
        made = build(out / "metrics", out / "report", real)
    print_table(made.entries)
    typer.echo(f"{len(made.figures)} figures and the page: {made.page}")
    if failed:
        raise typer.Exit(NO)


def cells_of(parts: Sequence[Part]) -> list[Cell]:
    """Every run of these parts."""
    from snowcast.pipeline.grid import grid

    return [
        cell
        for part in parts
        for cell in grid(
            part.scenarios,
            range(part.seeds),
            protocols=part.protocols,
            nodes=part.nodes,
            kernel_from=0 if part.by_kernel else None,
        )
    ]


def _runs(spark: SparkSession, cells: list[Cell], place: Path) -> int:
    """Compute the runs that are missing; return how many have failed."""
    from snowcast.pipeline.sweep import sweep

    with _timed(f"{len(cells)} runs"), bar(f"{len(cells)} runs") as advance:
        swept = sweep(spark, cells, place, advance=advance)
    tell_failures(swept)
    typer.echo(f"{swept.computed} runs {counts(swept)}")
    return len(swept.failures)


def _metrics(spark: SparkSession, runs: Path, place: Path) -> None:
    """Compute the metrics, unless they are there and of just these runs."""
    from snowcast.pipeline.measure import write_metrics
    from snowcast.pipeline.reading import read_traces

    wanted = made_of(runs)
    if is_current(place, wanted):
        typer.echo("metrics: there already")
        return
    shutil.rmtree(place, ignore_errors=True)
    with _timed("metrics"), bar("metrics") as advance:
        write_metrics(spark, read_traces(spark, [runs]), place, advance)
    # Last, so that metrics without it were not finished here.
    (place / MADE_OF).write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")


def made_of(runs: Path) -> dict[str, Any]:
    """What metrics of these runs follow from: the names of the runs' files, and the code.

    A run never changes under its name, which has a digest of all that it follows from.
    """
    from snowcast.pipeline.package import MEASURING, digest_of
    from snowcast.trace.parquet import names_of_runs

    return {"code": digest_of(MEASURING), "runs": sorted(names_of_runs(runs))}


def is_current(metrics: Path, wanted: dict[str, Any]) -> bool:
    """Whether the metrics were made of just this."""
    there = metrics / MADE_OF
    return there.is_file() and json.loads(there.read_text(encoding="utf-8")) == wanted


@contextmanager
def _timed(what: str) -> Iterator[None]:
    """Tell how long a step took."""
    typer.echo(f"{what} ...")
    begun = time.monotonic()
    yield
    minutes, seconds = divmod(round(time.monotonic() - begun), 60)
    typer.echo(f"{what}: {minutes} min {seconds:02d} s")
