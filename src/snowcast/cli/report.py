"""`snowcast report`: tables and figures from the tables of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from snowcast.report.comparison import Entry
from snowcast.report.numbers import TITLES, published, with_interval
from snowcast.report.paper import SETTINGS
from snowcast.report.protocols import look


def report(
    metrics: Annotated[Path, typer.Argument(metavar="DIR", help="Tables of metrics.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Write the report there.")],
    real: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Tables from real nodes, to stand beside.")
    ] = None,
) -> None:
    """Draw the paper's table and figures from the tables that `snowcast pipeline metrics` made.

    **Examples**

    - `snowcast report build/metrics --out build/report`
    - `snowcast report build/metrics --real build/lab-metrics --out build/report`
    """
    from snowcast.report.build import build

    made = build(metrics, out, real)
    print_table(made.entries)
    typer.echo(f"{len(made.figures)} figures and the page: {made.page}")


def print_table(entries: Iterable[Entry]) -> None:
    """The paper's table on the terminal; nothing if none of its scenarios was run."""
    entries = list(entries)
    if not entries:
        return
    has_real = any(entry.real for entry in entries)
    table = Table(box=None, pad_edge=False)
    for name in ("setting", "protocol", "metric"):
        table.add_column(name)
    for name in ("paper", "simulated", *(["real"] if has_real else [])):
        table.add_column(name, justify="right")
    for entry in entries:
        if entry.simulated is None and entry.real is None:
            continue
        cells = [
            SETTINGS[entry.setting].title,
            look(entry.protocol).title,
            TITLES[entry.metric],
            published(entry.paper),
            with_interval(entry.metric, entry.simulated),
        ]
        if has_real:
            cells.append(with_interval(entry.metric, entry.real))
        table.add_row(*cells)
    Console().print(table)
