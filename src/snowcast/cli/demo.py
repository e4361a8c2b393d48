"""`snowcast demo`: a cluster of real nodes, a story, and what it comes to in numbers."""

from __future__ import annotations

import os
import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from snowcast.cli.signals import run_until_stopped
from snowcast.cli.spark import need_the_extra
from snowcast.cli.statuses import MACHINE, Failure
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.demo.keeper import Keeper
from snowcast.demo.play import play
from snowcast.demo.results import REPORT, TRACES, measure, simulate_acts, table

PACE_MIN = 0.1


def demo(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where traces, tables and the page go.")
    ] = Path("build/demo"),
    pace: Annotated[
        float, typer.Option(min=PACE_MIN, help="How long to look at each scene; 1 is usual.")
    ] = 1.0,
    with_pipeline: Annotated[
        bool,
        typer.Option("--pipeline/--no-pipeline", help="Whether to measure it all, on Spark."),
    ] = True,
) -> None:
    """Boot 60 real nodes, and watch broadcasts, a silent death, a repair, a join and a leave.

    Then the traces go through the pipeline beside those of the same story simulated, and the table
    and the place of the page are printed. It takes less than three minutes. Everything is on this
    machine; an interrupt leaves nothing behind. What an earlier demo left in DIR is replaced.

    **Examples**

    - `snowcast demo`
    - `snowcast demo --no-pipeline --pace 2`
    """
    if with_pipeline:  # a mistake is told before the story begins
        need_the_extra()
        if find_spec("matplotlib") is None:
            raise UsageError("the report needs matplotlib: pip install 'snowcast[report]'")
    _check_free(out)
    console = Console()
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    begun_s = time.monotonic()
    try:
        with Keeper(draft) as keeper:
            run_until_stopped(play(draft / TRACES, console, pace))
            if with_pipeline:
                _measure(draft, console)
            shutil.rmtree(out, ignore_errors=True)
            draft.rename(out)
            keeper.release()
    except UsageError:
        raise
    except SnowcastError as error:
        raise Failure(MACHINE, str(error)) from None
    if with_pipeline:
        console.print(table(out))
        page = (out / REPORT / "index.html").resolve()
        typer.echo(f"\nThe page, to play the broadcasts again: {page.as_uri()}")
    typer.echo(f"Traces in {out / TRACES}; all in {time.monotonic() - begun_s:.0f} s.")


def _measure(draft: Path, console: Console) -> None:
    """Say what is done, for it takes a while."""
    begun_s = time.monotonic()

    def step(text: str) -> None:
        at_s = time.monotonic() - begun_s
        console.print(f"{at_s:6.1f} s  {text}", highlight=False)

    console.print("\nWhat was that in numbers?\n", style="bold")
    step("The same story on simulated nodes.")
    simulate_acts(draft)
    measure(draft, step)
    console.print()


def _check_free(out: Path) -> None:
    """Only a demo may be replaced by a demo."""
    if out.exists() and any(out.iterdir()) and not (out / TRACES / "process-0").is_dir():
        raise UsageError(f"{out}: not empty, and no demo: give a directory of its own")
