"""What the control API does: one function a route, from parameters to an answer.

Rules of this file:
- A function knows nothing of HTTP: `server` reads and writes, `routes` says what belongs together.
- UsageError is the caller's mistake; a Refusal says another status, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from snowcast.agent import reloading, setup, showing
from snowcast.agent import shapes as s
from snowcast.agent.problems import Refusal
from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BroadcastTimeout
from snowcast.runtime.keyring import as_key
from snowcast.runtime.questions import Answers, AskKeys, AskView, KeyAction, KeysAnswer, Reach

if TYPE_CHECKING:
    from snowcast.agent.agent import Agent

NO_ANSWER = "no answer"


async def status(agent: Agent, query: s.Nothing, body: None) -> s.StatusInfo:
    """The agent at a glance."""
    return showing.status_info(agent)


async def stats(agent: Agent, query: s.Nothing, body: None) -> s.StatsInfo:
    """Everything counted, and sizes as they are now."""
    return s.StatsInfo(stats=agent.cluster.stats())


async def settings(agent: Agent, query: s.Nothing, body: None) -> dict[str, Any]:
    """How the agent is set up, without secrets."""
    shown: dict[str, Any] = msgspec.to_builtins(agent.settings)
    shown["security"]["keys"] = ["not shown" for _ in agent.settings.security.keys]
    return shown


async def members(agent: Agent, query: s.MembersQuery, body: None) -> s.MembersInfo:
    """The members."""
    if query.state and query.state not in s.STATES:
        raise UsageError(f"no state {query.state!r}; there are: {', '.join(s.STATES)}")
    key, equals, value = query.tag.partition("=")
    known = agent.cluster.members
    if query.departed or query.state in ("evicted", "left"):
        known = [*known, *agent.cluster.departed]
    infos = [showing.member_info(member) for member in known]
    return s.MembersInfo(
        members=tuple(
            info
            for info in infos
            if (not query.state or info.state == query.state)
            and (not query.name or fnmatchcase(info.name, query.name))
            and (not key or (info.tags.get(key) == value if equals else key in info.tags))
        )
    )


async def member(agent: Agent, query: s.MemberChoice, body: None) -> s.MemberInfo:
    """One member, by name or address."""
    return showing.member_info(showing.find_member(agent, query.member))


async def broadcast(agent: Agent, query: s.BroadcastQuery, body: bytes) -> s.BroadcastInfo:
    """Send the body of the request to every other member."""
    _check_running(agent)
    mode = agent.mode if query.mode is None else query.mode
    try:
        receipt = await agent.cluster.broadcast(
            body, mode=mode, reliable=query.reliable, timeout=query.timeout
        )
    except BroadcastTimeout as error:
        raise Refusal(504, "no_receipt_yet", str(error)) from None
    if receipt is not None:
        agent.meters.receipt_s.add(receipt.elapsed)
    info = None if receipt is None else showing.receipt_info(receipt)
    return s.BroadcastInfo(payload_bytes=len(body), receipt=info)


async def reach(agent: Agent, query: s.Nothing, body: None) -> s.ReceiptInfo:
    """Who is there? A reliable message that no application sees; the missing are named."""
    _check_running(agent)
    answers, _ = await agent.ask(Reach())
    return showing.receipt_info(answers.receipt)


async def views(agent: Agent, query: s.Nothing, body: None) -> s.ViewsInfo:
    """Ask every member what it believes, and compare with this node's view."""
    _check_running(agent)
    answers, _ = await agent.ask(AskView())
    digest, different, silent = agent.cluster.digest, [], []
    for member in answers.asked:
        view = answers.answers.get(member.address)
        if view is None:
            silent.append(member.label)
        elif view.digest != digest:
            different.append(
                s.ViewInfo(
                    name=member.label,
                    address=str(member.address),
                    digest=view.digest,
                    members=view.members,
                    health=view.health,
                    version=view.version,
                )
            )
    return s.ViewsInfo(
        digest=digest,
        members=len(agent.cluster.members),
        agree=len(answers.asked) - len(different) - len(silent),
        differ=tuple(different),
        silent=tuple(silent),
    )


async def keys(agent: Agent, query: s.Nothing, body: None) -> s.KeysInfo:
    """Which keys there are, and who has them."""
    return await _change_keys(agent, AskKeys(KeyAction.LIST))


async def install_key(agent: Agent, query: s.Nothing, body: s.KeyInstall) -> s.KeysInfo:
    """Have every member accept a key from now on."""
    as_key(body.key)
    if not agent.settings.security.certificate and not body.insecure:
        raise Refusal(
            409,
            "insecure",
            "streams have no TLS, so that the key could be read on its way: set up TLS "
            "(security.certificate), or say that you want it all the same (--insecure)",
        )
    return await _change_keys(agent, AskKeys(KeyAction.INSTALL, body.key))


async def use_key(agent: Agent, query: s.Nothing, body: s.KeyChange) -> s.KeysInfo:
    """Have every member seal with a key that all of them have."""
    before = await _change_keys(agent, AskKeys(KeyAction.LIST))
    without = [name for key in before.keys if key.key == body.key for name in key.missing]
    if without:
        raise Refusal(
            409,
            "not_everywhere",
            f"{_some(without)} could not read what is sealed with {body.key}: install it there "
            "first, with `snowcast keys install`",
        )
    return await _change_keys(agent, AskKeys(KeyAction.USE, body.key))


async def remove_key(agent: Agent, query: s.Nothing, body: s.KeyChange) -> s.KeysInfo:
    """Have every member forget a key that nobody seals with any more."""
    before = await _change_keys(agent, AskKeys(KeyAction.LIST))
    silent = [failure.name for failure in before.failed]
    if silent:
        raise Refusal(
            409,
            "not_known",
            f"{_some(silent)} did not say which key they use: try again once they do, or are gone",
        )
    used = [key for key in before.keys if key.key == body.key and key.primary_of]
    if used:
        raise Refusal(
            409,
            "in_use",
            f"{used[0].primary_of} members seal with {body.key}: use another key first, with "
            "`snowcast keys use`",
        )
    return await _change_keys(agent, AskKeys(KeyAction.REMOVE, body.key))


async def evict(agent: Agent, query: s.Nothing, body: s.MemberChoice) -> s.MemberInfo:
    """Tell everybody that a member is gone for good. One that lives comes back."""
    _check_running(agent)
    found = showing.find_member(agent, body.member)
    if found.address == agent.cluster.address:
        raise UsageError("that is this node itself: `snowcast leave` makes it leave")
    agent.cluster.evict(found.address)
    return showing.member_info(showing.find_member(agent, str(found.address)))


async def retag(agent: Agent, query: s.Nothing, body: s.Tags) -> s.MemberInfo:
    """Give this node these tags instead of those it has."""
    _check_running(agent)
    setup.check_tags(body.tags)
    agent.cluster.retag(body.tags)
    return showing.member_info(agent.cluster.me)


async def reload(agent: Agent, query: s.Nothing, body: None) -> s.ReloadInfo:
    """Read certificates, tags and log settings anew, as SIGHUP does."""
    _check_running(agent)
    try:
        return reloading.reload(agent)
    except UsageError as error:
        raise Refusal(409, "nothing_reloaded", f"nothing reloaded: {error}") from None


async def leave(agent: Agent, query: s.Nothing, body: s.LeaveOrder) -> s.StatusInfo:
    """Begin to leave. The agent ends once it has forwarded for long enough."""
    agent.leave(body.linger)
    return showing.status_info(agent)


async def _change_keys(agent: Agent, question: AskKeys) -> s.KeysInfo:
    """Ask everybody to do it, and count what they have then."""
    _check_running(agent)
    ring = agent.cluster.keys
    if ring is None:
        raise Refusal(
            409,
            "no_keys",
            "this cluster's datagrams have no keys: give every agent one, in security.keys or "
            "security.keys_file, and start them anew",
        )
    if question.action in (KeyAction.USE, KeyAction.REMOVE) and question.key not in ring.ids:
        raise UsageError(f"no key {question.key} here; there are: {', '.join(ring.ids)}")
    answers, mine = await agent.ask(question)
    assert isinstance(mine, KeysAnswer)
    return _keys_info(agent.cluster.me.label, mine, answers)


def _keys_info(me: str, mine: KeysAnswer, answers: Answers) -> s.KeysInfo:
    held: list[tuple[str, KeysAnswer | None]] = [(me, mine)]
    held += [(member.label, _answer(answers, member.address)) for member in answers.asked]
    names = dict.fromkeys(key for _, answer in held if answer is not None for key in answer.keys)
    infos = [
        s.KeyInfo(
            key=key,
            holders=sum([answer is not None and key in answer.keys for _, answer in held]),
            primary_of=sum([answer is not None and key in answer.keys[:1] for _, answer in held]),
            missing=tuple(
                name for name, answer in held if answer is None or key not in answer.keys
            ),
        )
        for key in names
    ]
    failed = [
        s.KeyFailure(name=name, reason=answer.error if answer is not None else NO_ANSWER)
        for name, answer in held
        if answer is None or answer.error
    ]
    return s.KeysInfo(members=len(held), keys=tuple(infos), failed=tuple(failed))


def _answer(answers: Answers, address: Address) -> KeysAnswer | None:
    answer = answers.answers.get(address)
    return answer if isinstance(answer, KeysAnswer) else None


def _check_running(agent: Agent) -> None:
    if agent.is_leaving:
        raise Refusal(503, "leaving", "this agent is leaving: ask another one")


def _some(names: Iterable[str], most: int = 10) -> str:
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(json.dumps(name)[1:-1] for name in names[:most]) + more
