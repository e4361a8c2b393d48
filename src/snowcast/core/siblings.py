"""The children of one plan, and the frames that carry one message to all of them.

Their frames differ in the boundaries only. What of their heads stays the same from message to
message is worked out once a plan; per message and child little more is left than joining bytes.

Rules of this file:
- `heads` says byte for byte what `codec.data_head` says of each child's frame, and `runs` the same
  of many messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from snowcast.core.address import IPV4_PREFIX, Address
from snowcast.core.codec import FIXED_BYTES, HOP_MAX, data_head, fixed_head, flags_of, sides_of
from snowcast.core.frames import Data
from snowcast.core.trees import Assignment
from snowcast.core.wire import IPV4_SKIP, uvarint


class Passing(Protocol):
    """A message that is passed on."""

    @property
    def data(self) -> Data:
        """What came."""

    @property
    def hop(self) -> int:
        """How far it has come when the children have it."""


class Siblings:
    """The children of one plan."""

    __slots__ = ("_layouts", "children")

    def __init__(self, children: tuple[Assignment, ...]) -> None:
        self.children = children
        # Of each child the flags and the bytes of its boundaries; None until they are needed, and
        # empty if some address is not IPv4.
        self._layouts: list[tuple[int, bytes]] | None = None

    def heads(self, data: Data, hop: int) -> list[bytes]:
        """What each child's frame begins with, when the message in `data` is passed on."""
        id = data.id
        layouts = self._layouts
        if layouts is None:
            layouts = self._layouts = _layouts(self.children)
        if not layouts or data.attempt or not id.origin.startswith(IPV4_PREFIX):
            return [data_head(frame_for(child, data, hop)) for child in self.children]
        flags, hop = flags_of(data), min(hop, HOP_MAX)
        name = _source(id.origin, id.life) + uvarint(id.sequence)
        size = FIXED_BYTES + len(name) + len(data.payload)
        return [
            _start(size + len(bounds), flags | sides, hop) + name + bounds
            for sides, bounds in layouts
        ]

    def runs(self, messages: Sequence[Passing]) -> list[bytes]:
        """For each child its frames for these messages (one at least), one after the other."""
        layouts = self._layouts
        if layouts is None:
            layouts = self._layouts = _layouts(self.children)
        parts = []
        for message in messages:
            data = message.data
            id, payload = data.id, data.payload
            if not layouts or data.attempt or not id.origin.startswith(IPV4_PREFIX):
                return self._plain_runs(messages)
            name = _source(id.origin, id.life) + uvarint(id.sequence)
            size = FIXED_BYTES + len(name) + len(payload)
            parts.append((size, flags_of(data), min(message.hop, HOP_MAX), name, payload))
        return [
            b"".join(
                [
                    piece
                    for size, flags, hop, name, payload in parts
                    for piece in (
                        _start(size + len(bounds), flags | sides, hop),
                        name,
                        bounds,
                        payload,
                    )
                ]
            )
            for sides, bounds in layouts
        ]

    def _plain_runs(self, messages: Sequence[Passing]) -> list[bytes]:
        """The same, frame by frame."""
        return [
            b"".join(
                [
                    data_head(frame_for(child, message.data, message.hop)) + message.data.payload
                    for message in messages
                ]
            )
            for child in self.children
        ]


def frame_for(child: Assignment, data: Data, hop: int) -> Data:
    """What one child is sent when the message in `data` is passed on."""
    return Data(
        data.id,
        data.tree,
        child.left,
        child.right,
        data.payload,
        hop,
        data.attempt,
        data.is_reliable,
        data.is_system,
        data.is_control,
    )


def _layouts(children: tuple[Assignment, ...]) -> list[tuple[int, bytes]]:
    layouts = []
    for child in children:
        boundaries = [b for b in (child.left, child.right) if b is not None]
        if not all(boundary.is_ipv4 for boundary in boundaries):
            return []
        bounds = b"".join([boundary[IPV4_SKIP:] for boundary in boundaries])
        layouts.append((sides_of(child), bounds))
    return layouts


@lru_cache(maxsize=4096)
def _source(origin: Address, life: int) -> bytes:
    """What an id begins with."""
    return origin[IPV4_SKIP:] + uvarint(life)


@lru_cache(maxsize=4096)
def _start(size: int, flags: int, hop: int) -> bytes:
    """The length and what comes before the id."""
    return uvarint(size) + fixed_head(flags, hop)
