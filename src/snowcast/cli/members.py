"""`members`, `info`, `force-leave`, `tags`: who is in the cluster, one by one."""

from __future__ import annotations

import time
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
    table,
    tags_text,
)
from snowcast.cli.statuses import NO
from snowcast.core.errors import UsageError

_Member = Annotated[str, typer.Argument(metavar="MEMBER", help="Its name or address.")]


def members(
    state: Annotated[
        str | None, typer.Option(help="Only those alive, suspect, evicted or left.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Only those called like this: `*` stands for anything.")
    ] = None,
    tag: Annotated[
        str | None, typer.Option(metavar="KEY[=VALUE]", help="Only those with this tag.")
    ] = None,
    departed: Annotated[
        bool, typer.Option("--departed", help="Also those who left or were evicted.")
    ] = False,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """List the members that an agent knows, in the order of the ring.

    The status is 1 if there are none such.

    **Examples**

    - `snowcast members --tag zone=a`
    - `snowcast members --name 'web-*' --departed`
    - `snowcast members --state suspect --json | jq -r '.members[].name'`
    """
    with agent(where, token_file) as client:
        answer = client.get("/v1/members", state=state, name=name, tag=tag, departed=departed)
    found = answer["members"]
    if as_json:
        say_json(answer)
    elif found:
        rows = ((m["name"], m["address"], m["state"], tags_text(m["tags"])) for m in found)
        table(("NAME", "ADDRESS", "STATE", "TAGS"), rows)
    else:
        typer.echo("no such members", err=True)
    if not found:
        raise typer.Exit(NO)


def info(
    member: _Member,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Tell what an agent knows of one member.

    The status is 1 if there is none of this name or address.

    **Example**: `snowcast info web-3`
    """
    with agent(where, token_file) as client:
        answer = client.get("/v1/member", member=member)
    if as_json:
        say_json(answer)
    else:
        _say_member(answer)


def force_leave(
    member: _Member,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Tell everybody that a member is gone for good, without waiting for it to be found out.

    A member that lives hears of it, objects, and is back.

    **Example**: `snowcast force-leave web-3`
    """
    with agent(where, token_file) as client:
        answer = client.post("/v1/evict", {"member": member})
    if as_json:
        say_json(answer)
    else:
        say(f"{shown(answer['name'])} at {answer['address']} is {answer['state']}")


def tags(
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Repeatable.")
    ] = None,
    delete: Annotated[
        list[str] | None, typer.Option("--delete", metavar="KEY", help="Repeatable.")
    ] = None,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Show the tags of the agent's own node, or change them; everybody hears of it.

    A change lasts until the agent ends: the next one has those of its settings.

    **Example**: `snowcast tags --set zone=b --delete canary`
    """
    changes = [text.partition("=") for text in set_ or []]
    for key, equals, _ in changes:
        if not equals or not key:
            raise UsageError(f"--set wants KEY=VALUE, not {key!r}")
    with agent(where, token_file) as client:
        me = client.get("/v1/status")["address"]
        answer = client.get("/v1/member", member=me)
        if changes or delete:
            wanted = {**answer["tags"], **{key: value for key, _, value in changes}}
            wanted = {key: value for key, value in wanted.items() if key not in (delete or [])}
            answer = client.post("/v1/tags", {"tags": wanted}, method="PUT")
    if as_json:
        say_json(answer)
    else:
        for key, value in answer["tags"].items():
            say(f"{shown(key)}={shown(value)}")


def _say_member(member: dict[str, Any]) -> None:
    from snowcast.runtime.snapshot import TICKS_PER_S

    incarnation = member["incarnation"]
    began_s = (incarnation >> 16) // TICKS_PER_S
    say(f"name         {shown(member['name'])}")
    say(f"address      {member['address']}")
    say(f"state        {member['state']}")
    say(f"incarnation  {incarnation}: started {_time(began_s)}, "
        f"{incarnation & 0xFFFF} refutations")  # fmt: skip
    say(f"tags         {shown(tags_text(member['tags'])) or 'none'}")


def _time(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
