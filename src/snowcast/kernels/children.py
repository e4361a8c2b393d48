"""Who sends to whom, on offsets: the twin of `core.trees.children` and of `core.region`.

Paper, Algorithm 1 and Node Coloring; DESIGN 4.2, 4.3, 4.6. The names are those of the core, where
the reasons stand. A pick is three numbers in a row of `picks`: the first offset of a part, its
relay, its last offset. What the core makes lists of is written into `picks` from row `filled` on,
and the number of rows that are then filled is returned.
"""

from __future__ import annotations

from snowcast.kernels.jit import Ints, compiled


@compiled
def plan(
    count: int,
    at: int,
    absent: int,
    fanout: int,
    is_colored: bool,
    picks: Ints,
    scratch: Ints,
) -> int:
    """The children of the member at offset `at` of a region of `count`: how many picks.

    `absent` is the offset that is nobody's target, or -1. `scratch` is 2 rows of 2 * fanout + 2.
    """
    filled = 0
    others = count - 1
    if absent >= 0 and absent != at:
        others -= 1
    if others <= fanout:
        for offset in range(count):
            if offset not in (at, absent):
                filled = _pick(picks, filled, offset, offset, offset)
        return filled
    left, right = share_slots(fanout, at, count - 1 - at)
    if is_colored:
        filled = _coloring_side(0, at - 1, left, at, absent, picks, filled, scratch)
        return _coloring_side(at + 1, count - 1, right, at, absent, picks, filled, scratch)
    filled = _standard_side(0, at - 1, left, absent, picks, filled)
    return _standard_side(at + 1, count - 1, right, absent, picks, filled)


@compiled
def share_slots(slots: int, left: int, right: int) -> tuple[int, int]:
    """How many of `slots` go to each side."""
    if left + right <= slots:
        return left, right
    if left == 0:
        return 0, slots
    if right == 0:
        return slots, 0
    share = (2 * slots * left + left + right) // (2 * (left + right))
    share = min(max(share, 1, slots - right), slots - 1, left)
    return share, slots - share


@compiled
def _standard_side(first: int, last: int, slots: int, absent: int, picks: Ints, filled: int) -> int:
    low = first
    for part in range(slots):
        high = _part_end(first, last, slots, part, low)
        relay = (low + high + 1) // 2
        if relay == absent:
            relay += 1 if relay < high else -1
        if low <= relay <= high:
            filled = _pick_trimmed(picks, filled, low, relay, high, absent)
        low = high + 1
    return filled


@compiled
def _coloring_side(
    first: int,
    last: int,
    slots: int,
    at: int,
    absent: int,
    picks: Ints,
    filled: int,
    scratch: Ints,
) -> int:
    same = (last - first + 1) // 2
    if first <= absent <= last and (absent - at) % 2 == 0:
        same -= 1
    if same < slots:
        short = _short_side(first, last, slots, at, absent, picks, filled, scratch)
        if short < 0:
            return _standard_side(first, last, slots, absent, picks, filled)
        return short
    low = first
    for part in range(slots):
        high = _part_end(first, last, slots, part, low)
        relay = _same_colour(low, high, at, absent)
        if relay >= 0:
            filled = _pick_trimmed(picks, filled, low, relay, high, absent)
        low = high + 1
    return filled


@compiled
def _same_colour(low: int, high: int, at: int, absent: int) -> int:
    relay = (low + high + 1) // 2
    if (relay - at) % 2 != 0:
        relay += 1 if relay < high else -1
    if relay != absent:
        return relay
    for step in (2, -2, 1, -1):
        if low <= relay + step <= high:
            return relay + step
    return -1


@compiled
def _short_side(
    first: int,
    last: int,
    slots: int,
    at: int,
    absent: int,
    picks: Ints,
    filled: int,
    scratch: Ints,
) -> int:
    """As in the core; -1 where that gives None."""
    size = last - first + 1
    lows, highs = scratch[0], scratch[1]
    surplus = size - slots
    for place in range(size):
        lows[place] = highs[place] = first + place
    if first <= absent <= last:
        lows[absent - first] = -1
        surplus -= 1
    outwards = 1 if last < at else -1
    for towards in (outwards, -outwards):
        for place in range(size):
            relay, beside = first + place, first + place + towards
            if surplus <= 0 or (relay - at) % 2 != 0 or relay == absent:
                continue
            if not first <= beside <= last:
                continue
            other = beside - first
            if lows[other] == beside and highs[other] == beside:
                lows[other] = -1
                lows[place] = min(lows[place], beside)
                highs[place] = max(highs[place], beside)
                surplus -= 1
    if surplus > 0:
        return -1
    for place in range(size):
        if lows[place] >= 0:
            filled = _pick(picks, filled, lows[place], first + place, highs[place])
    return filled


@compiled
def _part_end(first: int, last: int, parts: int, part: int, low: int) -> int:
    """Where part number `part`, which begins at `low`, ends: larger ones first."""
    total = last - first + 1
    return low + total // parts + (1 if part < total % parts else 0) - 1


@compiled
def _pick_trimmed(picks: Ints, filled: int, low: int, relay: int, high: int, absent: int) -> int:
    if low == absent:
        low += 1
    if high == absent:
        high -= 1
    return _pick(picks, filled, low, relay, high)


@compiled
def _pick(picks: Ints, filled: int, low: int, relay: int, high: int) -> int:
    picks[filled, 0] = low
    picks[filled, 1] = relay
    picks[filled, 2] = high
    return filled + 1
