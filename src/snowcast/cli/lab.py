"""`snowcast lab`: run scenarios on real nodes, many on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from snowcast.cli.progress import bar
from snowcast.cli.signals import run_until_stopped
from snowcast.cli.statuses import MACHINE, Failure
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.lab.run import LabResult
from snowcast.lab.run import run as run_lab
from snowcast.sim.check import Case

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
    nodes: Annotated[int | None, typer.Option(help="How many nodes at the start, instead.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Which protocol, instead.")] = None,
    messages: Annotated[
        int | None, typer.Option(min=0, help="How many messages, instead: the time is real.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Another value, like cluster.fanout=8."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="On how many processes; else one for 125 nodes.")
    ] = None,
    namespaces: Annotated[
        bool,
        typer.Option(
            "--namespaces",
            help="A process and a network stack for each node, and the scenario's latency, loss "
            "and bandwidth between them. Linux, as root.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Run one scenario on real nodes: TCP and UDP on loopback, the scenario's delays and faults.

    Every node is whole: its own sockets, detector and membership, at an address of its own. The
    traces are what the pipeline reads, as those of the simulator and of agents are. A scenario with
    a sweep is run once for each of its variants, with directories of their own.

    **Examples**

    - `snowcast lab run smoke --out build/lab`
    - `snowcast lab run stable --protocol coloring --seed 7 --out build/lab-coloring`
    - `snowcast lab run smoke --namespaces --set network.loss=0.02 --out build/lab-lossy`
    """
    given = list(settings or ())
    if messages is not None:
        given.append(f"workload.messages={messages}")
    asked = Case(scenario, seed, nodes, protocol, tuple(given))
    name = Path(scenario).stem
    for _, variant, prepared in list(asked.variants()):
        place = out / variant if variant else out
        with bar(f"{name} {variant}".strip()) as advance:
            task = run_lab(
                prepared,
                seed,
                place,
                name=name,
                variant=variant,
                processes=processes,
                in_namespaces=namespaces,
                progress=advance,
            )
            try:
                result = run_until_stopped(task)
            except UsageError:
                raise
            except SnowcastError as error:
                raise Failure(MACHINE, str(error)) from None
        if as_json:
            typer.echo(msgspec.json.encode(result))
        else:
            _print(result, place)


def _print(result: LabResult, out: Path) -> None:
    noun = "process" if result.processes == 1 else "processes"
    typer.echo(
        f"{result.protocol}, {result.nodes} real nodes in {result.processes} {noun}: "
        f"{result.messages} messages, {result.deliveries} deliveries, "
        f"{result.skipped} steps skipped; traces in {out}"
    )
    if result.packets:
        counts = ", ".join(f"{count} {what}" for what, count in result.packets.items())
        typer.echo(f"packets: {counts}")
    if result.lag_ms > LAG_MS_MAX:
        typer.echo(
            f"This machine was late by up to {result.lag_ms:.0f} ms: times measured include that.",
            err=True,
        )
