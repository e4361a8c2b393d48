"""Digests of a view, so that two nodes find what differs without sending what does not.

Each member present has a 64-bit hash of its address and incarnation; a set of members is the
exclusive or of theirs. Members fall into 4,096 leaf buckets by a hash of their address, 64 to a
branch, so a difference is found in two steps and costs the size of one leaf, whatever n.

Not a defence against an adversary: digests find honest differences.
"""

from __future__ import annotations

from array import array
from functools import lru_cache, reduce
from hashlib import blake2b
from operator import xor

from snowcast.core.address import Address
from snowcast.core.member import Member

WIDTH = 64  # buckets below a branch, and branches below the root
LEAVES = WIDTH * WIDTH


class DigestTree:
    """The digests of all leaf buckets, kept up to date member by member."""

    __slots__ = ("_leaves", "root")

    def __init__(self) -> None:
        self.root = 0
        self._leaves = array("Q", bytes(8 * LEAVES))

    def toggle(self, member: Member) -> int:
        """Add a member that is not in, or take out one that is; return its leaf bucket."""
        leaf, digest = member_digest(member.address, member.incarnation)
        self._leaves[leaf] ^= digest
        self.root ^= digest
        return leaf

    def branches(self) -> tuple[int, ...]:
        """The digests one level below the root."""
        return tuple(reduce(xor, self.leaves(branch)) for branch in range(WIDTH))

    def leaves(self, branch: int) -> tuple[int, ...]:
        """The digests of the leaf buckets below `branch`."""
        return tuple(self._leaves[branch * WIDTH : (branch + 1) * WIDTH])


@lru_cache(maxsize=2048)
def member_digest(address: Address, incarnation: int) -> tuple[int, int]:
    """The leaf bucket of an address, and the hash of it in this incarnation.

    Remembered for those who run many nodes in one process, which all digest the same members.
    """
    digest = blake2b(address + incarnation.to_bytes(10, "big"), digest_size=8).digest()
    return leaf_of(address), int.from_bytes(digest, "big")


def leaf_of(address: Address) -> int:
    """The leaf bucket that an address falls into."""
    return int.from_bytes(blake2b(address, digest_size=2).digest(), "big") % LEAVES
