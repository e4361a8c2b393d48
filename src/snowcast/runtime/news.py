"""What an application is told: messages, receipts, what becomes of members, each with a type."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from snowcast.core.address import Address
from snowcast.core.effects import MemberChanged
from snowcast.core.member import Member, State


class Message(msgspec.Struct, frozen=True, gc=False):
    """A message that another member has broadcast. It comes once."""

    payload: bytes
    origin: Address
    sender: str
    """What the origin is called: its name, or its address if it has none."""
    id: str
    """The same at every member, and no other message's."""
    hop: int
    """Over how many connections it came."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a reliable message."""

    id: str
    delivered: int
    """How many members, this one not counted, have confirmed it."""
    missing: tuple[str, ...]
    """Who has not, by name, or by address where there is no name."""
    unnamed: int
    """How many more have not, beyond what there was room to name."""
    elapsed: float
    """Seconds from the broadcast to this receipt."""
    attempts: int
    missing_at: tuple[Address, ...] = ()
    """The addresses of those missing, in the same order; two members can have one name."""

    @property
    def is_complete(self) -> bool:
        """Whether every member has confirmed the message."""
        return not self.missing and not self.unnamed


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """A member is there that was not before, or one that was is back."""

    member: Member
    is_restart: bool = False
    """Whether it is a new start of a node that was a member already."""


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """A member has announced that it leaves."""

    member: Member


@dataclass(frozen=True, slots=True)
class MemberEvicted:
    """A member was silent for too long and is not a member any more."""

    member: Member


@dataclass(frozen=True, slots=True)
class MemberSuspected:
    """A member is silent; it will be evicted unless it says something."""

    member: Member


@dataclass(frozen=True, slots=True)
class MemberRefuted:
    """A suspect has said that it is well."""

    member: Member


@dataclass(frozen=True, slots=True)
class MemberUpdated:
    """A member goes by another name or other tags."""

    member: Member


@dataclass(frozen=True, slots=True)
class Joined:
    """This node has been announced to the cluster."""


@dataclass(frozen=True, slots=True)
class QueueFull:
    """A peer reads too slowly: so many frames were sent another way, round it."""

    peer: Address
    frames: int


MemberEvent = (
    MemberJoined | MemberLeft | MemberEvicted | MemberSuspected | MemberRefuted | MemberUpdated
)
ClusterEvent = MemberEvent | Joined | QueueFull


def member_event(change: MemberChanged) -> MemberEvent | None:
    """What a change in the view means to an application; None if nothing."""
    old, new = change.old, change.new
    was_present = old is not None and old.is_present
    if not new.is_present:
        if not was_present:
            return None
        return MemberLeft(new) if new.state is State.LEFT else MemberEvicted(new)
    if old is None or not was_present:
        return MemberJoined(new)
    if old.life != new.life:
        return MemberJoined(new, is_restart=True)
    if new.state is State.SUSPECT:
        return MemberSuspected(new) if old.state is not State.SUSPECT else None
    if old.state is State.SUSPECT:
        return MemberRefuted(new)
    if (old.name, old.tags) != (new.name, new.tags):
        return MemberUpdated(new)
    return None
