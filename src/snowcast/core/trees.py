"""Who sends to whom: the children of one node in one tree, from nothing but a region and a view.

Paper, Standard Snow Broadcasting Mechanism and Node Coloring. Every node runs the same pure
function on the region that came with the message, so a balanced tree appears without any state.

Rules of this file:
- Whoever is in the region, but the node itself and a secondary tree's origin, ends up a child or
  inside exactly one child's region. That is the convergence theorem; everything else is taste.
- Colour is the parity of the distance to the forwarding node inside its region (DESIGN 4.6).
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

import msgspec

from snowcast.core.address import Address
from snowcast.core.errors import FrameError, UsageError
from snowcast.core.region import Region, midpoint, share_slots, split
from snowcast.core.ring import Ring

SECONDARY_ROOT_STEP = -1  # the paper's left neighbour; +1 works too and is tested (DESIGN 4.7)
FANOUT_MAX = 256


class Mode(StrEnum):
    """How a message travels: along one tree, or along two with disjoint inner nodes."""

    STANDARD = "standard"
    COLORING = "coloring"


class Tree(IntEnum):
    """Which tree a frame belongs to."""

    STANDARD = 0
    PRIMARY = 1
    SECONDARY = 2

    __hash__ = int.__hash__  # plans and assignments are found by it, and an enum's own is slow


class Assignment(msgspec.Struct, frozen=True, gc=False):
    """A child and the region it must cover; a boundary that is the child itself is None.

    So a leaf, which covers only itself, has no boundaries at all.
    """

    child: Address
    left: Address | None
    right: Address | None

    @property
    def is_leaf(self) -> bool:
        """Whether the child has nobody to forward to."""
        return self.left is None and self.right is None

    @property
    def region(self) -> Region:
        """What the child covers, itself included."""
        return Region(self.left or self.child, self.right or self.child)


def check_fanout(fanout: int) -> None:
    """Raise UsageError unless `fanout` is a k that the paper allows: a multiple of two."""
    if not 2 <= fanout <= FANOUT_MAX or fanout % 2:
        raise UsageError(f"fanout must be even and from 2 to {FANOUT_MAX}, not {fanout}")


def whole_ring(ring: Ring, root: Address) -> Region:
    """The region of a root: everybody, as many on its left as on its right, or one more."""
    n, at = len(ring), _find(ring, root)
    left = (at - n // 2) % n
    return Region(ring[left], ring[left - 1 if left else n - 1])


def roots(ring: Ring, origin: Address, mode: Mode) -> list[tuple[Tree, Assignment]]:
    """The root of each tree of a broadcast and the region it covers; the origin's own is first."""
    region = whole_ring(ring, origin)
    if mode is Mode.STANDARD:
        return [(Tree.STANDARD, _assignment(origin, region))]
    trees = [(Tree.PRIMARY, _assignment(origin, region))]
    if len(ring) > 2:
        neighbour = ring[(ring.find(origin) + SECONDARY_ROOT_STEP) % len(ring)]
        trees.append((Tree.SECONDARY, _assignment(neighbour, region)))
    return trees


def children(
    ring: Ring, region: Region, me: Address, fanout: int, tree: Tree, origin: Address
) -> tuple[Assignment, ...]:
    """The at most `fanout` children of `me`, which cover all others in `region`.

    `me` must be on the ring; a region that does not contain it raises FrameError.
    """
    start, count = ring.span(region)
    at = ring.offset(me, start, count)
    if at < 0:
        _find(ring, me)
        raise FrameError("a region that does not contain its receiver")
    absent = -1  # the offset that is nobody's target: a secondary tree never comes back
    if tree is Tree.SECONDARY:
        absent = ring.offset(origin, start, count)
    others = count - 1 - (absent >= 0 and absent != at)
    if others <= fanout:
        picks = [(o, o, o) for o in range(count) if o != at and o != absent]
    else:
        left_slots, right_slots = share_slots(fanout, at, count - 1 - at)
        plan_side = _standard_side if tree is Tree.STANDARD else _coloring_side
        picks = plan_side(0, at - 1, left_slots, at, absent)
        picks += plan_side(at + 1, count - 1, right_slots, at, absent)
    return _to_assignments(ring, start, picks)


# A pick is (first, relay, last): the offsets of a part and of the member that will cover it.
_Pick = tuple[int, int, int]


def _standard_side(first: int, last: int, slots: int, at: int, absent: int) -> list[_Pick]:
    """Equal parts, the relay in the middle of each."""
    picks = []
    for low, high in split(first, last, slots) if slots else ():
        relay = midpoint(low, high)
        if relay == absent:
            relay += 1 if relay < high else -1
        if low <= relay <= high:
            picks.append(_trim(low, relay, high, absent))
    return picks


def _coloring_side(first: int, last: int, slots: int, at: int, absent: int) -> list[_Pick]:
    """Relays of the forwarding node's own colour, the other colour only as leaves."""
    same = (last - first + 1) // 2 - (first <= absent <= last and not (absent - at) % 2)
    if same < slots:
        picks = _short_side(first, last, slots, at, absent)
        return _standard_side(first, last, slots, at, absent) if picks is None else picks
    picks = []
    for low, high in split(first, last, slots) if slots else ():
        relay = _same_colour(low, high, at, absent)
        if relay is not None:
            picks.append(_trim(low, relay, high, absent))
    return picks


def _same_colour(low: int, high: int, at: int, absent: int) -> int | None:
    """The member of the forwarding node's colour nearest the middle of a part.

    Only where views differ can a part hold none, the origin being in its place: then its
    neighbour serves, so that nobody is lost.
    """
    relay = midpoint(low, high)
    if (relay - at) % 2:
        relay += 1 if relay < high else -1
    if relay != absent:
        return relay
    for step in (2, -2, 1, -1):
        if low <= relay + step <= high:
            return relay + step
    return None


def _short_side(first: int, last: int, slots: int, at: int, absent: int) -> list[_Pick] | None:
    """Fewer of the same colour than slots: they are all children, the rest are leaves.

    Those of the other colour that find no slot are attached to a child beside them. None if that
    cannot be done, which takes views that differ.
    """
    targets = [o for o in range(first, last + 1) if o != absent]
    parts = {o: [o, o] for o in targets}
    surplus = len(targets) - slots
    for towards in (1 if last < at else -1, -1 if last < at else 1):
        for relay in targets:
            beside = relay + towards
            if surplus > 0 and (relay - at) % 2 == 0 and parts.get(beside) == [beside, beside]:
                del parts[beside]
                parts[relay] = [
                    min(parts[relay][0], beside),
                    max(parts[relay][1], beside),
                ]
                surplus -= 1
    if surplus > 0:
        return None
    return [(low, relay, high) for relay, (low, high) in parts.items()]


def _trim(low: int, relay: int, high: int, absent: int) -> _Pick:
    """Cut the absent member off a part's end, so that a relay left alone is a leaf."""
    return low + (low == absent), relay, high - (high == absent)


def _to_assignments(ring: Ring, start: int, picks: list[_Pick]) -> tuple[Assignment, ...]:
    n = len(ring)
    assignments = []
    for low, relay, high in picks:
        child = ring[(start + relay) % n]
        left = None if low == relay else ring[(start + low) % n]
        right = None if high == relay else ring[(start + high) % n]
        assignments.append(Assignment(child, left, right))
    return tuple(assignments)


def _assignment(child: Address, region: Region) -> Assignment:
    return Assignment(
        child,
        None if region.left == child else region.left,
        None if region.right == child else region.right,
    )


def _find(ring: Ring, address: Address) -> int:
    index = ring.find(address)
    if index < 0:
        raise UsageError(f"{address} is not on the ring")
    return index
