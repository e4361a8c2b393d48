"""The decoder under damaged and random bytes: FrameError or a frame, and no memory left behind.

tests/core/test_codec_refusals.py has the properties; here are the numbers.
"""

from __future__ import annotations

import tracemalloc

import pytest

from promises.figures import Figure
from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.trees import Tree
from support.garbage import check_one_encoding, garbage
from support.rings import member

REMEMBERED_MAX = 8_192
"""So many addresses and origins seen lately are remembered, at most."""
GROWTH_MAX = 100_000


def fill_what_is_remembered() -> None:
    """What was seen lately is remembered: let that be as much as it can be, of the largest."""
    for make in (member, wide):
        for i in range(REMEMBERED_MAX):
            id = f.MessageId(make(i), 2**63 + i, 1)
            assert check_one_encoding(encode(f.Data(id, Tree.STANDARD, None, None, b"")))


def wide(i: int) -> Address:
    """The address of a node at IPv6."""
    return Address(b"\xfd" + i.to_bytes(15, "big") + b"\x1f\x0a")


def feed(count: int, figure: Figure) -> None:
    """`count` byte strings through the decoder."""
    tracemalloc.start()
    try:
        fill_what_is_remembered()
        before, _ = tracemalloc.get_traced_memory()
        decoded = sum(check_one_encoding(data) for data in garbage(2, count))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    figure("strings, frames among them, bytes more in use", (count, decoded, after - before))
    assert count // 100 < decoded < count
    assert after - before < GROWTH_MAX


def test_10_000_damaged_frames_raise_nothing_else_and_leave_no_memory(figure: Figure) -> None:
    feed(10_000, figure)


@pytest.mark.soak
def test_a_million_damaged_frames_raise_nothing_else_and_leave_no_memory(figure: Figure) -> None:
    feed(1_000_000, figure)
