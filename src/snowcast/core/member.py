"""A member: one entry of a view, and which of two entries about one address is newer.

Paper, Membership Maintenance; DESIGN 6. An incarnation is one number: the life of the node in its
high bits and the refutations within that life in the low 16. A restart begins a new life; a
refutation does not, so that the two are told apart.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec

from snowcast.core.address import Address

REFUTATION_BITS = 16
INCARNATION_MAX = 2**64 - 1  # what fits a frame; there is nothing greater to outlive it with


class State(IntEnum):
    """What a view believes of a member. Of one incarnation, the greater state is the newer."""

    ALIVE = 0
    SUSPECT = 1
    EVICTED = 2
    LEFT = 3


SUSPECT = State.SUSPECT  # looked up once: an enum is slow to give its members


class Member(msgspec.Struct, frozen=True, gc=False):
    """An address and what is known of the node behind it."""

    address: Address
    incarnation: int
    state: State = State.ALIVE
    name: str = ""
    tags: tuple[tuple[str, str], ...] = ()

    @property
    def life(self) -> int:
        """Which start of the node this is; grows with each restart of one address."""
        return self.incarnation >> REFUTATION_BITS

    @property
    def is_present(self) -> bool:
        """Alive or suspect: a member of the ring. Otherwise this entry is a tombstone."""
        return self.state <= SUSPECT

    @property
    def label(self) -> str:
        """What to call it to a person: its name, or its address where it has none."""
        return self.name or str(self.address)

    def supersedes(self, other: Member) -> bool:
        """Whether this entry is newer knowledge than `other` about the same address."""
        if self.incarnation != other.incarnation:
            return self.incarnation > other.incarnation
        return self.state > other.state


def first_incarnation(life: int) -> int:
    """The incarnation a node has when it starts its `life`."""
    return life << REFUTATION_BITS
