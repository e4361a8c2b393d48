"""Regions: intervals of the ring, and how one is shared out among slots.

Paper, Root Node Broadcasting and Algorithm 1 (FindNode). The arithmetic here is on offsets into a
region, plain integers: 0 is its left end. What the paper leaves open is settled in DESIGN 4.2 and
4.3: parts differ by at most one member, the larger ones first, and slots follow the sides' sizes.
"""

from __future__ import annotations

import msgspec

from snowcast.core.address import Address


class Region(msgspec.Struct, frozen=True, gc=False):
    """The interval of the ring from `left` to `right`, both inside, read to the right.

    It wraps where `right` lies before `left`. It is an interval of positions, so it means the same
    to nodes whose views differ, and the nodes at its ends need not be members of either view.
    """

    left: Address
    right: Address


def split(first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """Cut the offsets `first..last` into `parts` runs that differ by at most one, larger first."""
    size, larger = divmod(last - first + 1, parts)
    runs = []
    for part in range(parts):
        end = first + size + (part < larger)
        runs.append((first, end - 1))
        first = end
    return runs


def midpoint(first: int, last: int) -> int:
    """The relay of a part: any member would do for coverage, the middle one balances the tree."""
    return (first + last + 1) // 2


def share_slots(slots: int, left: int, right: int) -> tuple[int, int]:
    """How many of `slots` go to each side of a node with `left` and `right` members beside it.

    In proportion to their sizes; a side with members gets at least one, and no side gets more
    slots than it has members.
    """
    if left + right <= slots:
        return left, right
    if not left or not right:
        return (slots, 0) if left else (0, slots)
    share = (2 * slots * left + left + right) // (2 * (left + right))
    share = min(max(share, 1, slots - right), slots - 1, left)
    return share, slots - share
