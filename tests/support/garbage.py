"""Bytes that are nearly frames, by the thousand, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.codec import decode, encode
from snowcast.core.errors import FrameError
from snowcast.core.member import Member, State
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import uvarint
from support.rings import member

WIDE = Address.parse("[fd00::1]:7946")
_ID = f.MessageId(member(1), 1_800_000_000, 7)
_MEMBERS = (
    Member(member(2), 3 << 16, State.SUSPECT, "schnee", (("zone", "a"), ("rack", "7"))),
    Member(WIDE, 1 << 16, State.LEFT),
)

SPECIMENS: tuple[f.Frame, ...] = (
    f.Data(_ID, Tree.STANDARD, None, None, b"payload"),
    f.Data(_ID, Tree.PRIMARY, member(1), WIDE, b"", hop=255, attempt=3, is_reliable=True),
    f.Data(_ID, Tree.SECONDARY, None, member(9), bytes(300), is_system=True),
    f.Data(_ID, Tree.PRIMARY, None, None, b"ping", is_reliable=True, is_control=True),
    f.Hello("cluster", 4, RingOrder.HASHED, WIDE, 1_800_000_000),
    f.Hello("cluster", 4, RingOrder.ADDRESS, member(1), 1),
    f.Ack(_ID, Tree.PRIMARY, 1, True, 300, (member(3), member(4)), 5),
    f.AckQuery(_ID, Tree.STANDARD, 0),
    f.Ping(1 << 40, 2),
    f.Pong(1 << 40, 1 << 50, 2**64 - 1),
    f.PingRequest(1, WIDE, 3),
    f.Nack(1),
    f.JoinRequest(_MEMBERS[0]),
    f.ViewPart(_MEMBERS, True),
    f.JoinReady(1 << 16),
    f.Records(_MEMBERS[:1]),
    f.SyncDigest(1),
    f.SyncBuckets(1, 3, (1, 2, 2**64 - 1)),
    f.SyncRecords((1, 2), _MEMBERS, False),
    f.IHave((f.Offer(_ID, 3), f.Offer(f.MessageId(WIDE, 1, 2), 300))),
    f.Graft((_ID,)),
    f.Prune(),
    f.Prune((member(5), WIDE)),
    f.Answer(_ID, "well"),
)
"""A frame of each kind, with something in every field somewhere."""


def garbage(seed: int, count: int) -> Iterator[bytes]:
    """`count` byte strings, each a frame after some accidents, its length mended or not."""
    random = Random(seed)
    encoded = [encode(frame) for frame in SPECIMENS]
    for _ in range(count):
        body = bytearray(random.choice(encoded))[1 if random.random() < 0.5 else 0 :]
        for _ in range(random.randint(0, 3)):
            random.choice(_ACCIDENTS)(random, body)
        yield bytes(body) if random.random() < 0.5 else uvarint(len(body)) + body


def check_one_encoding(data: bytes) -> bool:
    """Whether `data` is a frame, and then its only encoding; anything but a FrameError gets out."""
    try:
        frame = decode(data)
    except FrameError:
        return False
    assert encode(frame) == data
    return True


def _flip(random: Random, body: bytearray) -> None:
    if body:
        body[random.randrange(len(body))] ^= 1 << random.randrange(8)


def _overwrite(random: Random, body: bytearray) -> None:
    if body:
        body[random.randrange(len(body))] = random.choice((0, 1, 0x7F, 0x80, 0xFF))


def _cut(random: Random, body: bytearray) -> None:
    del body[random.randint(0, len(body)) :]


def _drop(random: Random, body: bytearray) -> None:
    at = random.randint(0, len(body))
    del body[at : at + random.randint(1, 4)]


def _insert(random: Random, body: bytearray) -> None:
    at = random.randint(0, len(body))
    body[at:at] = random.randbytes(random.randint(1, 12))


def _splice(random: Random, body: bytearray) -> None:
    other = encode(random.choice(SPECIMENS))
    body[random.randint(0, len(body)) :] = other[random.randint(0, len(other)) :]


def _noise(random: Random, body: bytearray) -> None:
    body[:] = random.randbytes(random.randint(0, 40))


_ACCIDENTS = (_flip, _overwrite, _cut, _drop, _insert, _splice, _noise)
