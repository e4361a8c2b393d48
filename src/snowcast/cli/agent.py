"""`snowcast agent`: run a node by itself, until it is told to leave.

Each flag is a row of a table: its name, the setting that it sets, and what it says of itself.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from snowcast.cli.files import write_out

if TYPE_CHECKING:
    from snowcast.agent.sources import Given

NODE, CLUSTER, SECURITY, WATCHING = "This node", "The cluster", "Security", "Control and watching"


class Flag(NamedTuple):
    """A flag that sets one setting."""

    name: str
    path: str
    about: str
    panel: str
    metavar: str = "TEXT"
    is_repeatable: bool = False

    @property
    def parameter(self) -> str:
        """What it is called among the arguments of a function."""
        return self.name.removeprefix("--").replace("-", "_")


FLAGS = (
    Flag("--name", "node.name", "What it is called. [default: host]", NODE),
    Flag("--tag", "node.tags", "Repeatable.", NODE, "KEY=VALUE", True),
    Flag("--bind", "node.bind", "Where to listen, TCP and UDP.", NODE, "HOST:PORT"),
    Flag(
        "--advertise", "node.advertise", "Where others reach it, if not there.", NODE, "HOST[:PORT]"
    ),
    Flag("--seed", "node.seeds", "A member to join through. Repeatable.", NODE, "HOST:PORT", True),
    Flag("--snapshot", "node.snapshot", "Remember members there across restarts.", NODE, "FILE"),
    Flag("--linger", "node.linger", "How long to forward after a leave.", NODE, "SECONDS"),
    Flag("--cluster", "cluster.name", "The name that keeps clusters apart.", CLUSTER),
    Flag("--fanout", "cluster.fanout", "Children a node sends to; even.", CLUSTER, "K"),
    Flag("--protocol", "cluster.protocol", "How messages spread by default.", CLUSTER, "NAME"),
    Flag("--certificate", "security.certificate", "TLS for streams: its own.", SECURITY, "FILE"),
    Flag(
        "--private-key", "security.private_key", "TLS for streams: the key of it.", SECURITY, "FILE"
    ),
    Flag("--authority", "security.authority", "TLS for streams: whom all trust.", SECURITY, "FILE"),
    Flag(
        "--keys-file", "security.keys_file", "Keys of datagrams; kept up to date.", SECURITY, "FILE"
    ),
    Flag("--control-socket", "control.socket", "The control API's Unix socket.", WATCHING, "FILE"),
    Flag("--control-bind", "control.bind", "The control API on a port.", WATCHING, "HOST:PORT"),
    Flag("--token-file", "control.token_file", "The token of that port.", WATCHING, "FILE"),
    Flag("--metrics-bind", "metrics.bind", "Metrics and health on a port.", WATCHING, "HOST:PORT"),
    Flag("--log-level", "log.level", "debug, info, warning or error.", WATCHING, "LEVEL"),
    Flag("--log-format", "log.format", "text or json.", WATCHING, "FORMAT"),
    Flag("--trace", "trace.directory", "Append a trace below this directory.", WATCHING, "DIR"),
)


def agent(
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", envvar="SNOWCAST_CONFIG", metavar="FILE", help="Settings, as TOML."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any setting. Repeatable."),
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Print all settings, with their sources, and exit."),
    ] = False,
    **flags: str | list[str] | None,
) -> int:
    """Run a node of a cluster, until it is told to leave.

    Settings come from flags, from the environment (`SNOWCAST_NODE_BIND` is `node.bind`), from a
    file and from the defaults, in this order. A first SIGTERM or SIGINT makes the agent leave, a
    second one stops it at once. SIGHUP makes it read its certificates, tags and log settings anew.

    **Examples**

    - `snowcast agent --name a` begins a cluster on this machine
    - `snowcast agent --name b --bind 127.0.0.1:7947 --seed 127.0.0.1:7946 --control-socket b.sock`
    - `snowcast agent --config agent.toml --print-config` shows what would be run

    **Exit statuses**: 0 after a leave, 1 if it could not listen, 2 if a setting is wrong, 128 and
    the number of the signal if it was stopped before it had left.
    """
    from snowcast.agent import sources

    given = sources.set_flags(set_ or []) | _given(flags)
    loaded = sources.load(config, os.environ, given)
    if print_config:
        write_out(sources.to_toml(loaded))
        return 0
    from snowcast.agent.agent import run

    return run(loaded.settings, lambda: sources.load(config, os.environ, given).settings)


def _given(values: dict[str, str | list[str] | None]) -> dict[str, Given]:
    """The flags that were there, as settings; one that can be repeated is a list."""
    from snowcast.agent.sources import Given

    found = {}
    for flag in FLAGS:
        value = values.get(flag.parameter)
        if value is not None and value != []:
            found[flag.path] = Given(value, flag.name)
    return found


def _spell_out(function: Callable[..., Any]) -> None:
    """Give a function that takes `**flags` a parameter for each flag, as typer reads them."""
    parameters = dict(inspect.signature(function, eval_str=True).parameters)
    first, *rest = [one for one in parameters.values() if one.kind is not one.VAR_KEYWORD]
    spelt = [
        inspect.Parameter(
            flag.parameter,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                list[str] | None if flag.is_repeatable else str | None,
                typer.Option(
                    flag.name,
                    help=flag.about,
                    metavar=flag.metavar,
                    rich_help_panel=flag.panel,
                    show_default=False,
                ),
            ],
        )
        for flag in FLAGS
    ]
    rest = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in rest]
    every = [first, *spelt, *rest]
    function.__dict__["__signature__"] = inspect.Signature(every, return_annotation=int)
    function.__annotations__ = {one.name: one.annotation for one in every} | {"return": int}


_spell_out(agent)
