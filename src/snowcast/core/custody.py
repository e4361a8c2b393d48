"""One assignment of a reliable message in this node's care, and how far its children are.

Plain bookkeeping for `custodies`, which decides what to do about it.
"""

from __future__ import annotations

from enum import Enum

from snowcast.core.address import Address
from snowcast.core.frames import Ack, Data
from snowcast.core.timers import HopTimer
from snowcast.core.trees import Assignment

NEVER_US = 1 << 62


class Phase(Enum):
    """What a parent knows of one child."""

    SENT = "sent"  # no word yet
    HELD = "held"  # it has the message and is at work on its region
    ASKED = "asked"  # it was at work, and has been asked whether it still is
    ADOPTED = "adopted"  # silent: its region is taken over, itself is tried as a leaf
    LOST = "lost"  # reported missing; still tried until the deadline
    DONE = "done"  # its part is accounted for


class Branch:
    """A child, what it was to cover, and its account of it."""

    __slots__ = (
        "assignment",
        "delivered",
        "due_us",
        "is_adopted",
        "missing",
        "phase",
        "tries",
        "unnamed",
    )

    def __init__(self, assignment: Assignment, due_us: int) -> None:
        self.assignment = assignment
        self.phase = Phase.SENT
        self.is_adopted = False  # its region is this node's now: it answers for itself alone
        self.due_us = due_us
        self.tries = 0
        self.delivered = 0
        self.missing: tuple[Address, ...] = ()
        self.unnamed = 0

    @property
    def is_open(self) -> bool:
        """Whether the child is still to be accounted for."""
        return self.phase is not Phase.DONE and self.phase is not Phase.LOST

    def is_answered_by(self, ack: Ack) -> bool:
        """Whether an ack of this child is about this part, and not another one in its care."""
        return (ack.left, ack.right) == (self.assignment.left, self.assignment.right)

    def finish(self, delivered: int, missing: tuple[Address, ...] = (), unnamed: int = 0) -> None:
        """Nothing more is expected of this child."""
        self.phase = Phase.DONE
        self.due_us = NEVER_US
        self.delivered = delivered
        self.missing = missing
        self.unnamed = unnamed


class Custody:
    """An assignment in this node's care: an origin's whole tree, or a part that a parent gave."""

    __slots__ = ("branches", "data", "ends_us", "key", "parents", "reported")

    def __init__(self, key: HopTimer, data: Data, parents: list[Address], ends_us: int) -> None:
        self.key = key
        self.data = data
        self.parents = parents  # whom to answer; an origin has nobody
        self.ends_us = ends_us
        self.branches: dict[Address, Branch] = {}
        self.reported: Ack | None = None  # the last account given

    def add(self, assignments: tuple[Assignment, ...], due_us: int) -> None:
        """Wait for these children."""
        for assignment in assignments:
            self.branches[assignment.child] = Branch(assignment, due_us)

    @property
    def is_origin(self) -> bool:
        """Whether this node started the message."""
        return not self.parents

    @property
    def is_accounted(self) -> bool:
        """Whether every child is accounted for, if only as missing."""
        return not any(branch.is_open for branch in self.branches.values())

    @property
    def is_over(self) -> bool:
        """Whether there is nobody left to wait for or to try again."""
        return all(branch.phase is Phase.DONE for branch in self.branches.values())

    @property
    def due_us(self) -> int:
        """When to look at the children again."""
        return min(branch.due_us for branch in self.branches.values())

    def account(self, names_max: int) -> Ack:
        """What the children add up to, this node included unless it is the origin."""
        delivered = 0 if self.is_origin else 1
        missing: list[Address] = []
        unnamed = 0
        for branch in self.branches.values():
            delivered += branch.delivered
            missing += branch.missing
            unnamed += branch.unnamed
        unnamed += max(0, len(missing) - names_max)
        names = tuple(sorted(missing)[:names_max])
        key = self.key
        part = key.left, key.right
        return Ack(key.id, key.tree, key.attempt, True, delivered, names, unnamed, *part)
