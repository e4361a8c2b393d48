"""The member table: what is known of each member on the ring, column by column.

Paper, State Initialization: a view must stay small where clusters are large. A `Member` is an
object of some 230 bytes with all that belongs to it; here a member takes 45 and its name, and the
`Member` is made when somebody asks. Rows stand in ring order; the address is the ring's to keep.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable
from typing import Self

from snowcast.core.address import Address
from snowcast.core.member import Member, State

STATES = tuple(State)


class MemberTable:
    """Columns of equal length: row i is about the member at place i of the ring."""

    __slots__ = ("_incarnations", "_leaves", "_names", "_states", "_tags")

    def __init__(self) -> None:
        self._incarnations = array("Q")
        self._states = array("B")
        self._leaves = array("H")
        self._names: list[str] = []
        self._tags: list[tuple[tuple[str, str], ...]] = []

    @classmethod
    def of(cls, rows: Iterable[tuple[Member, int]]) -> Self:
        """A table of members with their leaf buckets, which come in ring order."""
        table = cls()
        for index, (member, leaf) in enumerate(rows):
            table.insert(index, member, leaf)
        return table

    def __len__(self) -> int:
        return len(self._states)

    def get(self, index: int, address: Address) -> Member:
        """The member in a row, whose address is known to the ring."""
        return Member(
            address,
            self._incarnations[index],
            STATES[self._states[index]],
            self._names[index],
            self._tags[index],
        )

    def standing(self, index: int) -> tuple[int, State]:
        """The incarnation and the state of a row, without making the whole member."""
        return self._incarnations[index], STATES[self._states[index]]

    def leaf(self, index: int) -> int:
        """The leaf bucket of a row."""
        return self._leaves[index]

    def insert(self, index: int, member: Member, leaf: int) -> None:
        """A new row; those behind it move."""
        self._incarnations.insert(index, member.incarnation)
        self._states.insert(index, member.state)
        self._leaves.insert(index, leaf)
        self._names.insert(index, member.name)
        self._tags.insert(index, member.tags)

    def replace(self, index: int, member: Member) -> None:
        """Newer knowledge of the same address."""
        self._incarnations[index] = member.incarnation
        self._states[index] = member.state
        self._names[index] = member.name
        self._tags[index] = member.tags

    def remove(self, index: int) -> None:
        """Take a row out."""
        for column in (self._incarnations, self._states, self._leaves, self._names, self._tags):
            del column[index]

    def in_leaves(self, leaves: Collection[int]) -> list[int]:
        """The rows that are in these leaf buckets."""
        return [index for index, leaf in enumerate(self._leaves) if leaf in leaves]
