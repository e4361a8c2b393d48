"""Frames as bytes, and back.

A frame is its length, a byte for its kind, its fields, and for data the payload:

    length      uvarint, of all that follows
    head        1 byte: wide (1 bit), version (2 bits), kind (5 bits)
    fields      as `fields.FIELDS` says; data frames have a form of their own:

    flags       1 byte: tree (2 bits), left, right, reliable, system, attempt, control
    hop         1 byte
    origin, life, sequence              the message's id
    left, right, attempt                each only if its flag is set
    payload     the rest

Unless `wide` is set all addresses are IPv4 and take 6 bytes, else all take 18. A leaf's frame has
no boundaries. docs/PROTOCOL.md says the same in prose.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import msgspec

from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.errors import FrameError, UsageError
from snowcast.core.fields import FIELDS, MEMBERS
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.member import Member
from snowcast.core.trees import Assignment, Tree
from snowcast.core.wire import (
    IPV4_SKIP,
    NARROW_BYTES,
    UVARINT_BYTES_MAX,
    NeedsWide,
    Reader,
    Writer,
    narrow_address,
    read_uvarint,
    uvarint,
    wide_address,
)
from snowcast.core.wire import uvarint_size as size_of

VERSION = 0
PAYLOAD_BYTES_MAX = 16 << 20
HEAD_BYTES_MAX = 128  # no data frame's head is larger
FRAME_BYTES_MAX = PAYLOAD_BYTES_MAX + HEAD_BYTES_MAX  # what follows the length
HOP_MAX = 255

_WIDE, _VERSION_BITS, _KIND_BITS = 0x80, 0x60, 0x1F
_HEAD = VERSION << 5
_TREE_BITS, _LEFT, _RIGHT, _RELIABLE = 0x03, 0x04, 0x08, 0x10
_SYSTEM, _ATTEMPT, _CONTROL = 0x20, 0x40, 0x80
_TWO_KINDS = _SYSTEM | _CONTROL
_TREES = tuple(Tree)
_KINDS = tuple(FIELDS)
_KIND_OF = {kind: number for number, kind in enumerate(_KINDS)}
_DATA = _KIND_OF[Data]
FIXED_BYTES = 3  # head, flags, hop
_LENGTH_BYTES_MAX = 4  # of FRAME_BYTES_MAX as uvarint


def encode(frame: Frame) -> bytes:
    """The bytes of `frame`, its length first."""
    if isinstance(frame, Data):
        return data_head(frame) + frame.payload
    try:
        body = _encode_fields(frame, wide=False)
    except NeedsWide:
        body = _encode_fields(frame, wide=True)
    if len(body) > FRAME_BYTES_MAX:
        raise UsageError(f"a frame of {len(body)} bytes is over the limit of {FRAME_BYTES_MAX}")
    return uvarint(len(body)) + body


def data_head(data: Data) -> bytes:
    """The bytes of a data frame before its payload, so that a relay need not copy that."""
    if len(data.payload) > PAYLOAD_BYTES_MAX:
        raise UsageError(
            f"a payload of {len(data.payload)} bytes is over the limit of {PAYLOAD_BYTES_MAX}"
        )
    flags = flags_of(data) | sides_of(data)
    skip = 0 if _is_wide(data) else IPV4_SKIP
    id = data.id
    tail = id.origin[skip:] + uvarint(id.life) + uvarint(id.sequence)
    if data.left is not None:
        tail += data.left[skip:]
    if data.right is not None:
        tail += data.right[skip:]
    if data.attempt:
        tail += uvarint(data.attempt)
    head = fixed_head(flags, min(data.hop, HOP_MAX), not skip)
    return uvarint(FIXED_BYTES + len(tail) + len(data.payload)) + head + tail


def flags_of(data: Data) -> int:
    """The flags of a data frame, but for its boundaries."""
    flags: int = data.tree
    if data.is_reliable:
        flags |= _RELIABLE
    if data.is_system:
        flags |= _SYSTEM
    if data.is_control:
        flags |= _CONTROL
    if data.attempt:
        flags |= _ATTEMPT
    return flags


def sides_of(part: Data | Assignment) -> int:
    """The flags for its boundaries."""
    return (part.left is not None) * _LEFT | (part.right is not None) * _RIGHT


def fixed_head(flags: int, hop: int, is_wide: bool = False) -> bytes:
    """What a data frame begins with, after its length."""
    return bytes((_HEAD | is_wide * _WIDE, flags, hop))


def frame_size(frame: Frame) -> int:
    """How many bytes `encode` makes of `frame`, without making them where it is data."""
    if not isinstance(frame, Data):
        return len(encode(frame))
    addresses = 1 + (frame.left is not None) + (frame.right is not None)
    body = FIXED_BYTES + size_of(frame.id.life) + size_of(frame.id.sequence) + len(frame.payload)
    body += addresses * (ADDRESS_BYTES if _is_wide(frame) else ADDRESS_BYTES - IPV4_SKIP)
    body += size_of(frame.attempt) if frame.attempt else 0
    return size_of(body) + body


def decode(data: bytes) -> Frame:
    """The one frame that `data` is, length included; FrameError if it is anything else."""
    length, at = read_uvarint(data, 0)
    if length != len(data) - at or length > FRAME_BYTES_MAX:
        raise FrameError("a length that does not match")
    return decode_at(data, at, len(data))


def decode_body(body: bytes) -> Frame:
    """The frame whose bytes after the length are `body`; FrameError if they are none."""
    return decode_at(body, 0, len(body))


def decode_at(data: bytes, start: int, end: int) -> Frame:
    """As `decode_body(data[start:end])`; data frames, which are most, are read in place."""
    if start >= end:
        raise FrameError("an empty frame")
    head = data[start]
    if head & _VERSION_BITS != _HEAD:
        raise FrameError(f"version {(head & _VERSION_BITS) >> 5}, not {VERSION}")
    number = head & _KIND_BITS
    if number == _DATA:
        return _read_data(data, start, end, bool(head & _WIDE))
    if number >= len(_KINDS):
        raise FrameError(f"no kind of frame {number}")
    reader = Reader(data[start:end], 1, bool(head & _WIDE))
    kind = _KINDS[number]
    frame = kind(*[field.read(reader) for field in FIELDS[kind]])
    reader.finish()
    return cast(Frame, frame)


def decode_large(body: bytearray) -> Frame:
    """As `decode_body`, but the payload of an application's message stays where it is."""
    head = bytes(body[:HEAD_BYTES_MAX])
    frame = decode_body(head) if head and head[0] & _KIND_BITS == _DATA else None
    if not isinstance(frame, Data) or frame.is_system or frame.is_control:
        return decode_body(bytes(body))
    payload = memoryview(body)[len(head) - len(frame.payload) :].toreadonly()
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise FrameError("a payload over the limit")
    return msgspec.structs.replace(frame, payload=payload)


def encode_members(members: tuple[Member, ...]) -> bytes:
    """An announcement: what the payload of a system message is."""
    writer = Writer(wide=True)
    MEMBERS.write(writer, members)
    return bytes(writer.out)


@lru_cache(maxsize=8)
def decode_members(payload: bytes) -> tuple[Member, ...]:
    """The members of an announcement; FrameError if it is none.

    The last few are remembered: nodes that share a process all get the same announcement.
    """
    reader = Reader(payload, 0, wide=True)
    members: tuple[Member, ...] = MEMBERS.read(reader)
    if reader.at != len(payload):
        raise FrameError("bytes after the end of an announcement")
    return members


class Splitter:
    """Cuts a stream of bytes into frames."""

    __slots__ = ("_buffer", "_length", "bytes_max")

    def __init__(self, bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._buffer = bytearray()
        self._length = 0
        self.bytes_max = bytes_max

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes. After a FrameError the stream is lost: close it."""
        buffer = self._buffer
        buffer += data
        frames: list[Frame] = []
        at = 0
        while (start := self._after_length(at)) is not None:
            end = start + self._length
            if end > len(buffer):
                break
            frames.append(decode_body(bytes(buffer[start:end])))
            at = end
        del buffer[:at]
        return frames

    def _after_length(self, at: int) -> int | None:
        """Where the length at `at` ends, having read it; None if it is not all here."""
        prefix = self._buffer[at : at + _LENGTH_BYTES_MAX]
        if len(prefix) < _LENGTH_BYTES_MAX and min(prefix, default=0x80) >= 0x80:
            return None
        self._length, size = read_uvarint(prefix, 0)
        if self._length > self.bytes_max:
            raise FrameError(f"a frame of {self._length} bytes, over the limit of {self.bytes_max}")
        return at + size


def _encode_fields(frame: Any, wide: bool) -> bytes:
    writer = Writer(wide)
    kind = type(frame)
    writer.out.append(_HEAD | _KIND_OF[kind] | wide * _WIDE)
    for name, field in zip(kind.__struct_fields__, FIELDS[kind], strict=True):
        field.write(writer, getattr(frame, name))
    return bytes(writer.out)


def _is_wide(data: Data) -> bool:
    return not (
        data.id.origin.is_ipv4
        and (data.left is None or data.left.is_ipv4)
        and (data.right is None or data.right.is_ipv4)
    )


@lru_cache(maxsize=4096)
def _source(packed: bytes, size: int) -> tuple[Address, int]:
    """What an id begins with: the origin, `size` bytes of it, and its life."""
    life, end = read_uvarint(packed, size)
    assert end == len(packed), "cut where the number ends"
    return (narrow_address if size == NARROW_BYTES else wide_address)(packed[:size]), life


def _read_data(data: bytes, start: int, end: int, is_wide: bool) -> Data:
    """The data frame in `data[start:end]`. What comes after it may be read, but never used."""
    try:
        flags, hop = data[start + 1], data[start + 2]
        if flags & _TREE_BITS >= len(_TREES) or flags & _TWO_KINDS == _TWO_KINDS:
            raise FrameError(f"no flags {flags:#04x}")
        read_address, size = (
            (wide_address, ADDRESS_BYTES) if is_wide else (narrow_address, NARROW_BYTES)
        )
        source = start + FIXED_BYTES
        at = source + size
        longest = at + UVARINT_BYTES_MAX
        while data[at] >= 0x80 and at < longest:
            at += 1
        at += 1
        origin, life = _source(data[source:at], size)
        sequence, at = read_uvarint(data, at)
        left = right = None
        if flags & _LEFT:
            left = read_address(data[at : at + size])
            at += size
        if flags & _RIGHT:
            right = read_address(data[at : at + size])
            at += size
        attempt = 0
        if flags & _ATTEMPT:
            attempt, at = read_uvarint(data, at)
            if not attempt:
                raise FrameError("a first attempt that is spelt out")
    except IndexError:
        raise FrameError("a frame that is cut off") from None
    if at > end:
        raise FrameError("a frame that is cut off")
    if end - at > PAYLOAD_BYTES_MAX:
        raise FrameError("a payload over the limit")
    frame = Data(
        MessageId(origin, life, sequence),
        _TREES[flags & _TREE_BITS],
        left,
        right,
        data[at:end],
        hop,
        attempt,
        flags & _RELIABLE != 0,
        flags & _SYSTEM != 0,
        flags & _CONTROL != 0,
    )
    if is_wide and not _is_wide(frame):
        raise FrameError("wide addresses in a frame that holds none but IPv4")
    return frame
