"""Bytes cut into frames, however they arrive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.codec import encode
from snowcast.core.frames import Data, Frame, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.runtime.framing import IN_PLACE_BYTES, Framer
from support.frames import frames
from support.loops import local

MANY = 1 << 24


def data(payload: bytes) -> Data:
    """A data frame for a leaf."""
    return Data(MessageId(local(7001), 1, 1), Tree.STANDARD, None, None, payload)


def feed(framer: Framer, stream: bytes, sizes: list[int]) -> list[Frame]:
    """Hand over a stream in reads of at most so many bytes, as a loop would."""
    found: list[Frame] = []
    at = turn = 0
    while at < len(stream) and framer.broken is None:
        room = framer.buffer()
        chunk = stream[at : at + min(len(room), sizes[turn % len(sizes)])]
        room[: len(chunk)] = chunk
        found += framer.received(len(chunk))
        at += len(chunk)
        turn += 1
    return found


def framer(scratch_bytes: int = 1 << 16, first_bytes_max: int = MANY) -> Framer:
    """A framer with a scratch of its own."""
    return Framer(memoryview(bytearray(scratch_bytes)), first_bytes_max, MANY)


@given(st.lists(frames(), max_size=8), st.lists(st.integers(1, 64), min_size=1, max_size=4))
def test_frames_come_out_as_they_went_in_wherever_the_stream_is_cut(
    sent: list[Frame], sizes: list[int]
) -> None:
    stream = b"".join(map(encode, sent))

    assert feed(framer(), stream, sizes) == sent
    assert feed(framer(scratch_bytes=7), stream, [7]) == sent


def test_a_large_frame_is_read_in_place_between_small_ones() -> None:
    sent = [Nack(1), data(bytes(range(256)) * 2_000), Nack(2), data(b"x" * IN_PLACE_BYTES)]
    stream = b"".join(map(encode, sent))

    for size in (1_000, 65_536, 10_000_000):
        one = framer()
        assert feed(one, stream, [size]) == sent
        assert one.pending_bytes == 0


def test_the_first_frame_has_a_limit_of_its_own() -> None:
    one = framer(first_bytes_max=100)
    assert feed(one, encode(Nack(1)) + encode(data(bytes(500))), [10_000]) != []
    assert one.broken is None

    one = framer(first_bytes_max=100)
    assert feed(one, encode(data(bytes(500))), [10_000]) == []
    assert "over the limit of 100" in str(one.broken)


def test_what_came_whole_before_the_garbage_still_counts() -> None:
    one = framer()
    found = feed(one, encode(Nack(1)) + b"\x02\x7f\x7f" + encode(Nack(2)), [1_000])

    assert found == [Nack(1)]
    assert one.broken is not None


@given(st.binary(max_size=400))
def test_garbage_breaks_the_stream_or_waits_for_more_and_raises_nothing(garbage: bytes) -> None:
    feed(framer(first_bytes_max=1024), garbage, [13])
