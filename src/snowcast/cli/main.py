"""The `snowcast` command. Wiring only: each command group has a file of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

from snowcast import __version__


@contextmanager
def _the_extra() -> Iterator[None]:
    """Say what to install where what draws the command line is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("click", "rich", "typer"):
            raise
        message = "snowcast: the command line is an extra: pip install 'snowcast[cli]'"
        print(message, file=sys.stderr)
        raise SystemExit(2) from None


with _the_extra():
    import typer

    from snowcast.cli import errors, lazy, statuses

COMMANDS = {
    "agent": "snowcast.cli.agent:agent",
    "members": "snowcast.cli.members:members",
    "info": "snowcast.cli.members:info",
    "broadcast": "snowcast.cli.messages:broadcast",
    "listen": "snowcast.cli.messages:listen",
    "status": "snowcast.cli.cluster:status",
    "reachability": "snowcast.cli.cluster:reachability",
    "who-disagrees": "snowcast.cli.cluster:who_disagrees",
    "keys": "snowcast.cli.keys:app",
    "tags": "snowcast.cli.members:tags",
    "force-leave": "snowcast.cli.members:force_leave",
    "reload": "snowcast.cli.cluster:reload",
    "leave": "snowcast.cli.cluster:leave",
    "plan": "snowcast.cli.plan:plan",
    "sim": "snowcast.cli.sim:app",
    "lab": "snowcast.cli.lab:app",
    "demo": "snowcast.cli.demo:demo",
    "pipeline": "snowcast.cli.pipeline:app",
    "report": "snowcast.cli.report:report",
    "evaluate": "snowcast.cli.evaluate:evaluate",
}
"""Where each command is found, in the order of the help. It is loaded when it is asked for."""

app = typer.Typer(
    cls=lazy.group(COMMANDS),
    help="Snow, a self-organizing broadcast protocol for clusters.",
    epilog=statuses.help_text(),
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `snowcast` with these arguments, or the process's own; return the exit status."""
    with _the_extra():
        return errors.run(app, sys.argv[1:] if argv is None else argv)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"snowcast {__version__}")
        raise typer.Exit


@app.callback()
def _snowcast(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Tell the version and exit."
        ),
    ] = False,
) -> None:
    pass
