"""`snowcast keys`: the keys of the whole cluster's datagrams."""

from __future__ import annotations

import sys
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
    table,
)
from snowcast.cli.files import read_in
from snowcast.cli.statuses import NO
from snowcast.core.errors import UsageError

app = typer.Typer(
    help="The keys of the whole cluster's datagrams: install, use, remove, and who has not."
)

_KeyId = Annotated[str, typer.Argument(metavar="KEY", help="What `keys list` calls it.")]


@app.command("generate")
def generate() -> None:
    """Make a new key and print it. Asks no agent.

    **Example**: `(umask 077; snowcast keys generate > new.key)`
    """
    import secrets
    from base64 import b64encode

    say(b64encode(secrets.token_bytes(32)).decode())


@app.command("list")
def list_(as_json: AsJson = False, where: Where = None, token_file: TokenFile = None) -> None:
    """List the keys there are, by what they are called, and who does not have them.

    The status is 1 if somebody lacks one or does not answer.
    """
    with agent(where, token_file) as client:
        answer = client.get("/v1/keys")
    _say(answer, as_json)
    if answer["failed"] or any(key["missing"] for key in answer["keys"]):
        raise typer.Exit(NO)


@app.command("install")
def install(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Holds the key; `-` reads it from stdin.")
    ],
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Even though streams have no TLS.")
    ] = False,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Have every member accept a new key. Nobody seals with it yet.

    The key is read from a file, for arguments can be seen by all on a machine. The status is 1 if
    somebody has not done it: then do it again.

    **Example**: `snowcast keys install new.key`
    """
    body = {"key": _key_in(file), "insecure": insecure}
    _change("install", body, as_json, where, token_file)


@app.command("use")
def use(
    key: _KeyId, as_json: AsJson = False, where: Where = None, token_file: TokenFile = None
) -> None:
    """Have every member seal with a key that all of them have.

    The status is 1 if somebody has not done it.
    """
    _change("use", {"key": key}, as_json, where, token_file)


@app.command("remove")
def remove(
    key: _KeyId, as_json: AsJson = False, where: Where = None, token_file: TokenFile = None
) -> None:
    """Have every member forget a key that nobody seals with any more.

    The status is 1 if somebody has not done it.
    """
    _change("remove", {"key": key}, as_json, where, token_file)


def _key_in(file: Path) -> str:
    try:
        text = (sys.stdin.buffer.read() if file == Path("-") else read_in(file)).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{file}: no text, and so no key") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1:
        raise UsageError(f"{file}: want one key, on a line of its own, not {len(lines)}")
    return lines[0].strip()


def _change(
    what: str, body: dict[str, Any], as_json: bool, where: str | None, token_file: Path | None
) -> None:
    with agent(where, token_file) as client:
        answer = client.post(f"/v1/keys/{what}", body)
    _say(answer, as_json)
    if answer["failed"]:
        raise typer.Exit(NO)


def _say(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        say_json(answer)
        return
    members = answer["members"]
    rows = [
        (
            key["key"],
            f"{key['holders']} of {members}",
            f"{key['primary_of']} of {members}",
            some(key["missing"]),
        )
        for key in answer["keys"]
    ]
    table(("KEY", "ACCEPTED BY", "USED BY", "MISSING"), rows)
    for failure in answer["failed"]:
        say(f"{shown(failure['name'])}: {shown(failure['reason'])}")
