"""`broadcast` and `listen`: say something to all members, and hear what they say."""

from __future__ import annotations

import sys
from base64 import b64decode
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from snowcast.cli.asking import (
    AsJson,
    TokenFile,
    Where,
    agent,
    say,
    say_json,
    shown,
    some,
    tags_text,
)
from snowcast.cli.files import read_in
from snowcast.cli.statuses import NO
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode


class What(StrEnum):
    """What to listen to."""

    MESSAGES = "messages"
    EVENTS = "events"


def broadcast(
    payload: Annotated[
        str | None, typer.Argument(help="What to say; `-`, or nothing, reads it from stdin.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="What to say, as it is.")
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="One tree, or two. [default: as the agent is set up]"),
    ] = None,
    reliable: Annotated[
        bool, typer.Option("--reliable", "-r", help="Wait until all have confirmed it.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="With --reliable: at most so long.")
    ] = None,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Send a message to every other member.

    With `--reliable` the receipt names who has not confirmed it, and the status is 1 if there is
    anybody.

    **Examples**

    - `snowcast broadcast "reload the cache" --reliable`
    - `snowcast broadcast --file config.json --mode coloring`
    - `date | snowcast broadcast -r --json | jq -r '.receipt.missing[]'`
    """
    if timeout is not None and not reliable:
        raise UsageError("--timeout is for --reliable: a plain message waits for nothing")
    body = _payload(payload, file)
    with agent(where, token_file) as client:
        answer = client.post("/v1/broadcast", body, mode=mode, reliable=reliable, timeout=timeout)
    if as_json:
        say_json(answer)
    elif answer["receipt"] is None:
        say(f"sent {answer['payload_bytes']} bytes to all; --reliable tells whether they have it")
    else:
        say_receipt(answer["receipt"], "have it")
    if answer["receipt"] is not None and not answer["receipt"]["is_complete"]:
        raise typer.Exit(NO)


def listen(
    what: Annotated[
        list[What] | None, typer.Argument(help="Messages, events, or both. [default: messages]")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-n", min=1, help="End after so many.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line, each with its `kind`.")
    ] = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Print what other members broadcast, or what becomes of members, as it happens.

    Says so on stderr once it listens. If this terminal is too slow, the oldest are left out, and a
    line says how many. Ends when the agent leaves, or with ctrl-C.

    **Examples**

    - `snowcast listen`
    - `snowcast listen events --json`
    - `snowcast listen --count 1` waits for the next message
    """
    from snowcast.cli.merging import merged

    wanted = list(dict.fromkeys(what or [What.MESSAGES]))
    with agent(where, token_file) as client:
        seen = 0
        for kind, event in merged({kind: client.stream(f"/v1/{kind}") for kind in wanted}):
            if event is None:
                typer.echo(f"listening to {kind}", err=True)
                continue
            if event.name == "end":
                continue
            _say_event(event.name, event.data, as_json)
            seen += event.name in ("message", "event")
            if count is not None and seen >= count:
                return
        typer.echo("the agent has left", err=True)


def say_receipt(receipt: dict[str, Any], what: str) -> None:
    """A receipt, for people."""
    missing = len(receipt["missing"]) + receipt["unnamed"]
    of = receipt["delivered"] + missing
    attempts = f", {receipt['attempts']} attempts" if receipt["attempts"] > 1 else ""
    say(f"{receipt['delivered']} of {of} {what}, after {_seconds(receipt['elapsed_s'])}{attempts}")
    if missing:
        unnamed = f" and {receipt['unnamed']} more" if receipt["unnamed"] else ""
        say(f"missing: {some(receipt['missing'])}{unnamed}")


def _payload(payload: str | None, file: Path | None) -> bytes:
    if file is not None:
        if payload is not None:
            raise UsageError("either a payload or --file, not both")
        try:
            return read_in(file)
        except UsageError as error:
            raise UsageError(f"{file}: {error}") from None
    if payload not in (None, "-"):
        return str(payload).encode()
    if sys.stdin is None:
        raise UsageError("there is no stdin to read: give a payload")
    if payload is None and sys.stdin.isatty():
        raise UsageError("what to say? Give a payload, --file, or pipe it in")
    return sys.stdin.buffer.read()


def _say_event(name: str, data: dict[str, Any], as_json: bool) -> None:
    if as_json:
        import json

        line = json.dumps({"kind": name, **data}, ensure_ascii=False)
    elif name == "lagged":
        line = f"... too slow: {data['missed']} left out"
    elif name == "message":
        line = f"{shown(data['sender'])}: {_text(data)}"
    else:
        line = _event_text(data)
    typer.echo(line)
    sys.stdout.flush()


def _text(message: dict[str, Any]) -> str:
    if message["text"] is not None:
        return shown(message["text"].removesuffix("\n"))
    return f"{len(b64decode(message['base64']))} bytes that are no text"


def _event_text(event: dict[str, Any]) -> str:
    if event["event"] == "let_in":
        return "let in: this node is a member"
    if event["event"] == "queue_full":
        return f"{event['peer']} reads too slowly: {event['frames']} frames went round it"
    member = event["member"]
    tags = f" {shown(tags_text(member['tags']))}" if member["tags"] else ""
    return f"{event['event']}: {shown(member['name'])} at {member['address']}{tags}"


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
