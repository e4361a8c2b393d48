"""What the conductor tells the players, and what these tell back: a line of JSON each.

Rules of this file:
- Nodes go by their numbers, messages by `origin.sequence`. Times are microseconds since 1970.
"""

from __future__ import annotations

import msgspec

from snowcast.core.trees import Mode


class Cue(msgspec.Struct, frozen=True, tag=True):
    """Something that one node is to do."""

    node: int


class Found(Cue, frozen=True):
    """Be a cluster of one."""


class Join(Cue, frozen=True):
    """Join through another."""

    contact: int


class Tell(Cue, frozen=True):
    """Broadcast message `number` of the act."""

    number: int
    mode: Mode
    is_reliable: bool
    payload_bytes: int


class Crash(Cue, frozen=True):
    """Fall silent."""


class Leave(Cue, frozen=True):
    """Leave gracefully."""


class Record(msgspec.Struct, frozen=True, tag=True):
    """From now on all rows belong to another run; those who are `gone` are not in it."""

    run: str
    scenario: str
    protocol: str
    gone: tuple[int, ...] = ()


class End(msgspec.Struct, frozen=True, tag=True):
    """It is over: close everything, and keep what was written."""


AnyCue = Found | Join | Tell | Crash | Leave | Record | End


class News(msgspec.Struct, frozen=True, tag=True):
    """Something that has happened at a node."""

    at_us: int
    node: int


class Sent(News, frozen=True):
    """It has broadcast a message."""

    message: str


class Arrived(News, frozen=True):
    """A copy of a message has come."""

    message: str
    sender: int
    tree: int
    hop: int
    is_first: bool


class Adopted(News, frozen=True):
    """A child is silent or gone: it sends to that one's children in its place."""

    message: str
    children: tuple[int, ...]


class Confirmed(News, frozen=True):
    """The origin of a reliable message has its receipt."""

    message: str
    delivered: int
    missing: tuple[int, ...]
    elapsed_us: int


class Changed(News, frozen=True):
    """It believes something else of a member than before: `alive`, `suspect`, ..."""

    about: int
    state: str


class Counted(News, frozen=True):
    """So many members it knows now."""

    members: int


OfMessage = Arrived | Adopted | Confirmed
AnyNews = Sent | OfMessage | Changed | Counted


class Line(msgspec.Struct, frozen=True):
    """What one player has to say: `ready`, `playing` or `done`; `failed` with a `reason`."""

    state: str
    news: tuple[AnyNews, ...] = ()
    reason: str = ""


def encode(cue: AnyCue) -> bytes:
    """A cue as a line, without its end."""
    return msgspec.json.encode(cue)


def decode(line: bytes) -> AnyCue:
    """The cue that a line holds."""
    cue: AnyCue = msgspec.json.decode(line, type=AnyCue)
    return cue
