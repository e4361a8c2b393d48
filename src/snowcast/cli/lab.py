"""`snowcast lab`: run scenarios on real nodes, many on one machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from snowcast.cli.progress import bar
from snowcast.cli.signals import stopped_by_sigterm
from snowcast.lab.run import LabResult
from snowcast.lab.run import run as run_lab
from snowcast.sim.library import find
from snowcast.sim.scenario import load

app = typer.Typer(help="Run scenarios on real nodes: hundreds on one machine.")

LAG_MS_MAX = 50.0


@app.callback()
def lab() -> None:
    """Run scenarios on real nodes: hundreds on one machine."""


@app.command("run")
def run(
    scenario: Annotated[str, typer.Argument(help="A name (see `sim list`) or a TOML file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Write the traces there.")],
    seed: Annotated[int, typer.Option(min=0, help="What everything random follows from.")] = 0,
    protocol: Annotated[str | None, typer.Option(help="Which protocol, instead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="How many nodes at the start.")] = None,
    messages: Annotated[int | None, typer.Option(min=0, help="How many messages.")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="On how many processes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Run one scenario on real nodes: TCP and UDP on loopback, the scenario's delays and faults.

    Every node is whole: its own sockets, detector and membership, at an address of its own. The
    traces are what the pipeline reads, as those of the simulator and of agents are.

    **Examples**

    - `snowcast lab run smoke --out build/lab`
    - `snowcast lab run stable --protocol coloring --seed 7 --out build/lab-coloring`
    """
    path = find(scenario)
    prepared = load(path).with_(nodes, protocol)
    if messages is not None:
        workload = msgspec.structs.replace(prepared.workload, messages=messages)
        prepared = msgspec.structs.replace(prepared, workload=workload)
    with stopped_by_sigterm(), bar(path.stem) as advance:
        task = run_lab(prepared, seed, out, name=path.stem, processes=processes, progress=advance)
        result = asyncio.run(task)
    if as_json:
        typer.echo(msgspec.json.encode(result))
    else:
        _print(result, out)


def _print(result: LabResult, out: Path) -> None:
    typer.echo(
        f"{result.protocol}, {result.nodes} real nodes in {result.processes} processes: "
        f"{result.messages} messages, {result.deliveries} deliveries, "
        f"{result.skipped} steps skipped; traces in {out}"
    )
    if result.lag_ms > LAG_MS_MAX:
        typer.echo(
            f"This machine was late by up to {result.lag_ms:.0f} ms: times measured include that.",
            err=True,
        )
