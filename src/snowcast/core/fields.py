"""How each kind of frame, but data, is laid out on the wire: a table.

The fields of a kind stand in the order of its class. Adding a frame is adding a class in `frames`
and a row here, at the end: the place in the table is the kind's number on the wire.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from snowcast.core import frames as f
from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.errors import FrameError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import DIGEST_BYTES, IPV4_SKIP, Reader, Writer

MEMBER_BYTES_MIN = 10
MESSAGE_ID_BYTES_MIN = ADDRESS_BYTES - IPV4_SKIP + 2

E = TypeVar("E", bound=Enum)


class Field(NamedTuple):
    """How one type of field is written and read."""

    write: Callable[[Writer, Any], None]
    read: Callable[[Reader], Any]


def _list_of(item: Field, item_bytes_min: int) -> Field:
    def write(writer: Writer, values: tuple[Any, ...]) -> None:
        writer.many(lambda value: item.write(writer, value), values)

    def read(reader: Reader) -> tuple[Any, ...]:
        return reader.many(lambda: item.read(reader), item_bytes_min)

    return Field(write, read)


def _one_of(kind: type[E], raw: object) -> E:
    try:
        return kind(raw)
    except ValueError:
        raise FrameError(f"no {kind.__name__} {raw!r:.40}") from None


def _write_id(writer: Writer, value: f.MessageId) -> None:
    writer.address(value.origin)
    writer.number(value.life)
    writer.number(value.sequence)


def _read_id(reader: Reader) -> f.MessageId:
    return f.MessageId(reader.address(), reader.number(), reader.number())


def _write_offer(writer: Writer, value: f.Offer) -> None:
    _write_id(writer, value.id)
    writer.number(value.hop)


def _write_boundary(writer: Writer, value: Address | None) -> None:
    writer.flag(value is not None)
    if value is not None:
        writer.address(value)


NUMBER = Field(Writer.number, Reader.number)
FLAG = Field(Writer.flag, Reader.flag)
DIGEST = Field(Writer.digest, Reader.digest)
TEXT = Field(Writer.text, Reader.text)
ADDRESS = Field(Writer.address, Reader.address)
BOUNDARY = Field(_write_boundary, lambda r: r.address() if r.flag() else None)
MEMBER = Field(Writer.member, Reader.member)
MESSAGE_ID = Field(_write_id, _read_id)
OFFER = Field(_write_offer, lambda r: f.Offer(_read_id(r), r.number()))
TREE = Field(Writer.number, lambda r: _one_of(Tree, r.number()))
ORDER = Field(Writer.text, lambda r: _one_of(RingOrder, r.text()))
NUMBERS = _list_of(NUMBER, 1)
DIGESTS = _list_of(DIGEST, DIGEST_BYTES)
ADDRESSES = _list_of(ADDRESS, ADDRESS_BYTES - IPV4_SKIP)
MEMBERS = _list_of(MEMBER, MEMBER_BYTES_MIN)
MESSAGE_IDS = _list_of(MESSAGE_ID, MESSAGE_ID_BYTES_MIN)
OFFERS = _list_of(OFFER, MESSAGE_ID_BYTES_MIN + 1)

FIELDS: dict[type, tuple[Field, ...]] = {
    f.Data: (),  # kind 0: `codec` lays it out
    f.Hello: (TEXT, NUMBER, ORDER, ADDRESS, NUMBER),
    f.Ack: (MESSAGE_ID, TREE, NUMBER, FLAG, NUMBER, ADDRESSES, NUMBER, BOUNDARY, BOUNDARY),
    f.AckQuery: (MESSAGE_ID, TREE, NUMBER, BOUNDARY, BOUNDARY),
    f.Ping: (NUMBER, NUMBER),
    f.Pong: (NUMBER, NUMBER, DIGEST),
    f.PingRequest: (NUMBER, ADDRESS, NUMBER),
    f.Nack: (NUMBER,),
    f.JoinRequest: (MEMBER,),
    f.ViewPart: (MEMBERS, FLAG),
    f.JoinReady: (NUMBER,),
    f.Records: (MEMBERS,),
    f.SyncDigest: (DIGEST,),
    f.SyncBuckets: (NUMBER, NUMBER, DIGESTS),
    f.SyncRecords: (NUMBERS, MEMBERS, FLAG),
    f.IHave: (OFFERS,),
    f.Graft: (MESSAGE_IDS,),
    f.Prune: (ADDRESSES,),
    f.Answer: (MESSAGE_ID, TEXT),
}
