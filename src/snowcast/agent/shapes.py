"""What goes in and out of the control API, as types: JSON is read into them and written from them.

The description that the agent serves is made of these (`openapi`), so a comment here is read there.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from snowcast.core.trees import Mode

DAY_S = 86_400
STATES = ("alive", "suspect", "evicted", "left")


def _is(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


def _seconds(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description, ge=0, le=DAY_S)


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all that follows."""


class Problem(Shape, frozen=True, kw_only=True):
    """Why something was not done."""

    error: Annotated[str, _is("One word for it, which does not change")]
    message: Annotated[str, _is("What is wrong and what to do, for people")]


class Nothing(Shape, frozen=True, kw_only=True):
    """No parameters, or nothing to tell."""


class MemberInfo(Shape, frozen=True, kw_only=True):
    """One member, or one that was."""

    name: str
    address: str
    state: Literal["alive", "suspect", "evicted", "left"]
    incarnation: int
    tags: dict[str, str]


class MembersQuery(Shape, frozen=True, kw_only=True):
    """Which members to list."""

    state: Annotated[str, _is("Only those in this state")] = ""
    name: Annotated[str, _is("Only those whose name is like this: `*` stands for anything")] = ""
    tag: Annotated[str, _is("Only those with this tag: key=value, or a key alone")] = ""
    departed: Annotated[bool, _is("Also those who have left or were evicted, as remembered")] = (
        False
    )


class MembersInfo(Shape, frozen=True, kw_only=True):
    """The members, in the order of the ring; after them those departed, if asked for."""

    members: tuple[MemberInfo, ...]


class StatusInfo(Shape, frozen=True, kw_only=True):
    """The agent at a glance."""

    name: str
    address: str
    cluster: str
    protocol: str
    version: str
    pid: int
    uptime_s: float
    is_joined: bool
    is_leaving: bool
    members: int
    suspects: int
    departed: Annotated[int, _is("Who left or was evicted, as far as remembered")]
    digest: Annotated[str, _is("The same for equal views")]
    health: Annotated[int, _is("0: well; more: too slow to judge others")]
    tls: bool
    keys: Annotated[tuple[str, ...], _is("What its keys are called, the primary first")]
    warnings: Annotated[tuple[str, ...], _is("What an operator should look at")]


class StatsInfo(Shape, frozen=True, kw_only=True):
    """Everything counted, and sizes as they are now."""

    stats: dict[str, int]


class BroadcastQuery(Shape, frozen=True, kw_only=True):
    """How to broadcast."""

    mode: Annotated[Mode | None, _is("One tree, or two; else as the agent is set up")] = None
    reliable: Annotated[bool, _is("Wait for a receipt")] = False
    timeout: Annotated[float, _seconds("Seconds to wait for it at most")] | None = None


class ReceiptInfo(Shape, frozen=True, kw_only=True):
    """What became of a reliable message."""

    id: str
    is_complete: bool
    delivered: Annotated[int, _is("How many have confirmed it, this node not counted")]
    missing: Annotated[tuple[str, ...], _is("Who has not, by name")]
    unnamed: Annotated[int, _is("How many more have not")]
    elapsed_s: float
    attempts: int


class BroadcastInfo(Shape, frozen=True, kw_only=True):
    """A message is on its way."""

    payload_bytes: int
    receipt: Annotated[ReceiptInfo | None, _is("For a reliable message")]


class ViewInfo(Shape, frozen=True, kw_only=True):
    """What one member believes."""

    name: str
    address: str
    digest: str
    members: int
    health: int
    version: str


class ViewsInfo(Shape, frozen=True, kw_only=True):
    """Who believes something else than this node."""

    digest: Annotated[str, _is("Of this node's view")]
    members: Annotated[int, _is("In this node's view, itself included")]
    agree: int
    differ: tuple[ViewInfo, ...]
    silent: Annotated[tuple[str, ...], _is("Who did not answer, by name")]


class KeyInfo(Shape, frozen=True, kw_only=True):
    """One key, and who has it."""

    key: Annotated[str, _is("What it is called; it does not give the key away")]
    holders: int
    primary_of: Annotated[int, _is("How many seal with it")]
    missing: Annotated[tuple[str, ...], _is("Who does not have it, by name")]


class KeyFailure(Shape, frozen=True, kw_only=True):
    """Somebody who did not do it."""

    name: str
    reason: str


class KeysInfo(Shape, frozen=True, kw_only=True):
    """The keys of the whole cluster."""

    members: int
    keys: tuple[KeyInfo, ...]
    failed: tuple[KeyFailure, ...]


class KeyInstall(Shape, frozen=True, kw_only=True):
    """A key for everybody."""

    key: Annotated[str, _is("32 bytes in base64")]
    insecure: Annotated[bool, _is("Even though streams have no TLS and the key can be read")] = (
        False
    )


class KeyChange(Shape, frozen=True, kw_only=True):
    """A key that is there already."""

    key: Annotated[str, _is("What it is called")]


class MemberChoice(Shape, frozen=True, kw_only=True):
    """A member, by name or address."""

    member: str


class Tags(Shape, frozen=True, kw_only=True):
    """The tags of this node, all of them."""

    tags: dict[str, str]


class ReloadInfo(Shape, frozen=True, kw_only=True):
    """What reading settings and certificates anew has changed."""

    changed: Annotated[tuple[str, ...], _is("Settings that are others now")]
    needs_restart: Annotated[tuple[str, ...], _is("Settings that differ, and wait for a restart")]
    certificates: Annotated[int, _is("How many certificates were read")]


class LeaveOrder(Shape, frozen=True, kw_only=True):
    """How to leave."""

    linger: Annotated[float, _seconds("Seconds to go on forwarding; else as set up")] | None = None


class MessageInfo(Shape, frozen=True, kw_only=True):
    """A message that a member has broadcast."""

    id: str
    sender: Annotated[str, _is("What its origin is called")]
    origin: str
    hop: int
    text: Annotated[str | None, _is("The payload, if it is UTF-8")]
    base64: Annotated[str | None, _is("The payload, if it is not")]


class EventInfo(Shape, frozen=True, kw_only=True):
    """Something has become of a member, or of this node."""

    event: Literal[
        "joined", "restarted", "left", "evicted", "suspected", "refuted", "updated",
        "let_in", "queue_full",
    ]  # fmt: skip
    member: MemberInfo | None = None
    peer: Annotated[str | None, _is("With `queue_full`: who reads too slowly")] = None
    frames: Annotated[int | None, _is("With `queue_full`: what was sent round it")] = None


class LaggedInfo(Shape, frozen=True, kw_only=True):
    """This reader was too slow: the oldest items were dropped."""

    missed: int
