"""`snowcast pipeline watch`: the metrics of a cluster as it runs, on the terminal and on disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session
from snowcast.core.errors import UsageError

if TYPE_CHECKING:
    from snowcast.pipeline.watch.watch import Batch, Show

SHOWN = 15
DEFAULT_BAND = "reliability_live=0.999..1"
REAL_TIME_US = 10**15
"""Later than this are times since 1970; earlier ones are since the start of a simulation."""

COLUMNS = {
    "messages": "{:,}",
    "reliability": "{:.4f}",
    "reliability_live": "{:.4f}",
    "ldt_ms": "{:,.1f}",
    "ldt_max_ms": "{:,.1f}",
    "rmr_bytes": "{:,.1f}",
    "redundancy": "{:.2f}",
    "control_bytes": "{:,}",
}


def watch(
    traces: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Traces that grow, or what is above.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Windows and alerts; started again, it goes on.")
    ],
    window_s: Annotated[float, typer.Option(help="How long a window is.")] = 10.0,
    wait_s: Annotated[
        float, typer.Option(help="How late a row may come, by the latest time told.")
    ] = 10.0,
    band: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=LOW..HIGH", help=f"Alert outside it; repeatable; else {DEFAULT_BAND}."
        ),
    ] = None,
    every_s: Annotated[float, typer.Option(help="How often to look for new rows.")] = 2.0,
    once: Annotated[bool, typer.Option(help="Read what is there, and end.")] = False,
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Follow the traces of running agents: reliability, delivery times and bytes by window.

    A window is closed, and counts for good, when some node has told of a time `--wait-s` later than
    its end; rows that come after that are counted as late. Killed and started again with the same
    DIR it goes on where it was, and counts every message once.
    DIR/windows and DIR/alerts are Parquet.

    **Examples**

    - `snowcast pipeline watch /var/lib/snowcast/trace --out build/watch`
    - `snowcast pipeline watch build/trace --out build/watch --band ldt_ms=0..500 --once`
    """
    need_the_extra()
    from snowcast.pipeline.ingest.sources import find_sources
    from snowcast.pipeline.watch.bands import parse_band
    from snowcast.pipeline.watch.watch import asked
    from snowcast.pipeline.watch.watch import watch as follow

    bands = [parse_band(text) for text in (band if band is not None else [DEFAULT_BAND])]
    what = asked(traces, window_s, wait_s, bands)
    if every_s <= 0:
        raise UsageError("--every-s must be above 0")
    for place in traces:  # a mistake is told before Spark starts
        if once or not place.is_dir() or any(place.iterdir()):
            find_sources([place], are_growing=True)
    with spark_session(master, conf) as spark, _shown() as show:
        follow(spark, what, out, show, every_s=every_s, once=once)


@contextmanager
def _shown() -> Iterator[Show]:
    """A table that is kept up to date; where there is no terminal, lines."""
    console = Console()
    if not console.is_terminal:
        yield _tell
        return
    screen = Screen()
    with Live(screen.picture(), console=console, auto_refresh=False) as live:

        def show(batch: Batch) -> None:
            screen.take(batch)
            live.update(screen.picture(), refresh=True)

        yield show


class Screen:
    """The last windows and alerts, and the counts."""

    def __init__(self) -> None:
        self._windows: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._alerts: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._state = "waiting for rows"

    def take(self, batch: Batch) -> None:
        """A batch is done."""
        self._windows.extend(batch.windows)
        self._alerts.extend(batch.alerts)
        self._state = counted(batch)

    def picture(self) -> Group:
        """What is to be seen now."""
        out = {(row["run"], row["starts_us"], row["metric"]) for row in self._alerts}
        table = Table(box=None, pad_edge=False)
        table.add_column("window")
        table.add_column("run")
        for name in COLUMNS:
            table.add_column(name, justify="right")
        for row in self._windows:
            key = row["run"], row["starts_us"]
            cells = [
                f"[bold red]{_cell(row, name)}[/]" if (*key, name) in out else _cell(row, name)
                for name in COLUMNS
            ]
            table.add_row(clock(row["starts_us"]), escape(row["run"]), *cells)
        return Group(table, *[Text(alarm(row), "red") for row in self._alerts], self._state)


def counted(batch: Batch) -> str:
    """What has been counted since the beginning, in a line."""
    counts = batch.counts
    return (
        f"{counts.messages:,} messages in {counts.windows:,} windows; {counts.rows:,} rows, "
        f"{counts.late:,} late, {counts.rejects:,} rejects; {counts.alerts:,} alerts"
    )


def alarm(row: dict[str, Any]) -> str:
    """An alert, in a line."""
    return (
        f"ALERT {clock(row['starts_us'])} {row['run']}: {row['metric']} is {row['value']:g}, "
        f"not from {row['low']:g} to {row['high']:g}"
    )


def clock(at_us: int) -> str:
    """A time of day in UTC, or seconds since the start of a simulation."""
    if at_us < REAL_TIME_US:
        return f"{at_us / 1_000_000:g} s"
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).strftime("%H:%M:%S")


def _cell(row: dict[str, Any], name: str) -> str:
    return "-" if row[name] is None else COLUMNS[name].format(row[name])


def _tell(batch: Batch) -> None:
    for row in batch.windows:
        values = ", ".join(f"{name} {_cell(row, name)}" for name in COLUMNS)
        typer.echo(f"{clock(row['starts_us'])} {row['run']}: {values}")
    for row in batch.alerts:
        typer.echo(alarm(row))
    typer.echo(counted(batch))
