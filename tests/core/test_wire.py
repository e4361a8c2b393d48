"""The small pieces on the wire: one encoding each, and a reader that trusts nothing."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snowcast.core import fields
from snowcast.core.address import Address
from snowcast.core.errors import FrameError
from snowcast.core.member import Member
from snowcast.core.wire import (
    UVARINT_BYTES_MAX,
    NeedsWide,
    Reader,
    Writer,
    read_uvarint,
    uvarint,
    uvarint_size,
)
from support.frames import members, numbers, texts
from support.rings import any_addresses, ipv4_addresses, ipv6_addresses


def reader(data: bytes, wide: bool = False) -> Reader:
    return Reader(data, 0, wide)


@given(numbers())
@example(0)
@example(127)
@example(128)
@example(2**64 - 1)
def test_a_number_reads_back_and_says_where_it_ends(number: int) -> None:
    encoded = uvarint(number)
    assert read_uvarint(b"\xff" + encoded + b"\x80", 1) == (number, 1 + len(encoded))
    assert uvarint_size(number) == len(encoded) <= UVARINT_BYTES_MAX


def test_a_number_takes_a_byte_for_each_seven_bits_the_low_ones_first() -> None:
    assert [uvarint(n) for n in (0, 1, 127)] == [b"\x00", b"\x01", b"\x7f"]
    assert [uvarint(n) for n in (128, 300, 16384)] == [b"\x80\x01", b"\xac\x02", b"\x80\x80\x01"]
    assert [len(uvarint((1 << bits) - 1)) for bits in (7, 8, 14, 15, 63, 64)] == [1, 2, 2, 3, 9, 10]


@pytest.mark.parametrize(
    "encoded",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x80", id="cut off"),
        pytest.param(b"\xff" * 9, id="cut off late"),
        pytest.param(b"\x80\x00", id="a zero at the end"),
        pytest.param(b"\xff\x80\x00", id="a zero at the end of three"),
        pytest.param(b"\xff" * 9 + b"\x02", id="65 bits"),
        pytest.param(b"\xff" * 9 + b"\x7f", id="70 bits"),
        pytest.param(b"\xff" * 10 + b"\x01", id="eleven bytes"),
        pytest.param(b"\xff" * 1000, id="no end"),
    ],
)
def test_a_number_cut_off_too_large_or_not_in_its_shortest_form_is_refused(encoded: bytes) -> None:
    with pytest.raises(FrameError, match="number"):
        read_uvarint(encoded, 0)


@given(st.binary(max_size=12))
def test_a_number_has_one_encoding(data: bytes) -> None:
    try:
        number, end = read_uvarint(data, 0)
    except FrameError:
        return
    assert uvarint(number) == data[:end]
    assert number < 1 << 64


@given(st.binary(max_size=20), st.integers(0, 25))
def test_a_reader_takes_what_is_there_and_no_more(data: bytes, size: int) -> None:
    source = reader(data)
    if size <= len(data):
        assert source.take(size) == data[:size]
        assert source.at == size
    else:
        with pytest.raises(FrameError, match="cut off"):
            source.take(size)
        assert source.at == 0


Piece = tuple[Callable[[Writer, object], None], Callable[[Reader], object], object]


def pieces() -> st.SearchStrategy[Piece]:
    """A value with what writes and what reads it."""
    kinds: list[tuple[object, object, st.SearchStrategy[object]]] = [
        (Writer.flag, Reader.flag, st.booleans()),
        (Writer.number, Reader.number, numbers()),
        (Writer.digest, Reader.digest, st.integers(0, 2**64 - 1)),
        (Writer.address, Reader.address, any_addresses()),
        (Writer.text, Reader.text, texts()),
        (Writer.member, Reader.member, members()),
    ]
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.tuples(st.just(kind[0]), st.just(kind[1]), kind[2])
    )


@given(st.lists(pieces()))
def test_whatever_is_written_in_a_row_reads_back_in_the_same_row(row: list[Piece]) -> None:
    writer = Writer(wide=True)
    for write, _, value in row:
        write(writer, value)
    source = reader(bytes(writer.out), wide=True)
    assert [read(source) for _, read, _ in row] == [value for _, _, value in row]
    assert source.at == len(source.data)


@given(st.lists(pieces(), min_size=1), st.data())
def test_and_cut_off_anywhere_it_is_refused(row: list[Piece], data: st.DataObject) -> None:
    writer = Writer(wide=True)
    for write, _, value in row:
        write(writer, value)
    cut = data.draw(st.integers(0, len(writer.out) - 1))
    source = reader(bytes(writer.out[:cut]), wide=True)
    with pytest.raises(FrameError):
        [read(source) for _, read, _ in row]


@given(ipv4_addresses())
def test_an_ipv4_address_takes_6_bytes_and_reads_back(address: Address) -> None:
    writer = Writer(wide=False)
    writer.address(address)
    assert bytes(writer.out) == address[12:]
    assert reader(bytes(writer.out)).address() == address


@given(ipv6_addresses())
def test_an_ipv6_address_makes_a_narrow_writer_begin_again(address: Address) -> None:
    with pytest.raises(NeedsWide):
        Writer(wide=False).address(address)
    writer = Writer(wide=True)
    writer.address(address)
    assert bytes(writer.out) == address


@pytest.mark.parametrize("wide", [False, True])
def test_an_address_with_port_0_is_refused(wide: bool) -> None:
    with pytest.raises(FrameError, match="port 0"):
        reader(b"\xfd" * (16 if wide else 4) + b"\x00\x00", wide).address()


@pytest.mark.parametrize("byte", [2, 3, 0x7F, 0x80, 0xFF])
def test_a_flag_is_0_or_1(byte: int) -> None:
    assert [reader(b"\x00").flag(), reader(b"\x01").flag()] == [False, True]
    with pytest.raises(FrameError, match="flag"):
        reader(bytes([byte])).flag()


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x80"]
)
def test_text_that_is_not_utf_8_is_refused(raw: bytes) -> None:
    with pytest.raises(FrameError, match="UTF-8"):
        reader(uvarint(len(raw)) + raw).text()


@pytest.mark.parametrize("state", [4, 5, 255, 2**64 - 1])
def test_a_member_state_that_does_not_exist_is_refused(state: int) -> None:
    encoded = bytes(4) + b"\x00\x01" + uvarint(7) + uvarint(state) + uvarint(0) + uvarint(0)
    with pytest.raises(FrameError, match=f"no member state {state}"):
        reader(encoded).member()


@given(members(ipv4_addresses()))
def test_a_member_of_ipv4_is_written_narrow(member: Member) -> None:
    writer = Writer(wide=False)
    writer.member(member)
    assert reader(bytes(writer.out)).member() == member


@given(st.lists(numbers()), st.binary(max_size=3))
def test_a_list_says_how_many_it_has(values: list[int], rest: bytes) -> None:
    writer = Writer(wide=False)
    writer.many(writer.number, tuple(values))
    source = reader(bytes(writer.out) + rest)
    assert source.many(source.number, 1) == tuple(values)
    assert source.data[source.at :] == rest


@pytest.mark.parametrize("count", [4, 1000, 1 << 40, 2**64 - 1])
def test_a_list_longer_than_what_is_left_is_refused_before_it_is_read(count: int) -> None:
    source = reader(uvarint(count) + bytes(30))
    with pytest.raises(FrameError, match="longer than its frame"):
        source.many(lambda: pytest.fail("an item was read"), 10)


@pytest.mark.parametrize("size", [1 << 20, 1 << 40, 2**64 - 1])
def test_a_giant_length_reserves_nothing(size: int) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            reader(uvarint(size) + b"text").text()
        with pytest.raises(FrameError):
            fields.NUMBERS.read(reader(uvarint(size) + b"items"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_a_reader_that_is_not_at_the_end_does_not_finish() -> None:
    source = reader(b"ab")
    source.take(1)
    with pytest.raises(FrameError, match="after the end"):
        source.finish()
    source.take(1)
    source.finish()


@given(st.lists(any_addresses()))
def test_a_wide_reader_finishes_only_if_something_was_wide(addresses: list[Address]) -> None:
    source = reader(b"".join(addresses), wide=True)
    for _ in addresses:
        source.address()
    if all(address.is_ipv4 for address in addresses):
        with pytest.raises(FrameError, match="none but IPv4"):
            source.finish()
    else:
        source.finish()
