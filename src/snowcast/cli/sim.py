"""`snowcast sim`: run scenarios on a virtual clock, and hold them to their invariants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from snowcast.cli.progress import bar
from snowcast.core.errors import UsageError
from snowcast.sim import library
from snowcast.sim.check import Case, Verdict, check, parse_seeds
from snowcast.sim.run import RunResult
from snowcast.sim.run import run as run_scenario

NOT_OK = 1
DEFAULT_CHECK = "churn_random"
KERNEL_FROM = 5_000
"""From so many nodes on a node each takes too long, and too much memory for its view."""

app = typer.Typer(help="Run clusters on a virtual clock: same seed, same run.")

_Nodes = Annotated[int | None, typer.Option(help="How many nodes at the start, instead.")]
_Protocol = Annotated[str | None, typer.Option(help="Which protocol, instead.")]
_Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Another value, like cluster.fanout=8."),
]


@app.command("run")
def run(
    scenario: Annotated[str, typer.Argument(help="A name (see `sim list`) or a TOML file.")],
    seed: Annotated[int, typer.Option(min=0, help="What everything random follows from.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write a trace there.")] = None,
    nodes: _Nodes = None,
    protocol: _Protocol = None,
    settings: _Set = None,
    kernel: Annotated[
        bool | None,
        typer.Option(
            "--kernel/--no-kernel",
            help=f"Compiled, with no nodes and no checkers; by itself from {KERNEL_FROM} nodes on.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Run one scenario under one seed, and print what happened and what its checkers say.

    A scenario with a sweep is run once for each of its variants, whose traces are written to
    directories of their own. A key that is given a value here is not swept.
    The status is 1 if an invariant did not hold.

    **Examples**

    - `snowcast sim run smoke`
    - `snowcast sim run breakdown --protocol coloring --seed 7 --out build/breakdown`
    - `snowcast sim run sweep_nodes --set cluster.nodes=300`
    - `snowcast sim run stable --nodes 1000000 --protocol coloring`
    """
    name = Path(scenario).stem
    asked = Case(scenario, seed, nodes, protocol, tuple(settings or ()))
    is_ok = True
    for case, variant, prepared in list(asked.variants()):
        by_kernel = prepared.cluster.nodes >= KERNEL_FROM if kernel is None else kernel
        option = "" if kernel is None else " --kernel" if kernel else " --no-kernel"
        typer.echo(f"seed {seed}: {case.command()}{option}", err=as_json)
        trace = out / variant if out and variant else out
        runner = _run_by_kernel if by_kernel else run_scenario
        with bar(f"{name} {variant}".strip()) as advance:
            result = runner(prepared, seed, name=name, variant=variant, out=trace, progress=advance)
        if as_json:
            typer.echo(msgspec.json.encode(result))
        else:
            _print_kernel(result) if by_kernel else _print(result)
        is_ok = is_ok and (by_kernel or result.is_ok)
    if not is_ok:
        raise typer.Exit(NOT_OK)


@app.command("check")
def check_(
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCENARIO...", help=f"Names or files; else {DEFAULT_CHECK}."),
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="A..B", help="From A on, below B; or one seed.")
    ] = "0..100",
    jobs: Annotated[int, typer.Option(help="How many runs at a time.")] = 2,
    nodes: _Nodes = None,
    protocol: _Protocol = None,
    settings: _Set = None,
) -> None:
    """Run scenarios under many seeds and print each run that broke an invariant, and how to see it.

    The status is 1 if there was one.

    **Examples**

    - `snowcast sim check --seeds 0..2000`
    - `snowcast sim check smoke stable --seeds 0..20 --protocol coloring`
    """
    names = scenarios or [DEFAULT_CHECK]
    cases = [
        msgspec.structs.replace(case, seed=seed)
        for name in names  # a mistake in a file is found before anything runs
        for case, _, _ in Case(name, 0, nodes, protocol, tuple(settings or ())).variants()
        for seed in parse_seeds(seeds)
    ]
    typer.echo(f"seeds {seeds} of {', '.join(names)}: {len(cases)} runs, {jobs} at a time")
    failed = 0
    with bar("checking") as advance:
        for done, verdict in enumerate(check(cases, jobs), start=1):
            advance(done, len(cases))
            if not verdict.is_ok:
                failed += 1
                _print_failure(verdict)
    typer.echo(f"{len(cases)} runs, {failed} failed")
    if failed:
        raise typer.Exit(NOT_OK)


@app.command("list")
def list_() -> None:
    """List the scenarios that can be run by name."""
    known = library.scenarios()
    if not known:
        raise UsageError("no scenarios here: stand in a checkout, or give a file")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, path in known.items():
        table.add_row(name, library.about(path))
    Console().print(table)


def _run_by_kernel(*scenario: Any, **options: Any) -> Any:
    """What few need, and what takes a second to import."""
    try:
        from snowcast.kernels.run import run

        return run(*scenario, **options)
    except (ImportError, UsageError) as error:
        raise UsageError(f"{error} (--no-kernel runs a node each)") from None


def _print_kernel(result: Any) -> None:
    typer.echo(
        f"{result.protocol} by kernel, {result.nodes} nodes: {result.messages} messages, "
        f"{result.deliveries} deliveries, {result.missed} missed by the living"
    )
    typer.echo(
        f"frames: {result.frames} Data, {result.received_bytes} bytes, {result.hops_max} hops "
        f"at most; lost: {result.lost}"
    )
    typer.echo(f"last delivery: {result.last_us / 1e6:g} s after its message, the longest of all")


def _print(result: RunResult) -> None:
    typer.echo(
        f"{result.protocol}, {result.nodes} nodes and {result.joined} that joined: "
        f"{result.ended_us / 1e6:g} s, {result.messages} messages, "
        f"{result.deliveries} deliveries, {result.skipped} steps skipped"
    )
    frames = ", ".join(f"{count} {kind}" for kind, count in result.frames.items())
    lost = ", ".join(f"{count} {why}" for why, count in result.lost.items())
    typer.echo(f"frames: {frames or 'none'}; lost: {lost or 'none'}")
    for outcome in result.outcomes:
        numbers = ", ".join(f"{name} {value:g}" for name, value in outcome.measured.items())
        verdict = "ok" if outcome.is_ok else f"FAILED, {outcome.found} findings"
        if outcome.found and outcome.is_ok:
            verdict = f"{outcome.found} findings, but {result.protocol} does not promise it"
        typer.echo(f"{outcome.name}: {verdict}" + (f" ({numbers})" if numbers else ""))
        for finding in () if outcome.is_ok else outcome.findings:
            typer.echo(f"  {finding}")


def _print_failure(verdict: Verdict) -> None:
    typer.echo(f"FAILED under seed {verdict.case.seed}: {verdict.case.command()}")
    for complaint in verdict.complaints():
        typer.echo(f"  {complaint}")
