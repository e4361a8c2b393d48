"""What leaves the core: what a driver performs, and notices for the application.

A driver performs each effect in order and decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from snowcast.core.address import Address
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.member import Member
from snowcast.core.siblings import Siblings, frame_for
from snowcast.core.timers import TimerKey
from snowcast.core.trees import Assignment


class Send(msgspec.Struct, frozen=True, gc=False):
    """Send `frame` to `to`: on a stream, in order and without loss, or as one datagram."""

    to: Address
    frame: Frame
    is_datagram: bool = False


class Forward(msgspec.Struct, frozen=True, gc=False):
    """Send a message to the children of a plan: what `Node.step` says in place of their `Send`s."""

    data: Data
    hop: int
    siblings: Siblings

    def frame(self, child: Assignment) -> Data:
        """What one of the children is sent."""
        return frame_for(child, self.data, self.hop)

    def sends(self) -> list[Send]:
        """The same, one by one."""
        data, hop = self.data, self.hop
        return [Send(child.child, frame_for(child, data, hop)) for child in self.siblings.children]


class SetTimer(msgspec.Struct, frozen=True, gc=False):
    """Fire `key` at `at_us`, instead of whenever it was set for."""

    key: TimerKey
    at_us: int


class CancelTimer(msgspec.Struct, frozen=True, gc=False):
    """Do not fire `key`."""

    key: TimerKey


class Accepted(msgspec.Struct, frozen=True, gc=False):
    """Notice: the caller's broadcast `request` is on its way under this id."""

    request: int
    id: MessageId


class Delivered(msgspec.Struct, frozen=True, gc=False):
    """Notice: a message for the application, or for whoever runs the node, once."""

    id: MessageId
    payload: bytes
    hop: int
    is_control: bool = False  # for whoever runs the nodes, not for the application


class Answered(msgspec.Struct, frozen=True, gc=False):
    """Notice: what `sender` says to a control message of this node."""

    id: MessageId
    sender: Address
    text: str


class Receipt(msgspec.Struct, frozen=True):
    """Notice: what became of a reliable message.

    `delivered` counts the members, this node not counted, that have confirmed it; `missing` names
    those that have not. Without any missing, all members had it.
    """

    id: MessageId
    delivered: int
    missing: tuple[Address, ...]
    unnamed: int  # more that are missing, beyond what acks have room to name
    elapsed_us: int
    attempts: int

    @property
    def is_complete(self) -> bool:
        """Whether every member has confirmed the message."""
        return not self.missing and not self.unnamed


class MemberChanged(msgspec.Struct, frozen=True, gc=False):
    """Notice: the view has changed about one member. `old` is None if it is new."""

    old: Member | None
    new: Member


class Joined(msgspec.Struct, frozen=True, gc=False):
    """Notice: this node has been announced to the cluster."""


class Expired(msgspec.Struct, frozen=True, gc=False):
    """Notice: a message came too late to tell whether it had been delivered; it was dropped."""

    id: MessageId


class BadFrame(msgspec.Struct, frozen=True, gc=False):
    """Notice: a frame from `sender` made no sense here and was dropped."""

    sender: Address
    reason: str


class Stopped(msgspec.Struct, frozen=True, gc=False):
    """Notice: this node has left and forwarded for as long as it had to; close it."""


Notice = (
    Accepted
    | Delivered
    | Answered
    | Receipt
    | MemberChanged
    | Joined
    | Expired
    | BadFrame
    | Stopped
)
Effect = Send | SetTimer | CancelTimer | Notice
Step = Effect | Forward


def spelt_out(steps: Iterable[Step]) -> list[Effect]:
    """The effects with each `Forward` as its `Send`s."""
    effects: list[Effect] = []
    step: Any
    for step in steps:
        if type(step) is Forward:  # `isinstance` is slow to say no to these classes
            effects += step.sends()
        else:
            effects.append(step)
    return effects


class Outbox:
    """Where the parts of a node put their effects while one event is handled."""

    __slots__ = ("_has_forward", "_steps")

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._has_forward = False

    def take(self) -> list[Effect]:
        """The effects so far; the next ones start a new list."""
        has_forward = self._has_forward
        steps: list[Any] = self.take_steps()
        return spelt_out(steps) if has_forward else steps

    def take_steps(self) -> list[Step]:
        """As `take`, with what goes to several children as one."""
        steps, self._steps = self._steps, []
        self._has_forward = False
        return steps

    def forward(self, data: Data, hop: int, siblings: Siblings) -> None:
        """Send a message to the children of a plan."""
        self._steps.append(Forward(data, hop, siblings))
        self._has_forward = True

    def send(self, to: Address, frame: Frame) -> None:
        """Send on a stream."""
        self._steps.append(Send(to, frame))

    def send_datagram(self, to: Address, frame: Frame) -> None:
        """Send as a datagram, which may be lost."""
        self._steps.append(Send(to, frame, True))

    def set_timer(self, key: TimerKey, at_us: int) -> None:
        """Fire `key` at `at_us`."""
        self._steps.append(SetTimer(key, at_us))

    def cancel_timer(self, key: TimerKey) -> None:
        """Do not fire `key`."""
        self._steps.append(CancelTimer(key))

    def notify(self, notice: Notice) -> None:
        """Tell the application."""
        self._steps.append(notice)
