"""`snowcast pipeline sweep`: a grid of runs, simulated by Spark's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snowcast.cli.progress import bar
from snowcast.cli.sim import KERNEL_FROM
from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session
from snowcast.core.errors import UsageError
from snowcast.sim.check import parse_seeds

if TYPE_CHECKING:
    from snowcast.pipeline.sweep import Swept

NOT_OK = 1


def sweep(
    scenarios: Annotated[
        list[str], typer.Argument(metavar="SCENARIO...", help="Names or files; see `sim list`.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The dataset; it may hold runs.")],
    seeds: Annotated[
        str, typer.Option(metavar="A..B", help="From A on, below B; or one seed.")
    ] = "0..20",
    protocols: Annotated[
        str, typer.Option(metavar="A,B", help="Protocols instead of the scenario's.")
    ] = "",
    nodes: Annotated[str, typer.Option(metavar="N,N", help="Numbers of nodes, likewise.")] = "",
    fanouts: Annotated[str, typer.Option(metavar="K,K", help="Fanouts, likewise.")] = "",
    kernel: Annotated[
        bool | None,
        typer.Option(
            "--kernel/--no-kernel",
            help=f"Compiled, with no full nodes; by itself from {KERNEL_FROM} nodes on.",
        ),
    ] = None,
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Simulate every combination of scenario, protocol, n, k and seed, and what scenarios sweep.

    Runs that DIR has already are not computed again, so an interrupted sweep goes on where it was.
    A run that fails is told with the command that makes it again; the status is 1 if there was one.

    **Examples**

    - `snowcast pipeline sweep stable churn --protocols standard,coloring,gossip --out build/runs`
    - `snowcast pipeline sweep stable --nodes 100,200 --fanouts 2,4 --seeds 0..5 --out build/sizes`
    - `snowcast pipeline sweep stable --nodes 1000000 --seeds 0..2 --out build/huge`
    """
    need_the_extra()
    from snowcast.pipeline.grid import grid
    from snowcast.pipeline.sweep import check_place
    from snowcast.pipeline.sweep import sweep as sweep_cells

    check_place(out)  # a mistake is told before Spark starts
    cells = grid(
        scenarios,
        parse_seeds(seeds),
        protocols=_words(protocols),
        nodes=_numbers("--nodes", nodes),
        fanouts=_numbers("--fanouts", fanouts),
        kernel_from=KERNEL_FROM if kernel is None else 0 if kernel else None,
    )
    with spark_session(master, conf) as spark, bar(f"{len(cells)} runs") as advance:
        swept = sweep_cells(spark, cells, out, advance=advance)
    tell_failures(swept)
    typer.echo(f"{swept.cells} runs in {out}: {swept.computed} {counts(swept)}")
    if swept.failures:
        raise typer.Exit(NOT_OK)


def tell_failures(swept: Swept) -> None:
    """Print each run that failed, with the command that makes it again."""
    for failure in swept.failures:
        typer.echo(f"FAILED: {failure.cell.command}\n  {failure.error}")


def counts(swept: Swept) -> str:
    """What became of the runs, after the number of those computed."""
    there = swept.cells - swept.computed - len(swept.failures)
    return f"computed, {there} there already, {len(swept.failures)} failed"


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(option: str, text: str) -> list[int]:
    try:
        return [int(word) for word in _words(text)]
    except ValueError:
        raise UsageError(f"{option}: expected numbers with commas, not {text!r}") from None
