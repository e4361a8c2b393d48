"""Frames as bytes and back: one encoding each, and nothing but FrameError for anything else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.codec import (
    FRAME_BYTES_MAX,
    HOP_MAX,
    PAYLOAD_BYTES_MAX,
    Splitter,
    data_head,
    decode,
    decode_at,
    decode_body,
    decode_large,
    decode_members,
    encode,
    encode_members,
    frame_size,
)
from snowcast.core.errors import FrameError, UsageError
from snowcast.core.member import Member
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import read_uvarint, uvarint
from support.effort import THOROUGH
from support.frames import (
    KINDS,
    LEAF,
    WIDE_BIT,
    body_of,
    data_frames,
    fed,
    frames,
    frames_of,
    ipv4_frames,
    members,
)
from support.garbage import WIDE
from support.rings import any_addresses, member


def spoilers() -> st.SearchStrategy[tuple[int, int]]:
    """A place in some bytes, and what to put there."""
    return st.tuples(st.integers(0, 1 << 10), st.integers(0, 255))


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_every_kind_of_frame_reads_back_as_it_was(kind: type[f.Frame], data: st.DataObject) -> None:
    frame = data.draw(frames_of(kind))
    decoded = decode(encode(frame))
    assert decoded == frame
    assert type(decoded) is kind


@THOROUGH
@given(frames())
def test_the_size_of_a_frame_is_the_length_of_its_bytes(frame: f.Frame) -> None:
    assert frame_size(frame) == len(encode(frame))


@given(data_frames())
def test_a_data_frame_is_its_head_and_then_its_payload(data: f.Data) -> None:
    assert data_head(data) + data.payload == encode(data)


def outcome(read: Callable[[], f.Frame]) -> f.Frame | None:
    """What is read, or None if it is refused."""
    try:
        return read()
    except FrameError:
        return None


@THOROUGH
@given(st.binary(max_size=40), frames(), st.lists(spoilers(), max_size=2), st.binary(max_size=40))
def test_a_frame_is_read_among_others_as_it_is_read_alone(
    before: bytes, frame: f.Frame, spoiled: list[tuple[int, int]], after: bytes
) -> None:
    body = bytearray(body_of(frame))
    for place, byte in spoiled:
        body[place % len(body)] = byte
    body = body[: len(body) - (spoiled[0][0] % 4 if spoiled else 0)]
    start, end = len(before), len(before) + len(body)
    alone = outcome(lambda: decode_body(bytes(body)))
    assert outcome(lambda: decode_at(before + body + after, start, end)) == alone


@given(data_frames(), st.sampled_from([0, 1, 60, 200, 70_000]), st.lists(spoilers(), max_size=1))
def test_a_large_frame_is_read_in_place_as_it_is_read_alone(
    data: f.Data, size: int, spoiled: list[tuple[int, int]]
) -> None:
    body = bytearray(body_of(msgspec.structs.replace(data, payload=bytes(size))))
    for place, byte in spoiled:
        body[place % min(len(body), 60)] = byte
    alone = outcome(lambda: decode_body(bytes(body)))
    assert outcome(lambda: decode_large(body)) == alone


def test_the_payload_of_a_large_frame_is_not_copied() -> None:
    body = bytearray(body_of(msgspec.structs.replace(LEAF, payload=bytes(100_000))))
    frame = decode_large(body)
    assert isinstance(frame, f.Data)
    body[-1] = 1
    assert frame.payload[-1] == 1


@pytest.mark.parametrize("size", [0, 83, 84, 85, 111, 112, 113, 16_000, 16_384, 1 << 20])
def test_the_length_is_right_where_it_grows_by_a_byte(size: int) -> None:
    for frame in (f.Data(LEAF.id, Tree.STANDARD, member(1), WIDE, bytes(size)),):
        data = encode(frame)
        length, start = read_uvarint(data, 0)
        assert length == len(data) - start
        assert frame_size(frame) == len(data)
        assert decode(data) == frame


def test_a_leaf_of_100_bytes_of_payload_takes_these_bytes() -> None:
    data = f.Data(f.MessageId(member(1), 300, 5), Tree.PRIMARY, None, None, b"hi", hop=2)
    assert encode(data) == bytes.fromhex("0e 00 01 02 0a000001 1f0a ac02 05 6869")


def test_a_frame_with_everything_takes_these_bytes() -> None:
    data = f.Data(LEAF.id, Tree.SECONDARY, member(2), WIDE, b"hi", 3, 4, True, True)
    life = uvarint(1_800_000_000)
    addresses = member(2) + WIDE
    body = b"\x80\x7e\x03" + member(1) + life + b"\x07" + addresses + b"\x04" + b"hi"
    assert encode(data) == uvarint(len(body)) + body


@given(ipv4_frames())
def test_a_frame_of_ipv4_alone_is_narrow(frame: f.Frame) -> None:
    assert not body_of(frame)[0] & WIDE_BIT


@given(data_frames())
def test_a_data_frame_is_wide_just_when_some_address_is(data: f.Data) -> None:
    named = [x for x in (data.id.origin, data.left, data.right) if x is not None]
    is_wide = not all(address.is_ipv4 for address in named)
    assert bool(body_of(data)[0] & WIDE_BIT) == is_wide


@given(data_frames(), any_addresses(), any_addresses())
def test_a_leaf_carries_no_boundaries(data: f.Data, left: Address, right: Address) -> None:
    id = f.MessageId(member(1), data.id.life, data.id.sequence)
    sizes = [
        frame_size(f.Data(id, data.tree, low, high, data.payload))
        for low, high in ((None, None), (member(2), None), (member(2), member(3)))
    ]
    prefix = [len(uvarint(size)) for size in sizes]
    assert prefix == sorted(prefix)
    assert sizes[1] - sizes[0] in (6, 7)
    assert sizes[2] - sizes[1] in (6, 7)


@THOROUGH
@given(frames())
def test_equal_frames_are_equal_bytes_and_the_bytes_are_the_only_ones(frame: f.Frame) -> None:
    data = encode(frame)
    assert encode(decode(data)) == data


def test_a_hop_too_many_to_count_stays_at_the_most() -> None:
    far = f.Data(LEAF.id, LEAF.tree, None, None, b"", hop=HOP_MAX + 5)
    decoded = decode(encode(far))
    assert isinstance(decoded, f.Data)
    assert decoded.hop == HOP_MAX


def test_a_payload_of_the_most_that_is_allowed_travels() -> None:
    whole = f.Data(LEAF.id, Tree.SECONDARY, WIDE, WIDE, bytes(PAYLOAD_BYTES_MAX), 9, 2**64 - 1)
    data = encode(whole)
    assert decode(data) == whole
    assert Splitter().feed(data) == [whole]
    assert len(data) <= FRAME_BYTES_MAX


def test_a_payload_over_the_limit_is_the_callers_mistake() -> None:
    over = f.Data(LEAF.id, LEAF.tree, None, None, bytes(PAYLOAD_BYTES_MAX + 1))
    with pytest.raises(UsageError, match=f"{PAYLOAD_BYTES_MAX + 1} bytes is over the limit"):
        encode(over)


def test_another_frame_over_the_limit_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="over the limit"):
        encode(f.Hello("x" * FRAME_BYTES_MAX, 4, RingOrder.ADDRESS, member(1), 1))


@THOROUGH
@given(st.lists(frames(), max_size=6), st.lists(st.integers(1, 50), min_size=1))
def test_a_stream_cut_anywhere_gives_the_same_frames(sent: list[f.Frame], cuts: list[int]) -> None:
    stream = b"".join(map(encode, sent))
    chunks: list[bytes] = []
    at = 0
    while at < len(stream):
        size = cuts[len(chunks) % len(cuts)]
        chunks.append(stream[at : at + size])
        at += size
    assert fed(Splitter(), chunks) == sent
    assert fed(Splitter(), [stream]) == sent
    assert fed(Splitter(), (bytes([byte]) for byte in stream)) == sent


@given(frames(), frames())
def test_a_splitter_keeps_a_frame_that_has_only_begun(first: f.Frame, second: f.Frame) -> None:
    splitter, data = Splitter(), encode(second)
    assert splitter.feed(encode(first) + data[:-1]) == [first]
    assert splitter.feed(b"") == []
    assert splitter.feed(data[-1:]) == [second]


@given(st.lists(members(), max_size=4).map(tuple))
def test_an_announcement_reads_back_as_it_was(announced: tuple[Member, ...]) -> None:
    payload = encode_members(announced)
    assert decode_members(payload) == announced
    with pytest.raises(FrameError, match="after the end of an announcement"):
        decode_members(payload + b"\x00")
    for end in range(len(payload)):
        with pytest.raises(FrameError):
            decode_members(payload[:end])
