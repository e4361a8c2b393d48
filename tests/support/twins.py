"""Naive twins: what the clever functions should give, on plain lists and with no care for speed."""

from __future__ import annotations

from collections.abc import Iterable

from snowcast.core.address import Address
from snowcast.core.region import Region
from snowcast.core.ring import RingOrder

Part = list[Address]
Pick = tuple[Address, Address, Address]  # first of a part, its relay, last of the part


def ring_sorted(members: Iterable[Address], order: RingOrder) -> list[Address]:
    """`Ring` as a list."""
    return sorted(set(members), key=lambda address: place(address, order))


def place(address: Address, order: RingOrder) -> bytes:
    """What an address is sorted by."""
    plain = bytes(address)
    return plain if order is RingOrder.ADDRESS else address.hashed() + plain


def is_inside(address: Address, region: Region, order: RingOrder) -> bool:
    """`Ring.covers`: whether a walk to the right from `left` to `right` meets `address`."""
    left, right, at = (place(x, order) for x in (region.left, region.right, address))
    if left > right:
        return not right < at < left
    return left <= at and at <= right


def members_inside(members: Iterable[Address], region: Region, order: RingOrder) -> list[Address]:
    """`Ring.members`: one lap to the right, from the left boundary on."""
    line = ring_sorted(members, order)
    left = place(region.left, order)
    behind = [x for x in line if place(x, order) < left]
    lap = [x for x in line if x not in behind] + behind
    return [x for x in lap if is_inside(x, region, order)]


def whole_ring_of(line: list[Address], root: Address) -> list[Address]:
    """`whole_ring`: everybody in one line, the root in the middle, its left the longer."""
    while line.index(root) != len(line) // 2:
        line = [*line[1:], line[0]]
    return line


def shares(slots: int, left: int, right: int) -> tuple[int, int]:
    """`share_slots`: of all shares that are allowed, the nearest to the sides' sizes."""
    if left + right <= slots:
        return left, right
    allowed = [
        (share, slots - share)
        for share in range(slots, -1, -1)
        if share <= left and slots - share <= right
        if (share > 0 or not left) and (share < slots or not right)
    ]
    return min(allowed, key=lambda pair: abs(pair[0] * (left + right) - slots * left))


def chop(side: Part, parts: int) -> list[Part]:
    """`split`: deal the sizes out one by one, then cut."""
    sizes = [0] * parts
    for number in range(len(side)):
        sizes[number % parts] += 1
    cut = []
    for size in sizes:
        cut.append(side[:size])
        side = side[size:]
    return cut


def standard_children(line: list[Address], me: Address, fanout: int) -> list[Pick]:
    """`children` in the Standard tree, from the members of a region in a list."""
    at = line.index(me)
    left, right = line[:at], line[at + 1 :]
    if len(line) - 1 <= fanout:
        return [(x, x, x) for x in left + right]
    left_slots, right_slots = shares(fanout, len(left), len(right))
    parts = chop(left, left_slots) + chop(right, right_slots)
    return [(part[0], part[len(part) // 2], part[-1]) for part in parts]


def coloring_children(
    line: list[Address], me: Address, fanout: int, absent: Address | None
) -> list[Pick] | None:
    """`children` in a Coloring tree; None where the rules leave a choice.

    They do where a side is short of the node's own colour, and where views differ so much that the
    absent origin has that colour.
    """
    at = line.index(me)
    others = [x for x in line if x not in (me, absent)]
    if len(others) <= fanout:
        return [(x, x, x) for x in others]
    own_colour = {x for x in line[at % 2 :: 2] if x != me}
    if absent in own_colour:
        return None
    picks = []
    sides = line[:at], line[at + 1 :]
    for side, slots in zip(sides, shares(fanout, len(sides[0]), len(sides[1])), strict=True):
        if len(own_colour.intersection(side)) < slots:
            return None
        for part in chop(side, slots):
            middle = len(part) // 2
            own = [i for i, x in enumerate(part) if x in own_colour]
            relay = min(own, key=lambda i: (abs(i - middle), i < middle))
            kept = [x for x in part if x != absent]
            picks.append((kept[0], part[relay], kept[-1]))
    return picks


def levels(members: int, fanout: int) -> int:
    """ceil(log_k((k - 1) n + 1)), counted: the least levels a tree of that fanout can have."""
    count, room, width = 0, 0, 1
    while room < members:
        count, room, width = count + 1, room + width, width * fanout
    return count


def levels_as_printed(members: int, fanout: int) -> int:
    """The paper's ceil(log_k((k - 1) n) + 1), in whole numbers."""
    power = 0
    while fanout**power < (fanout - 1) * members:
        power += 1
    return power + 1
