"""The ring: every member of a view, sorted, in one run of bytes.

Paper, State Initialization: the sorted array of addresses is all the state a broadcast needs.
Entries are fixed-width keys (the address, or its hash and the address), so n IPv6 members cost n
times 18 bytes, a find is a binary search and an insert copies memory.

Rules of this file:
- Indices are positions in the sorted array; a walk that wraps takes them modulo its length.
- The bytes are never changed in place: rings that hold the same members may share them.
- `version` changes with every change of membership, so that a plan can be remembered by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

from snowcast.core.address import ADDRESS_BYTES, HASH_BYTES, Address
from snowcast.core.region import Region

NEAR = 2  # how far a relay may stand from the middle of its region where views agree


class RingOrder(StrEnum):
    """What places a member on the ring; all agents of a cluster agree on it."""

    ADDRESS = "address"
    HASHED = "hashed"


class Ring:
    """A sorted set of addresses, read circularly."""

    __slots__ = ("_is_hashed", "_keys", "_width", "order", "version")

    def __init__(
        self, members: Iterable[Address] = (), order: RingOrder = RingOrder.ADDRESS
    ) -> None:
        self.order = order
        self.version = 0
        self._is_hashed = order is RingOrder.HASHED
        self._width = HASH_BYTES + ADDRESS_BYTES if self._is_hashed else ADDRESS_BYTES
        self._keys = _one_copy(b"".join(sorted({self._key(member) for member in members})))

    def __len__(self) -> int:
        return len(self._keys) // self._width

    def __getitem__(self, index: int) -> Address:
        end = (index + 1) * self._width
        if not 0 < end <= len(self._keys):
            raise IndexError(f"no member at {index} of {len(self)}")
        return Address(self._keys[end - ADDRESS_BYTES : end])

    def __iter__(self) -> Iterator[Address]:
        for end in range(self._width, len(self._keys) + 1, self._width):
            yield Address(self._keys[end - ADDRESS_BYTES : end])

    def __contains__(self, address: Address) -> bool:
        return self.find(address) >= 0

    def position(self, address: Address) -> int:
        """The index of the first member not before `address`; `len(self)` if there is none."""
        return self._search(self._key(address), 0, len(self))

    def find(self, address: Address) -> int:
        """The index of `address`, or -1."""
        return self._find(address, 0, len(self))

    def offset(self, address: Address, start: int, count: int) -> int:
        """How far `address` is behind `start`, or -1 if it is none of the `count` members there.

        A relay stands in the middle of its region or beside it, so that is looked at first; and an
        address outside of the region, as a secondary tree's origin mostly is, is seen at the ends.
        """
        if not count:
            return -1
        keys, width, key = self._keys, self._width, self._key(address)
        n, end = len(keys) // width, start + count
        middle = (start + count // 2) % n
        near = keys.find(key, max(middle - NEAR, 0) * width, (middle + NEAR + 1) * width)
        if near >= 0 and near % width == 0:
            index = near // width
        elif end > n:
            index = self._find(address, 0, n)
        elif self._key_at(start) <= key <= self._key_at(end - 1):
            index = self._find(address, start, end)
        else:
            return -1
        offset = (index - start) % n
        return offset if index >= 0 and offset < count else -1

    def span(self, region: Region) -> tuple[int, int]:
        """Where the members inside `region` start, and how many there are.

        The boundaries are positions: they need not be members (DESIGN 4.4).
        """
        left, right = self._key(region.left), self._key(region.right)
        n = len(self)
        start = self._search(left, 0, n)
        end = self._search(right, start, n) if left <= right else self._search(right, 0, start)
        if self._keys[end * self._width : (end + 1) * self._width] == right:
            end += 1
        return start, end - start if left <= right else n - start + end

    def members(self, region: Region) -> list[Address]:
        """The members inside `region`, in ring order from its left boundary."""
        start, count = self.span(region)
        return [self[(start + offset) % len(self)] for offset in range(count)]

    def covers(self, region: Region, address: Address) -> bool:
        """Whether `address`, member or not, lies inside `region`."""
        left: bytes = region.left
        right: bytes = region.right
        key: bytes = address
        if self._is_hashed:
            left, right = self._key(region.left), self._key(region.right)
            key = self._key(address)
        return left <= key <= right if left <= right else key >= left or key <= right

    def insert(self, address: Address) -> bool:
        """Add `address`; False if it was there."""
        key = self._key(address)
        start = self._search(key, 0, len(self)) * self._width
        if self._keys[start : start + self._width] == key:
            return False
        self._keys = b"".join((self._keys[:start], key, self._keys[start:]))
        self.version += 1
        return True

    def remove(self, address: Address) -> bool:
        """Take `address` out; False if it was not there."""
        index = self.find(address)
        if index < 0:
            return False
        start = index * self._width
        self._keys = self._keys[:start] + self._keys[start + self._width :]
        self.version += 1
        return True

    def is_unchanged_since(self, copy: Ring) -> bool:
        """Whether nothing has changed since `copy` was taken; may say no where nothing has."""
        return self._keys is copy._keys

    def with_members(self, extra: Iterable[Address]) -> Ring:
        """A ring that also holds `extra`; this one stays as it is."""
        copy = Ring.__new__(Ring)
        copy.order, copy.version = self.order, 0
        copy._is_hashed, copy._width, copy._keys = self._is_hashed, self._width, self._keys
        for address in extra:
            copy.insert(address)
        return copy

    def _key(self, address: Address) -> bytes:
        return address.hashed() + address if self._is_hashed else address

    def _key_at(self, index: int) -> bytes:
        return self._keys[index * self._width : (index + 1) * self._width]

    def _find(self, address: Address, low: int, high: int) -> int:
        """The index of `address`, which is from `low` to `high` if anywhere; -1 if it is not."""
        key = self._key(address)
        index = self._search(key, low, high)
        start = index * self._width
        return index if self._keys[start : start + self._width] == key else -1

    def _search(self, key: bytes, low: int, high: int) -> int:
        """The index of the first key not before `key`, which is known to be from `low` to `high`.

        Narrow bounds are what makes planning cheap: most regions are small (bench/plan.py).
        """
        keys, width = self._keys, self._width
        while low < high:
            middle = (low + high) >> 1
            start = middle * width
            if keys[start : start + width] < key:
                low = middle + 1
            else:
                high = middle
        return low


@lru_cache(maxsize=1)
def _one_copy(keys: bytes) -> bytes:
    """Equal keys as the same object, for those who run many nodes in one process."""
    return keys
