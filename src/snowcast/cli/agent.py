"""`snowcast agent`: run a node by itself, until it is told to leave."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snowcast.cli.files import write_out

if TYPE_CHECKING:
    from snowcast.agent.sources import Given

NODE, CLUSTER, SECURITY, WATCHING = "This node", "The cluster", "Security", "Control and watching"

_Text = str | None


def _option(flag: str, about: str, panel: str, metavar: str = "TEXT") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        flag, help=about, metavar=metavar, rich_help_panel=panel, show_default=False
    )
    return option


def agent(
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", envvar="SNOWCAST_CONFIG", metavar="FILE", help="Settings, as TOML."
        ),
    ] = None,
    name: Annotated[_Text, _option("--name", "What it is called. [default: host]", NODE)] = None,
    tag: Annotated[
        list[str] | None, _option("--tag", "Repeatable.", NODE, metavar="KEY=VALUE")
    ] = None,
    bind: Annotated[
        _Text, _option("--bind", "Where to listen, TCP and UDP.", NODE, "HOST:PORT")
    ] = None,
    advertise: Annotated[
        _Text, _option("--advertise", "Where others reach it, if not there.", NODE, "HOST[:PORT]")
    ] = None,
    seed: Annotated[
        list[str] | None,
        _option("--seed", "A member to join through. Repeatable.", NODE, metavar="HOST:PORT"),
    ] = None,
    snapshot: Annotated[
        _Text, _option("--snapshot", "Remember members there across restarts.", NODE, "FILE")
    ] = None,
    linger: Annotated[
        _Text, _option("--linger", "How long to forward after a leave.", NODE, "SECONDS")
    ] = None,
    cluster: Annotated[
        _Text, _option("--cluster", "The name that keeps clusters apart.", CLUSTER)
    ] = None,
    fanout: Annotated[
        _Text, _option("--fanout", "Children a node sends to; even.", CLUSTER, "K")
    ] = None,
    protocol: Annotated[
        _Text, _option("--protocol", "How messages spread by default.", CLUSTER, "NAME")
    ] = None,
    certificate: Annotated[
        _Text, _option("--certificate", "TLS for streams: its own.", SECURITY, "FILE")
    ] = None,
    private_key: Annotated[
        _Text, _option("--private-key", "TLS for streams: the key of it.", SECURITY, "FILE")
    ] = None,
    authority: Annotated[
        _Text, _option("--authority", "TLS for streams: whom all trust.", SECURITY, "FILE")
    ] = None,
    keys_file: Annotated[
        _Text, _option("--keys-file", "Keys of datagrams; kept up to date.", SECURITY, "FILE")
    ] = None,
    control_socket: Annotated[
        _Text, _option("--control-socket", "The control API's Unix socket.", WATCHING, "FILE")
    ] = None,
    control_bind: Annotated[
        _Text, _option("--control-bind", "The control API on a port.", WATCHING, "HOST:PORT")
    ] = None,
    token_file: Annotated[
        _Text, _option("--token-file", "The token of that port.", WATCHING, "FILE")
    ] = None,
    metrics_bind: Annotated[
        _Text, _option("--metrics-bind", "Metrics and health on a port.", WATCHING, "HOST:PORT")
    ] = None,
    log_level: Annotated[
        _Text, _option("--log-level", "debug, info, warning or error.", WATCHING, "LEVEL")
    ] = None,
    log_format: Annotated[
        _Text, _option("--log-format", "text or json.", WATCHING, "FORMAT")
    ] = None,
    trace: Annotated[
        _Text, _option("--trace", "Append a trace below this directory.", WATCHING, "DIR")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any setting. Repeatable."),
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Print all settings, with their sources, and exit."),
    ] = False,
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

    flags = {
        "node.name": ("--name", name),
        "node.tags": ("--tag", tag),
        "node.bind": ("--bind", bind),
        "node.advertise": ("--advertise", advertise),
        "node.seeds": ("--seed", seed),
        "node.snapshot": ("--snapshot", snapshot),
        "node.linger": ("--linger", linger),
        "cluster.name": ("--cluster", cluster),
        "cluster.fanout": ("--fanout", fanout),
        "cluster.protocol": ("--protocol", protocol),
        "security.certificate": ("--certificate", certificate),
        "security.private_key": ("--private-key", private_key),
        "security.authority": ("--authority", authority),
        "security.keys_file": ("--keys-file", keys_file),
        "control.socket": ("--control-socket", control_socket),
        "control.bind": ("--control-bind", control_bind),
        "control.token_file": ("--token-file", token_file),
        "metrics.bind": ("--metrics-bind", metrics_bind),
        "log.level": ("--log-level", log_level),
        "log.format": ("--log-format", log_format),
        "trace.directory": ("--trace", trace),
    }
    given = sources.set_flags(set_ or []) | _given(flags)
    loaded = sources.load(config, os.environ, given)
    if print_config:
        write_out(sources.to_toml(loaded))
        return 0
    from snowcast.agent.agent import run

    return run(loaded.settings, lambda: sources.load(config, os.environ, given).settings)


def _given(flags: dict[str, tuple[str, str | list[str] | None]]) -> dict[str, Given]:
    """The flags that were there; one that can be repeated is a list."""
    from snowcast.agent.sources import Given

    return {
        path: Given(value, flag)
        for path, (flag, value) in flags.items()
        if value is not None and value != []
    }
