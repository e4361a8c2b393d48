"""A frame about to cross the network, and what a rule may say of it.

A rule is anything that can be called with a flight: a class of `rules`, or a function of a test.
Rules are asked in order. The first that gives a final verdict decides; `PASS` leaves it to the
next, and so does `Later`, which adds to whatever time the frame will take.
"""

from __future__ import annotations

from enum import Enum
from random import Random
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from snowcast.core.address import Address
from snowcast.core.codec import frame_size
from snowcast.core.frames import Frame


class Flight:
    """One frame on its way from `sender` to `to`, as it leaves at `sent_us` true time."""

    __slots__ = ("_frame_bytes", "frame", "is_datagram", "sender", "sent_us", "to")

    def __init__(
        self, sender: Address, to: Address, frame: Frame, is_datagram: bool, sent_us: int
    ) -> None:
        self.sender = sender
        self.to = to
        self.frame = frame
        self.is_datagram = is_datagram
        self.sent_us = sent_us
        self._frame_bytes = 0

    @property
    def frame_bytes(self) -> int:
        """How many bytes the frame takes on the wire, counted when first asked for."""
        if not self._frame_bytes:
            self._frame_bytes = frame_size(self.frame)
        return self._frame_bytes


class Plain(Enum):
    """The verdicts that carry nothing."""

    PASS = "pass"
    DROP = "drop"


PASS: Final = Plain.PASS
"""Not this rule's business: ask the next."""
DROP: Final = Plain.DROP
"""Lost, and nobody is told."""


class Deliver(NamedTuple):
    """Arrives `delay_us` after it was sent. Final."""

    delay_us: int


class Later(NamedTuple):
    """Takes `extra_us` more than the rules after this one say. Not final."""

    extra_us: int


class Refuse(NamedTuple):
    """Lost, and the sender of a stream is told so `after_us` later. Final."""

    after_us: int


Verdict = Literal[Plain.PASS, Plain.DROP] | Deliver | Later | Refuse


class Rule(Protocol):
    """Decides about each flight."""

    def __call__(self, flight: Flight, /) -> Verdict:
        """The verdict of this rule."""
        ...


@runtime_checkable
class Seeded(Protocol):
    """A rule that draws at random: it is given a stream of its own when it is installed."""

    def seed(self, random: Random) -> None:
        """Draw from `random` from now on."""
        ...
