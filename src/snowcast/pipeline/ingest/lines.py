"""The lines of a range of a file, in blocks, each with the offset it begins at.

Rules of this file:
- A line belongs to the range that its first byte is in. So ranges that cover a file have each of
  its lines exactly once, wherever it is cut.
- Memory is bounded: a line may be as long as `LINE_BYTES_MAX`; of a longer one the beginning is
  told, and how long it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LINE_BYTES_MAX = 1 << 20
TOLD_BYTES_MAX = 1 << 12


class Block(NamedTuple):
    """Whole lines; or the last line of a file, which has no end; or the beginning of a long one."""

    offset: int
    data: bytes
    is_cut: bool = False
    long_bytes: int = 0
    """How long the line is of which this is the beginning; 0 if these are whole lines."""


def blocks(
    file: BinaryIO, start: int, end: int, block_bytes: int = LINE_BYTES_MAX
) -> Iterator[Block]:
    """The lines that begin at `start` or later, and before `end`."""
    at = _after_newline(file, start - 1) if start else 0
    while at < end:
        file.seek(at)
        data = file.read(block_bytes)
        if not data:
            return
        stop = _whole_lines(data, end - at)
        if stop:
            yield Block(at, data[:stop])
            at += stop
        elif len(data) < block_bytes:
            yield Block(at, data, is_cut=True)
            return
        else:
            after = _after_newline(file, at)
            yield Block(at, data[:TOLD_BYTES_MAX], long_bytes=after - at)
            at = after


def lines_of(block: Block) -> Iterator[tuple[int, bytes]]:
    """The lines of a block with their offsets, without what ends them. Empty ones say nothing."""
    at = block.offset
    for line in block.data.split(b"\n"):
        if line.strip():
            yield at, line
        at += len(line) + 1


def last_line_end(file: BinaryIO, start: int, end: int, block_bytes: int = 1 << 16) -> int:
    """Where the last whole line between two offsets ends; `start` if there is none."""
    at = end
    while at > start:
        begin = max(start, at - block_bytes)
        file.seek(begin)
        newline = file.read(at - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        at = begin
    return start


def _whole_lines(data: bytes, limit: int) -> int:
    """How much of `data` are whole lines that begin before `limit`."""
    if len(data) <= limit:
        return data.rfind(b"\n") + 1
    # The line with the last byte of the range is ours to its end, if that is in sight.
    return data.find(b"\n", limit - 1) + 1 or data.rfind(b"\n", 0, limit - 1) + 1


def _after_newline(file: BinaryIO, at: int) -> int:
    """The offset behind the first newline at `at` or later, or the end of the file."""
    file.seek(at)
    while data := file.read(1 << 16):
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(data)
    return at
