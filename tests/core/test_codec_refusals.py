"""Bytes that are no frame: FrameError and nothing else, whatever they are and wherever they end."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snowcast.core import frames as f
from snowcast.core.codec import (
    FRAME_BYTES_MAX,
    PAYLOAD_BYTES_MAX,
    Splitter,
    decode,
    decode_body,
    decode_members,
    encode,
    encode_members,
)
from snowcast.core.errors import FrameError
from snowcast.core.fields import FIELDS
from snowcast.core.wire import uvarint
from support.effort import THOROUGH, seeds
from support.frames import LEAF, WIDE_BIT, body_of, fed, frames
from support.garbage import SPECIMENS, check_one_encoding, garbage
from support.rings import member


@THOROUGH
@given(st.binary(max_size=60))
def test_any_bytes_are_a_frame_or_a_frame_error(data: bytes) -> None:
    check_one_encoding(data)
    check_one_encoding(uvarint(len(data)) + data)


@THOROUGH
@given(frames(), st.data())
def test_a_frame_with_any_byte_changed_is_another_frame_or_a_frame_error(
    frame: f.Frame, data: st.DataObject
) -> None:
    changed = bytearray(encode(frame))
    changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    check_one_encoding(bytes(changed))


@given(seeds())
def test_thousands_of_damaged_frames_are_frames_or_frame_errors(seed: int) -> None:
    outcomes = Counter(check_one_encoding(data) for data in garbage(seed, 400))
    assert outcomes[True] > 10
    assert outcomes[False] > 10


@pytest.mark.parametrize("frame", SPECIMENS, ids=lambda frame: type(frame).__name__)
def test_a_frame_cut_off_at_any_byte_is_refused(frame: f.Frame) -> None:
    data = encode(frame)
    for end in range(len(data)):
        with pytest.raises(FrameError):
            decode(data[:end])


@pytest.mark.parametrize("frame", SPECIMENS, ids=lambda frame: type(frame).__name__)
def test_a_body_cut_off_at_any_byte_is_refused_but_for_a_shorter_payload(frame: f.Frame) -> None:
    body = body_of(frame)
    payload = frame.payload if isinstance(frame, f.Data) else b""
    for end in range(len(body) - len(payload)):
        with pytest.raises(FrameError):
            decode_body(body[:end])
    for end in range(len(body) - len(payload), len(body)):
        assert type(decode_body(body[:end])) is f.Data


@pytest.mark.parametrize("frame", SPECIMENS, ids=lambda frame: type(frame).__name__)
def test_bytes_after_the_end_are_refused(frame: f.Frame) -> None:
    with pytest.raises(FrameError, match="length"):
        decode(encode(frame) + b"\x00")
    if not isinstance(frame, f.Data):
        with pytest.raises(FrameError):
            decode_body(body_of(frame) + b"\x00")


@pytest.mark.parametrize("number", range(len(FIELDS), 32))
def test_a_kind_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(FrameError, match=f"no kind of frame {number}"):
        decode_body(bytes([number]) + bytes(20))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_another_version_is_refused_by_its_number(version: int) -> None:
    for frame in SPECIMENS:
        body = bytearray(body_of(frame))
        body[0] |= version << 5
        with pytest.raises(FrameError, match=f"version {version}, not 0"):
            decode_body(bytes(body))


def test_an_empty_frame_is_refused() -> None:
    with pytest.raises(FrameError, match="empty"):
        decode(b"\x00")
    with pytest.raises(FrameError):
        decode(b"")


def test_a_wide_frame_that_needs_not_be_is_refused() -> None:
    narrow = [x for x in SPECIMENS if not body_of(x)[0] & WIDE_BIT]
    assert len(narrow) > 5
    wide_leaf = b"\x80\x00\x01" + member(1) + uvarint(1) + uvarint(1) + b"payload"
    with pytest.raises(FrameError, match="none but IPv4"):
        decode_body(wide_leaf)
    with pytest.raises(FrameError, match="none but IPv4"):
        decode_body(bytes([WIDE_BIT | list(FIELDS).index(f.Nack)]) + uvarint(1))


@pytest.mark.parametrize("flags", [0xA0, 0xFF, 0x03, 0x07])
def test_flags_that_mean_nothing_are_refused(flags: int) -> None:
    body = bytearray(body_of(LEAF))
    body[1] = flags
    with pytest.raises(FrameError, match=f"no flags {flags:#04x}"):
        decode_body(bytes(body))


def test_an_attempt_that_is_flagged_but_is_the_first_is_refused() -> None:
    again = f.Data(LEAF.id, LEAF.tree, None, None, b"", attempt=1)
    body = bytearray(body_of(again))
    assert body[-1] == 1
    body[-1] = 0
    with pytest.raises(FrameError, match="first attempt"):
        decode_body(bytes(body))


def test_a_payload_over_the_limit_from_the_wire_is_refused() -> None:
    with pytest.raises(FrameError, match="payload over the limit"):
        decode_body(body_of(LEAF) + bytes(PAYLOAD_BYTES_MAX))


@pytest.mark.parametrize("length", [1 << 20, FRAME_BYTES_MAX + 1, 1 << 40, 2**64 - 1])
def test_a_giant_length_that_is_only_declared_reserves_nothing(length: int) -> None:
    splitter = Splitter()
    tracemalloc.start()
    try:
        for data in (uvarint(length), uvarint(length) + body_of(LEAF)):
            with pytest.raises(FrameError):
                decode(data)
        if length <= FRAME_BYTES_MAX:
            assert splitter.feed(uvarint(length) + b"begun") == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize("count", [100, 1 << 30, 2**64 - 1])
@pytest.mark.parametrize("kind", [f.ViewPart, f.Records, f.SyncBuckets, f.SyncRecords])
def test_a_giant_count_that_is_only_declared_reserves_nothing(kind: type, count: int) -> None:
    numbers = bytes(2) if kind is f.SyncBuckets else b""
    body = bytes([list(FIELDS).index(kind)]) + numbers + uvarint(count) + bytes(40)
    tracemalloc.start()
    try:
        with pytest.raises(FrameError, match="longer than its frame"):
            decode_body(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_a_length_over_the_splitters_limit_is_refused_before_its_bytes_arrive() -> None:
    data = encode(LEAF)
    size = len(data) - 1
    assert Splitter(bytes_max=size).feed(data) == [LEAF]
    with pytest.raises(FrameError, match=f"{size} bytes, over the limit of {size - 1}"):
        Splitter(bytes_max=size - 1).feed(data[:1])


@pytest.mark.parametrize("prefix", [b"\x80\x00", b"\xff\xff\xff\xff", b"\x80\x80\x80\x80\x01"])
def test_a_length_that_is_too_long_or_not_the_shortest_is_refused(prefix: bytes) -> None:
    with pytest.raises(FrameError):
        fed(Splitter(), (bytes([byte]) for byte in prefix))
    with pytest.raises(FrameError):
        Splitter().feed(prefix)
    with pytest.raises(FrameError):
        decode(prefix)


@example(b"")
@given(st.binary(max_size=60))
def test_any_bytes_are_an_announcement_or_a_frame_error(payload: bytes) -> None:
    try:
        announced = decode_members(payload)
    except FrameError:
        return
    assert encode_members(announced) == payload
