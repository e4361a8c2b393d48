"""The view: what one node believes of the membership.

Paper, State Initialization and Membership Maintenance. The ring holds who is present, in order,
and a table beside it what is known of each; members that left or were evicted are tombstones.

Rules of this file:
- Only this file changes the ring, the table, the tombstones and the digests.
- Newer knowledge wins by `Member.supersedes`; the order in which it arrives does not matter.
- `version` changes whenever a plan made from this view could.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from snowcast.core.address import Address
from snowcast.core.digest import DigestTree, leaf_of
from snowcast.core.member import Member, State
from snowcast.core.region import Region
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.table import MemberTable

BULK = 32  # from so many arrivals on, the ring is built anew instead of grown


class Change(msgspec.Struct, frozen=True, gc=False):
    """One difference that new knowledge made; `old` is None if the address was unknown."""

    old: Member | None
    new: Member

    @property
    def is_new_life(self) -> bool:
        """Whether the node behind the address has restarted: nothing it knew is left."""
        return self.old is not None and self.old.life != self.new.life

    @property
    def is_arrival(self) -> bool:
        """Whether a node is on the ring now that was not before."""
        was_present = self.old is not None and self.old.is_present
        return self.new.is_present and (not was_present or self.is_new_life)

    @property
    def is_departure(self) -> bool:
        """Whether a node was on the ring and is not any more."""
        was_present = self.old is not None and self.old.is_present
        return was_present and (not self.new.is_present or self.is_new_life)


class View:
    """The sorted members of one node's cluster, as that node knows them."""

    __slots__ = ("_table", "_tombstones", "digests", "ring", "version")

    def __init__(self, order: RingOrder = RingOrder.ADDRESS) -> None:
        self.ring = Ring((), order)
        self.digests = DigestTree()
        self.version = 0
        self._table = MemberTable()
        self._tombstones: dict[Address, tuple[Member, int]] = {}  # and when it was learned

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, index: int) -> Member:
        return self._table.get(index, self.ring[index])

    def standing(self, index: int) -> tuple[Address, int, State]:
        """Of a member on the ring its address, incarnation and state: what a probe asks for."""
        incarnation, state = self._table.standing(index)
        return self.ring[index], incarnation, state

    @property
    def digest(self) -> int:
        """A number that is equal for equal views: the view's id, to be shown and compared."""
        return self.digests.root

    def members(self) -> list[Member]:
        """Who is present, in ring order."""
        return [self._table.get(index, address) for index, address in enumerate(self.ring)]

    def tombstones(self) -> list[Member]:
        """Who is remembered as left or evicted, oldest first."""
        return [member for member, _ in self._tombstones.values()]

    def get(self, address: Address) -> Member | None:
        """What is known of `address`, present or not."""
        index = self.ring.find(address)
        if index >= 0:
            return self._table.get(index, address)
        buried = self._tombstones.get(address)
        return buried[0] if buried else None

    def is_departed(self, address: Address) -> bool:
        """Whether `address` is known to have left or to have been evicted."""
        return address in self._tombstones

    def in_leaves(self, leaves: frozenset[int]) -> list[Member]:
        """Everything known, tombstones too, of the addresses in these leaf buckets."""
        found = [self[index] for index in self._table.in_leaves(leaves)]
        return found + [m for m in self.tombstones() if leaf_of(m.address) in leaves]

    def merge(self, members: Iterable[Member], now_us: int) -> list[Change]:
        """Take what is newer in `members`; return what that changed."""
        changes: list[Change] = []
        arrivals: dict[Address, Member] = {}
        for member in members:
            old = arrivals.get(member.address) or self.get(member.address)
            if old is not None and not member.supersedes(old):
                continue
            if member.address in arrivals:  # told twice in one go: the newer one stands
                changes = [change for change in changes if change.new is not old]
                del arrivals[member.address]
                old = self.get(member.address)
            changes.append(Change(old, member))
            if member.is_present and (old is None or not old.is_present):
                arrivals[member.address] = member
            else:
                self._update(old, member, now_us)
        self._insert(list(arrivals.values()))
        return changes

    def forget_tombstones(self, before_us: int) -> list[Address]:
        """Forget those who left or were evicted before then; return who that was."""
        forgotten = [
            address
            for address, (_, learned_us) in self._tombstones.items()
            if learned_us < before_us
        ]
        for address in forgotten:
            del self._tombstones[address]
            self.version += 1
        return forgotten

    def planning_ring(self, region: Region, centre: Address) -> Ring:
        """The ring on which `centre` plans `region`.

        A boundary that this view does not know is a candidate for this once; one that is known to
        have departed is not brought back (DESIGN 4.4). The ring itself is never changed by data.
        """
        ring = self.ring
        unknown = [
            boundary
            for boundary in (region.left, region.right)
            if boundary not in ring and boundary not in self._tombstones
        ]
        if centre not in ring:
            unknown.append(centre)
        return ring.with_members(unknown) if unknown else ring

    def _update(self, old: Member | None, new: Member, now_us: int) -> None:
        """Note what is not an arrival: a new state of a present member, or a tombstone."""
        if old is not None and old.is_present:
            index = self.ring.find(new.address)
            self.digests.toggle(old)
            if new.is_present:
                self.digests.toggle(new)
                self._table.replace(index, new)
                return
            self._table.remove(index)
            self.ring.remove(new.address)
        self.version += 1
        self._tombstones.pop(new.address, None)  # so that the newest is last
        self._tombstones[new.address] = (new, now_us)

    def _insert(self, arrivals: list[Member]) -> None:
        if not arrivals:
            return
        self.version += 1
        for member in arrivals:
            self._tombstones.pop(member.address, None)
        rows = {member.address: (member, self.digests.toggle(member)) for member in arrivals}
        if len(arrivals) < BULK:
            for address, row in rows.items():
                self.ring.insert(address)
                self._table.insert(self.ring.find(address), *row)
            return
        for index, member in enumerate(self.members()):
            rows[member.address] = member, self._table.leaf(index)
        self.ring = Ring(rows, self.ring.order)
        self._table = MemberTable.of(rows[address] for address in self.ring)
