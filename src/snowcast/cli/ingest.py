"""`snowcast pipeline ingest`: from the raw traces of agents to a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snowcast.cli.progress import bar
from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session

if TYPE_CHECKING:
    from snowcast.pipeline.ingest.ingest import Ingested


def ingest(
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Traces in JSON lines, or what has some below it."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new directory, for the dataset.")],
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Make a dataset of raw traces, as agents and `sim run --out` write them.

    Lines may come twice, in any order, and from machines whose clocks disagree: each row is taken
    once, and times are set right by the probes between the nodes. Lines that cannot be taken are
    set aside in DIR/rejects, with the place where they stood and the reason.
    The dataset is there when it is whole, and not before.

    **Examples**

    - `snowcast pipeline ingest /var/lib/snowcast/trace --out build/runs`
    - `snowcast pipeline ingest build/host1 build/host2 --out build/runs`
    """
    need_the_extra()
    from snowcast.pipeline.ingest.ingest import ingest as ingest_sources
    from snowcast.pipeline.ingest.sources import find_sources
    from snowcast.pipeline.whole import check_free

    sources = find_sources(traces)  # a mistake is told before Spark starts
    check_free(out)
    with spark_session(master, conf) as spark, bar("ingest") as advance:
        told = ingest_sources(spark, sources, out, advance)
    _print(told, out)


def _print(told: Ingested, out: Path) -> None:
    typer.echo(
        f"{told.lines} lines in {told.files} files: {sum(told.rows.values())} rows in {out}, "
        f"{told.duplicates} duplicates, {told.rejected} rejects"
    )
    typer.echo(f"{told.rows['runs']} runs; the clocks of {told.clocks} nodes are set right")
    for (table, reason), count in sorted(told.rejects.items()):
        typer.echo(f"rejected: {count} of {table or 'unknown tables'}: {reason}")
