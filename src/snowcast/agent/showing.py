"""What is inside, as it is shown outside: members, messages, events and the agent as shapes."""

from __future__ import annotations

import os
from base64 import b64encode
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, assert_never

from snowcast import __version__
from snowcast.agent.problems import Refusal
from snowcast.agent.shapes import EventInfo, MemberInfo, MessageInfo, ReceiptInfo, StatusInfo
from snowcast.core.member import Member, State
from snowcast.runtime import news

if TYPE_CHECKING:
    from snowcast.agent.agent import Agent

_STATES = {
    State.ALIVE: "alive",
    State.SUSPECT: "suspect",
    State.EVICTED: "evicted",
    State.LEFT: "left",
}


def member_info(member: Member) -> MemberInfo:
    """A member."""
    return MemberInfo(
        name=member.label,
        address=str(member.address),
        state=_STATES[member.state],  # type: ignore[arg-type]
        incarnation=member.incarnation,
        tags=dict(member.tags),
    )


def receipt_info(receipt: news.Receipt) -> ReceiptInfo:
    """What became of a reliable message."""
    return ReceiptInfo(
        id=receipt.id,
        is_complete=receipt.is_complete,
        delivered=receipt.delivered,
        missing=receipt.missing,
        unnamed=receipt.unnamed,
        elapsed_s=receipt.elapsed,
        attempts=receipt.attempts,
    )


def message_info(message: news.Message) -> MessageInfo:
    """A message, as text if it is text."""
    try:
        text, base64 = message.payload.decode(), None
    except UnicodeDecodeError:
        text, base64 = None, b64encode(message.payload).decode()
    return MessageInfo(
        id=message.id,
        sender=message.sender,
        origin=str(message.origin),
        hop=message.hop,
        text=text,
        base64=base64,
    )


def event_info(event: news.ClusterEvent) -> EventInfo:
    """Something that has become of a member, or of this node."""
    match event:
        case news.Joined():
            return EventInfo(event="let_in")
        case news.QueueFull():
            return EventInfo(event="queue_full", peer=str(event.peer), frames=event.frames)
        case news.MemberJoined():
            word = "restarted" if event.is_restart else "joined"
        case news.MemberLeft():
            word = "left"
        case news.MemberEvicted():
            word = "evicted"
        case news.MemberSuspected():
            word = "suspected"
        case news.MemberRefuted():
            word = "refuted"
        case news.MemberUpdated():
            word = "updated"
        case _:
            assert_never(event)
    return EventInfo(event=word, member=member_info(event.member))  # type: ignore[arg-type]


def status_info(agent: Agent) -> StatusInfo:
    """The agent at a glance."""
    cluster, settings = agent.cluster, agent.settings
    members = cluster.members
    return StatusInfo(
        name=cluster.name,
        address=str(cluster.address),
        cluster=settings.cluster.name,
        protocol=agent.way.name,
        version=__version__,
        pid=os.getpid(),
        uptime_s=round(agent.uptime_s, 3),
        is_joined=cluster.is_joined,
        is_leaving=agent.is_leaving,
        members=len(members),
        suspects=sum([member.state is State.SUSPECT for member in members]),
        departed=cluster.stats()["tombstones"],
        digest=cluster.digest,
        health=cluster.health,
        tls=bool(settings.security.certificate),
        keys=tuple(cluster.keys.ids) if cluster.keys is not None else (),
        warnings=tuple(_warnings(agent)),
    )


def find_member(agent: Agent, who: str) -> Member:
    """The member with this name or address; a Refusal if there is not exactly one."""
    known = [*agent.cluster.members, *agent.cluster.departed]
    found = [member for member in known if who in (member.name, str(member.address))]
    present = [member for member in found if member.is_present]
    if len(found) > 1 and len(present) == 1:
        found = present
    if len(found) == 1:
        return found[0]
    if not found:
        message = f"no member {who!r}: `snowcast members --departed` lists them all"
        raise Refusal(HTTPStatus.NOT_FOUND, "no_such_member", message)
    addresses = ", ".join(str(member.address) for member in found)
    message = f"{len(found)} members are called {who!r}: choose by address, {addresses}"
    raise Refusal(HTTPStatus.CONFLICT, "ambiguous", message)


def _warnings(agent: Agent) -> list[str]:
    """What an operator should look at."""
    cluster, found = agent.cluster, []
    if not cluster.is_joined and not agent.is_leaving:
        found.append("not let in yet: is one of its seeds running and reachable over TCP?")
    if cluster.health:
        found.append("it seems too slow to judge others: is its machine overloaded?")
    found += agent.certificates.warnings()
    if agent.name_taken_by:
        others = ", ".join(sorted(agent.name_taken_by))
        found.append(f"others go by its name: {others}")
    if not ip_address(cluster.address.host).is_loopback:
        if not agent.settings.security.certificate:
            found.append("streams have no TLS: whoever reaches it can join, read and broadcast")
        if cluster.keys is None:
            found.append("datagrams have no keys: whoever reaches it can spoof probes")
    return found
