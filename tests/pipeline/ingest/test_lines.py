"""Lines of ranges: each line once, whoever reads which part, and memory that is bounded."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from snowcast.pipeline.ingest.lines import (
    TOLD_BYTES_MAX,
    Block,
    blocks,
    last_line_end,
    lines_of,
)

contents = st.lists(
    st.binary(max_size=12).map(lambda text: text.replace(b"\n", b"x")), max_size=20
).flatmap(lambda lines: st.sampled_from([b"\n".join(lines), b"".join(x + b"\n" for x in lines)]))


def read(content: bytes, start: int, end: int, block_bytes: int) -> list[tuple[int, bytes]]:
    """The lines of a range, and where they begin."""
    found = blocks(BytesIO(content), start, end, block_bytes)
    return [line for block in found for line in lines_of(block)]


def all_lines(content: bytes) -> list[tuple[int, bytes]]:
    """The twin: every line that says something, and where it begins."""
    found, at = [], 0
    for line in content.split(b"\n"):
        if line.strip():
            found.append((at, line))
        at += len(line) + 1
    return found


@given(contents, st.lists(st.integers(0, 250), max_size=4), st.integers(16, 40))
def test_ranges_that_cover_a_file_have_each_line_once(
    content: bytes, cuts: list[int], block_bytes: int
) -> None:
    ends = sorted({min(cut, len(content)) for cut in cuts} | {0, len(content)})
    found = [
        line for start, end in pairwise(ends) for line in read(content, start, end, block_bytes)
    ]
    assert found == all_lines(content)


@given(contents, st.integers(0, 250), st.integers(1, 30))
def test_the_last_whole_line_ends_behind_the_last_newline(
    content: bytes, start: int, block_bytes: int
) -> None:
    start = min(start, len(content))
    newline = content.rfind(b"\n", start)
    wanted = start if newline < 0 else newline + 1
    assert last_line_end(BytesIO(content), start, len(content), block_bytes) == wanted


def test_a_last_line_without_an_end_says_so() -> None:
    assert list(blocks(BytesIO(b"one\ntw"), 0, 6)) == [Block(0, b"one\n"), Block(4, b"tw", True)]


def test_of_a_line_that_is_too_long_the_beginning_and_the_length_are_told() -> None:
    long = b"x" * 3 * TOLD_BYTES_MAX
    found = list(blocks(BytesIO(b"a\n" + long + b"\nb\n"), 0, len(long), 2 * TOLD_BYTES_MAX))
    assert found == [
        Block(0, b"a\n"),
        Block(2, b"x" * TOLD_BYTES_MAX, long_bytes=len(long) + 1),
    ]
