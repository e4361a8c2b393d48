"""The table that lays out every kind of frame: complete, in order, and read as it is written."""

from __future__ import annotations

import typing

import msgspec
import pytest

from snowcast.core import fields
from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.errors import FrameError
from snowcast.core.fields import FIELDS, MEMBER_BYTES_MIN, Field
from snowcast.core.member import Member
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import Reader, Writer
from support.rings import member

KINDS = typing.get_args(f.Frame)


def test_every_kind_of_frame_has_its_row_and_no_other_has() -> None:
    assert set(FIELDS) == set(KINDS)
    assert len(FIELDS) <= 32  # five bits for the kind


def test_the_place_of_a_kind_is_its_number_on_the_wire_and_never_changes() -> None:
    assert [kind.__name__ for kind in FIELDS] == [
        "Data",
        "Hello",
        "Ack",
        "AckQuery",
        "Ping",
        "Pong",
        "PingRequest",
        "Nack",
        "JoinRequest",
        "ViewPart",
        "JoinReady",
        "Records",
        "SyncDigest",
        "SyncBuckets",
        "SyncRecords",
        "IHave",
        "Graft",
        "Prune",
        "Answer",
    ]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not f.Data])
def test_a_row_has_a_field_for_each_attribute_of_its_class(kind: type[msgspec.Struct]) -> None:
    assert len(FIELDS[kind]) == len(kind.__struct_fields__)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not f.Data])
def test_a_field_is_of_the_type_of_its_attribute(kind: type[msgspec.Struct]) -> None:
    types = typing.get_type_hints(kind)
    expected = [FIELD_OF[types[name]] for name in kind.__struct_fields__]
    for name, field, allowed in zip(kind.__struct_fields__, FIELDS[kind], expected, strict=True):
        assert field in allowed, f"{kind.__name__}.{name}"


FIELD_OF: dict[object, tuple[Field, ...]] = {
    int: (fields.NUMBER, fields.DIGEST),
    bool: (fields.FLAG,),
    str: (fields.TEXT,),
    Tree: (fields.TREE,),
    RingOrder: (fields.ORDER,),
    f.MessageId: (fields.MESSAGE_ID,),
    Address: (fields.ADDRESS,),
    Address | None: (fields.BOUNDARY,),
    Member: (fields.MEMBER,),
    tuple[int, ...]: (fields.NUMBERS, fields.DIGESTS),
    tuple[Address, ...]: (fields.ADDRESSES,),
    tuple[Member, ...]: (fields.MEMBERS,),
    tuple[f.MessageId, ...]: (fields.MESSAGE_IDS,),
    tuple[f.Offer, ...]: (fields.OFFERS,),
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (fields.NUMBER, 300),
        (fields.FLAG, True),
        (fields.DIGEST, 2**64 - 1),
        (fields.TEXT, "schnee"),
        (fields.ADDRESS, member(1)),
        (fields.BOUNDARY, member(1)),
        (fields.BOUNDARY, None),
        (fields.MEMBER, Member(member(1), 3, name="a", tags=(("zone", "b"), ("rack", "")))),
        (fields.MESSAGE_ID, f.MessageId(member(1), 2, 3)),
        (fields.TREE, Tree.SECONDARY),
        (fields.ORDER, RingOrder.HASHED),
        (fields.NUMBERS, (1, 2, 3)),
        (fields.DIGESTS, (0, 2**64 - 1)),
        (fields.ADDRESSES, (member(1), member(2))),
        (fields.MEMBERS, (Member(member(1), 1), Member(member(2), 2))),
    ],
)
def test_a_field_reads_what_it_wrote(field: Field, value: object) -> None:
    writer = Writer(wide=False)
    field.write(writer, value)
    reader = Reader(bytes(writer.out), 0, wide=False)
    read = field.read(reader)
    assert read == value
    assert type(read) is type(value)
    assert reader.at == len(writer.out)


def test_the_smallest_member_is_as_small_as_the_table_says() -> None:
    writer = Writer(wide=False)
    writer.member(Member(member(1), 0))
    assert len(writer.out) == MEMBER_BYTES_MIN


@pytest.mark.parametrize(
    "items",
    [
        fields.ADDRESSES,
        fields.MEMBERS,
        fields.DIGESTS,
        fields.NUMBERS,
        fields.MESSAGE_IDS,
        fields.OFFERS,
    ],
)
def test_a_list_of_a_thousand_of_the_smallest_items_is_not_taken_for_a_lie(items: Field) -> None:
    smallest = {
        fields.ADDRESSES: member(1),
        fields.MEMBERS: Member(member(1), 0),
        fields.DIGESTS: 0,
        fields.NUMBERS: 0,
        fields.MESSAGE_IDS: f.MessageId(member(1), 0, 0),
        fields.OFFERS: f.Offer(f.MessageId(member(1), 0, 0), 0),
    }
    writer = Writer(wide=False)
    items.write(writer, (smallest[items],) * 1000)
    assert len(items.read(Reader(bytes(writer.out), 0, wide=False))) == 1000


def test_a_tree_or_a_ring_order_that_does_not_exist_is_refused_in_few_words() -> None:
    with pytest.raises(FrameError, match="no Tree 3"):
        fields.TREE.read(Reader(b"\x03", 0, wide=False))
    for text in ("", "Address", "sideways" * 10_000):
        writer = Writer(wide=False)
        writer.text(text)
        with pytest.raises(FrameError, match="no RingOrder") as refused:
            fields.ORDER.read(Reader(bytes(writer.out), 0, wide=False))
        assert len(str(refused.value)) < 100  # it may be logged, and a stranger wrote it
