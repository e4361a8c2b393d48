"""The small pieces that frames are made of on the wire: numbers, addresses, texts, lists.

Rules of this file:
- A reader never trusts a length: it checks what is left before it takes or reserves anything.
- Every value has exactly one encoding, so that equal frames are equal bytes.
- `FrameError` is the only thing a reader raises.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from snowcast.core.address import ADDRESS_BYTES, IPV4_PREFIX, Address
from snowcast.core.errors import FrameError
from snowcast.core.member import Member, State

UVARINT_BYTES_MAX = 10
DIGEST_BYTES = 8
IPV4_SKIP = len(IPV4_PREFIX)
NARROW_BYTES = ADDRESS_BYTES - IPV4_SKIP

T = TypeVar("T")


class NeedsWide(Exception):
    """Raised by a narrow writer at an IPv6 address: begin again with a wide one."""


def uvarint(number: int) -> bytes:
    """Seven bits a byte, the low ones first, the high bit saying that more follow."""
    if number < 0x80:
        return number.to_bytes(1, "big")
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def uvarint_size(number: int) -> int:
    """How many bytes `uvarint` takes."""
    return max(1, (number.bit_length() + 6) // 7)


def read_uvarint(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """The number at `at` and where it ends."""
    number = shift = 0
    for end in range(at, min(at + UVARINT_BYTES_MAX, len(data))):
        byte = data[end]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            if (byte == 0 and shift) or number >> 64:
                break
            return number, end + 1
        shift += 7
    raise FrameError("a number that is cut off, too long or not in its shortest form")


@lru_cache(maxsize=8192)
def narrow_address(packed: bytes) -> Address:
    """The IPv4 address in `packed`. Those seen lately are remembered, and are the same object."""
    if len(packed) != NARROW_BYTES:
        raise FrameError("an address that is cut off")
    return wide_address(IPV4_PREFIX + packed)


def wide_address(packed: bytes) -> Address:
    """The address in `packed`, written whole."""
    if len(packed) != ADDRESS_BYTES:
        raise FrameError("an address that is cut off")
    address = Address(packed)
    if not address.port:
        raise FrameError("an address with port 0")
    return address


class Writer:
    """Collects the fields of one frame; `wide` writes addresses whole, else as IPv4."""

    __slots__ = ("out", "wide")

    def __init__(self, wide: bool) -> None:
        self.out = bytearray()
        self.wide = wide

    def flag(self, value: bool) -> None:
        self.out.append(value)

    def number(self, value: int) -> None:
        self.out += uvarint(value)

    def digest(self, value: int) -> None:
        self.out += value.to_bytes(DIGEST_BYTES, "big")

    def address(self, value: Address) -> None:
        if self.wide:
            self.out += value
        elif value.is_ipv4:
            self.out += value[IPV4_SKIP:]
        else:
            raise NeedsWide

    def text(self, value: str) -> None:
        encoded = value.encode()
        self.number(len(encoded))
        self.out += encoded

    def member(self, value: Member) -> None:
        self.address(value.address)
        self.number(value.incarnation)
        self.number(value.state)
        self.text(value.name)
        self.number(len(value.tags))
        for key, tag in value.tags:
            self.text(key)
            self.text(tag)

    def many(self, write: Callable[[T], None], values: tuple[T, ...]) -> None:
        self.number(len(values))
        for value in values:
            write(value)


class Reader:
    """Takes the fields of one frame, in order, from bytes that nobody vouches for."""

    __slots__ = ("_needs_wide", "at", "data", "wide")

    def __init__(self, data: bytes, at: int, wide: bool) -> None:
        self.data = data
        self.at = at
        self.wide = wide
        self._needs_wide = False

    def finish(self) -> None:
        """Raise FrameError if anything is left over, or was written longer than it needs."""
        if self.at != len(self.data):
            raise FrameError("bytes after the end of a frame")
        if self.wide and not self._needs_wide:
            raise FrameError("wide addresses in a frame that holds none but IPv4")

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        end = self.at + size
        if end > len(self.data):
            raise FrameError("a frame that is cut off")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def flag(self) -> bool:
        value = self.take(1)[0]
        if value > 1:
            raise FrameError("a flag that is neither set nor unset")
        return value == 1

    def number(self) -> int:
        value, self.at = read_uvarint(self.data, self.at)
        return value

    def digest(self) -> int:
        return int.from_bytes(self.take(DIGEST_BYTES), "big")

    def address(self) -> Address:
        if not self.wide:
            return narrow_address(self.take(NARROW_BYTES))
        address = wide_address(self.take(ADDRESS_BYTES))
        self._needs_wide = self._needs_wide or not address.is_ipv4
        return address

    def text(self) -> str:
        try:
            return str(self.take(self.number()), "utf-8")
        except UnicodeDecodeError:
            raise FrameError("text that is not UTF-8") from None

    def member(self) -> Member:
        address, incarnation, state = self.address(), self.number(), self.number()
        if state > max(State):
            raise FrameError(f"no member state {state}")
        name = self.text()
        tags = self.many(lambda: (self.text(), self.text()), 2)
        return Member(address, incarnation, State(state), name, tags)

    def many(self, read: Callable[[], T], item_bytes_min: int) -> tuple[T, ...]:
        count = self.number()
        if count * item_bytes_min > len(self.data) - self.at:
            raise FrameError("a list longer than its frame")
        return tuple([read() for _ in range(count)])
