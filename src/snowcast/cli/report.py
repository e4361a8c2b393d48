"""`snowcast report`: tables and figures from the tables of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from snowcast.report.comparison import NOT_IN_PAPER, Entry
from snowcast.report.numbers import number, published
from snowcast.report.paper import SETTINGS
from snowcast.report.protocols import look

HEADS = {
    "ldt_first_to_last_ms": "LDT ms",
    "rmr_bytes": "RMR",
    "reliability": "reach",
    "reliability_live": "of live",
}
SOURCES = {"paper": "paper", "simulated": "sim.", "real": "real"}
"""Short names, and not all: a terminal is narrow."""

WIDTH_MIN = 110


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
    """The paper's table on the terminal, without intervals; nothing if none of it was run."""
    entries = list(entries)
    sources = ["paper", "simulated", *(["real"] if any(entry.real for entry in entries) else [])]
    console = Console()
    console.width = max(console.width, WIDTH_MIN)  # a number cut off would be another number
    for name, setting in SETTINGS.items():
        rows = [entry for entry in entries if entry.setting == name]
        if rows:
            console.print(_table(setting.title, rows, sources))
            console.print()


def _table(title: str, rows: list[Entry], sources: list[str]) -> Table:
    table = Table(
        box=None,
        pad_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
        padding=(0, 1, 0, 0),
    )
    table.add_column("protocol", no_wrap=True)
    columns = [
        (metric, source)
        for metric in HEADS
        for source in sources
        if not (source == "paper" and metric in NOT_IN_PAPER)
    ]
    for metric, source in columns:
        table.add_column(f"{HEADS[metric]}\n{SOURCES[source]}", justify="right")
    for protocol in dict.fromkeys(entry.protocol for entry in rows):
        mine = {entry.metric: entry for entry in rows if entry.protocol == protocol}
        cells = [_cell(mine[metric], source) for metric, source in columns]
        table.add_row(look(protocol).title, *cells)
    return table


def _cell(entry: Entry, source: str) -> str:
    if source == "paper":
        return published(entry.paper)
    found = entry.simulated if source == "simulated" else entry.real
    return number(entry.metric, found.mean if found else None)
