"""Symmetric random links out of a full view, with nothing to be agreed.

Plumtree wants a partial view whose links go both ways; its authors take HyParView's (Leitao,
Pereira, Rodrigues: HyParView, DSN 2007), whose active view holds fanout + 1. Here the view is
known, so each node finds its links alone: all members are put on k / 2 + 1 rings, each shuffled by
a hash of its own, and a node is linked with the two beside it on each. Nodes with equal views agree
on all links; each ring alone connects everybody; a change of membership changes only the links
around it. A node has at most fanout + 2 links.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from snowcast.core.address import Address

HASH_BYTES = 8
HASHES_MAX = 7  # what one digest has room for; more than 14 links serve nobody
_CIRCLE = 1 << (8 * HASH_BYTES)


class Overlay:
    """The links of one node."""

    def __init__(self, me: Address, fanout: int) -> None:
        self._me = me
        self._places = _places(me)[: min(fanout // 2 + 1, HASHES_MAX)]
        self._links: list[Address] = []
        self._nearest: list[tuple[int, Address]] = []
        self.rebuild(())

    @property
    def links(self) -> list[Address]:
        """Who this node is linked with, each once, in an order that follows from the view."""
        return self._links

    def rebuild(self, members: Iterable[Address]) -> None:
        """Forget everybody and begin with `members`."""
        self._nearest = [(_CIRCLE, self._me)] * (2 * len(self._places))
        for member in members:
            self._place(member)
        self._read()

    def add(self, member: Address) -> bool:
        """A member has come; whether that changed the links."""
        has_changed = self._place(member)
        if has_changed:
            self._read()
        return has_changed

    def _place(self, member: Address) -> bool:
        """Put `member` beside this node wherever it is nearer than who was there."""
        if member == self._me:
            return False
        has_changed = False
        for ring, (mine, its) in enumerate(zip(self._places, _places(member), strict=False)):
            ahead = (its - mine) % _CIRCLE
            for side, distance in enumerate((ahead, _CIRCLE - ahead)):
                if distance < self._nearest[2 * ring + side][0]:
                    self._nearest[2 * ring + side] = (distance, member)
                    has_changed = True
        return has_changed

    def _read(self) -> None:
        found = dict.fromkeys(member for _, member in self._nearest)
        self._links = [member for member in found if member != self._me]


@lru_cache(maxsize=16_384)
def _places(member: Address) -> tuple[int, ...]:
    """Where a member stands on each ring. Kept, as nodes that share a process ask alike."""
    digest = blake2b(member, digest_size=HASHES_MAX * HASH_BYTES, person=b"overlay").digest()
    return tuple(
        int.from_bytes(digest[at : at + HASH_BYTES], "big")
        for at in range(0, len(digest), HASH_BYTES)
    )
