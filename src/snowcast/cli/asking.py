"""What the commands share that ask an agent: which one, how it fails, and how answers are written.

Rules of this file:
- It starts fast: an agent's own code is not loaded to ask one.
- What comes from others is never written raw to a terminal: a name could hold control characters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import typer

from snowcast.agent.client import Client, NoAgent, Refused, token_in
from snowcast.agent.places import default_socket
from snowcast.cli.statuses import NO, NO_AGENT, REFUSED, USAGE, Failure

AGENT_PANEL = "Which agent"
ENDS: dict[int, int] = {
    HTTPStatus.BAD_REQUEST: USAGE,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: USAGE,
    HTTPStatus.NOT_FOUND: NO,
    HTTPStatus.GATEWAY_TIMEOUT: NO,
}
"""How a command ends that the agent answers with this; with any other refusal, REFUSED."""

Where = Annotated[
    str | None,
    typer.Option(
        "--agent",
        "-a",
        envvar="SNOWCAST_AGENT",
        metavar="WHERE",
        help="Its socket, or http://host:port. [default: this user's agent]",
        rich_help_panel=AGENT_PANEL,
        show_default=False,
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        envvar="SNOWCAST_TOKEN_FILE",
        metavar="FILE",
        help="The token, where the agent listens on a port.",
        rich_help_panel=AGENT_PANEL,
    ),
]
COLOURS = {"suspect": "yellow", "evicted": "red", "left": "bright_black"}
AsJson = Annotated[bool, typer.Option("--json", help="Write the answer as JSON.")]


@contextmanager
def agent(where: str | None, token_file: Path | None) -> Iterator[Client]:
    """The agent that was asked for; what it says no to ends the command with its status."""
    token = token_in(token_file) if token_file is not None else ""
    try:
        yield Client(where or default_socket(), token)
    except NoAgent as error:
        raise Failure(NO_AGENT, str(error)) from None
    except Refused as error:
        raise Failure(ENDS.get(error.status, REFUSED), str(error)) from None


def say(text: str = "") -> None:
    """Write a line."""
    typer.echo(text)


def say_json(value: Any) -> None:
    """Write an answer as JSON, for people where people read it."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows in columns, as wide as what is in them; on a terminal states have colours."""
    lines = [list(titles), *([shown(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for number, line in enumerate(lines):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        cells[-1] = cells[-1].rstrip()
        if number == 0:
            say(coloured("  ".join(cells), bold=True))
        else:
            say("  ".join(coloured(cell, fg=COLOURS.get(cell.strip())) for cell in cells).rstrip())


def coloured(text: str, **style: Any) -> str:
    """Text in a colour, where people look and want colours. Elsewhere `say` takes it away."""
    is_plain = "NO_COLOR" in os.environ or not any(style.values())
    return text if is_plain else typer.style(text, **style)


def shown(value: object) -> str:
    """Text that does nothing to a terminal, whatever is in it."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(value))


def some(names: Sequence[str], most: int = 20) -> str:
    """Names in a line, but not any number of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more


def tags_text(tags: dict[str, str]) -> str:
    """`zone=a,rack=7`."""
    return ",".join(f"{key}={value}" for key, value in tags.items())
