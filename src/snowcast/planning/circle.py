"""Where things stand on the ring of a picture: nodes, the curves between them, their labels.

The origin is at the top and the ring runs clockwise, so a secondary root stands at its left.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, hypot, pi, sin
from typing import NamedTuple

import msgspec

from snowcast.planning.markup import number

BEND_POWER = 0.75  # below 1, so that the short ways of deep levels can still be seen
LABEL_GAP = 11.0
ACROSS_SPACING = 26.0  # pixels along the ring that a label needs, written across
RADIAL_SPACING = 13.0  # and along the radius


class Point(NamedTuple):
    """A place in the picture; y grows downwards."""

    x: float
    y: float


class Circle(msgspec.Struct, frozen=True):
    """The ring: `nodes` of them at equal distances, `top` at the top."""

    nodes: int
    top: int
    centre: Point
    radius: float

    @property
    def spacing(self) -> float:
        """The way along the ring from one node to the next."""
        return 2 * pi * self.radius / self.nodes

    @property
    def leaf_radius(self) -> float:
        """How large a leaf is drawn."""
        return min(max(0.24 * self.spacing, 1.2), 5.0)

    @property
    def internal_radius(self) -> float:
        """How large an internal node is drawn."""
        return min(max(0.4 * self.spacing, 2.2), 8.5)

    @property
    def is_roomy(self) -> bool:
        """Whether labels can be written across; else they follow the radius."""
        return self.spacing >= ACROSS_SPACING

    def angle(self, node: int) -> float:
        """Clockwise from the top, from 0 to below 2 pi."""
        return 2 * pi * ((node - self.top) % self.nodes) / self.nodes

    def at(self, node: int, outwards: float = 0.0) -> Point:
        """Where a node stands, or a place that far outside of it."""
        return self._polar(self.angle(node), self.radius + outwards)

    def curve(self, start: int, end: int, bend: float) -> str:
        """A path between two nodes that swings towards the centre.

        It goes deeper the farther they are apart; with a `bend` of 1 as deep as the centre.
        """
        a, b = self.at(start), self.at(end)
        half = (self.angle(end) - self.angle(start)) / 2
        middle = self.angle(start) + half
        if cos(half) < 0:  # the middle of the long way round
            middle += pi
        chord = hypot(b.x - a.x, b.y - a.y) / (2 * self.radius)
        inwards = self.radius * abs(cos(half))  # from the middle of the chord to the centre
        depth = bend * min(self.radius * chord**BEND_POWER, inwards)
        control = self._polar(middle, inwards - depth)
        x1, y1, x2, y2, x3, y3 = (number(value) for point in (a, control, b) for value in point)
        return f"M{x1} {y1}Q{x2} {y2} {x3} {y3}"

    def label(self, node: int) -> tuple[Point, str, float | None]:
        """Where a label goes, how it is anchored, and how far it is turned, if at all."""
        if self.is_roomy:
            return self.at(node, self.internal_radius + LABEL_GAP), "middle", None
        place = self.at(node, self.internal_radius + LABEL_GAP / 2)
        turned = self.angle(node) * 180 / pi - 90
        if sin(self.angle(node)) < 0:
            return place, "end", turned - 180
        return place, "start", turned

    def labelled(self, by_importance: Iterable[int], taken: Iterable[int]) -> list[int]:
        """Which nodes get a label: the first ones, while each has room beside those `taken`."""
        wanted = ACROSS_SPACING if self.is_roomy else RADIAL_SPACING
        reach = range(-int(wanted / self.spacing), int(wanted / self.spacing) + 1)
        blocked = {(node + step) % self.nodes for node in taken for step in reach}
        chosen = []
        for node in by_importance:
            if node not in blocked:
                chosen.append(node)
                blocked.update((node + step) % self.nodes for step in reach)
        return chosen

    def _polar(self, angle: float, radius: float) -> Point:
        return Point(self.centre.x + radius * sin(angle), self.centre.y - radius * cos(angle))
