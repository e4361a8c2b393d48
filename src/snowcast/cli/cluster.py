"""`status`, `reachability`, `who-disagrees`, `reload`, `leave`: the agent, and its cluster."""

from __future__ import annotations

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
from snowcast.cli.messages import say_receipt
from snowcast.cli.statuses import NO

LEAVE_S = 120.0


def status(
    stats: Annotated[
        bool, typer.Option("--stats", help="Also everything that is counted.")
    ] = False,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Tell how an agent is: who it is, whether it has been let in, and what to look at.

    The status is 1 if it is not a member, or is leaving.
    """
    with agent(where, token_file) as client:
        answer = client.get("/v1/status")
        counts = client.get("/v1/stats")["stats"] if stats else {}
    if as_json:
        say_json({**answer, "stats": counts} if stats else answer)
    else:
        _say_status(answer)
        if counts:
            say()
            table(("COUNT", ""), sorted(counts.items()))
    if not answer["is_joined"] or answer["is_leaving"]:
        raise typer.Exit(NO)


def reachability(
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Ask every member to answer, along the trees that messages take, and name who does not.

    No application hears of it. The status is 1 if somebody is missing.
    """
    with agent(where, token_file) as client:
        answer = client.post("/v1/reach")
    if as_json:
        say_json(answer)
    else:
        say_receipt(answer, "are reachable")
    if not answer["is_complete"]:
        raise typer.Exit(NO)


def who_disagrees(
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Ask every member whom it believes to be a member, and name who believes something else.

    For a moment after a join or a leave that is as it should be. If it lasts, look there. The
    status is 1 if somebody disagrees or does not answer.
    """
    with agent(where, token_file) as client:
        answer = client.post("/v1/views")
    different, silent = answer["differ"], answer["silent"]
    if as_json:
        say_json(answer)
    else:
        others = answer["members"] - 1
        say(f"{answer['agree']} of {others} agree: {answer['members']} members, "
            f"digest {answer['digest']}")  # fmt: skip
        if different:
            rows = ((v["name"], v["address"], v["members"], v["digest"], v["health"])
                    for v in different)  # fmt: skip
            say()
            table(("DISAGREES", "ADDRESS", "MEMBERS", "DIGEST", "HEALTH"), rows)
        if silent:
            say(f"no answer: {some(silent)}")
    if different or silent:
        raise typer.Exit(NO)


def reload(
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Have an agent read its certificates, tags and log settings anew, and tell what changed.

    SIGHUP does the same. The status is 4 if something is wrong with them: all stays as it was then.
    """
    with agent(where, token_file) as client:
        answer = client.post("/v1/reload")
    if as_json:
        say_json(answer)
        return
    say(f"changed: {', '.join(answer['changed']) or 'nothing'}; "
        f"certificates read: {answer['certificates']}")  # fmt: skip
    if answer["needs_restart"]:
        say(f"only a restart will do: {', '.join(answer['needs_restart'])}")


def leave(
    linger: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long it goes on forwarding, instead."),
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until it has ended.")] = True,
    as_json: AsJson = False,
    where: Where = None,
    token_file: TokenFile = None,
) -> None:
    """Have an agent leave its cluster, and end.

    SIGTERM does the same. Returns once the agent has ended, with 1 if that takes too long.
    """
    with agent(where, token_file) as client:
        answer = client.post("/v1/leave", {"linger": linger})
        is_gone = wait and client.wait_until_gone(answer["pid"], LEAVE_S + (linger or 0))
    if as_json:
        say_json({**answer, "is_gone": is_gone})
    elif is_gone:
        say(f"{shown(answer['name'])} has left")
    else:
        say(f"{shown(answer['name'])} is leaving")
    if wait and not is_gone:
        raise typer.Exit(NO)


def _say_status(status: dict[str, Any]) -> None:
    if status["is_leaving"]:
        how = "leaving"
    else:
        how = "a member" if status["is_joined"] else "not let in yet"
    suspects = f", {status['suspects']} of them suspect" if status["suspects"] else ""
    departed = f"; {status['departed']} departed" if status["departed"] else ""
    keys = ", ".join(status["keys"]) or "none"
    say(f"{shown(status['name'])} at {status['address']}: {how} of {shown(status['cluster'])}")
    say(f"members   {status['members']}{suspects}{departed}")
    say(f"view      {status['digest']}")
    say(f"health    {status['health']}" + ("" if status["health"] else " (well)"))
    say(f"protocol  {status['protocol']}")
    say(f"security  TLS {'on' if status['tls'] else 'off'}; keys {keys}")
    say(f"process   {status['pid']}, up {_duration(status['uptime_s'])}, {status['version']}")
    for warning in status["warnings"]:
        say(f"warning   {shown(warning)}")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    told = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(told[:2]) or "0 s"
