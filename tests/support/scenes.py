"""Clusters whose nodes disagree: all know the stable members, and each knows some of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random

from snowcast.core.address import Address
from snowcast.core.ring import Ring, RingOrder
from support.rings import addresses
from support.walks import Send, View


@dataclass(frozen=True)
class Scene:
    """Nodes 0..n-1 and, for each that is not stable, who has it in its view and who tombstoned it.

    A mask is a number whose bit i speaks for node i. A stable member's masks are None.
    """

    knowers: tuple[int | None, ...]
    leavers: tuple[int, ...]
    order: RingOrder

    @cached_property
    def nodes(self) -> list[Address]:
        """All nodes, in address order."""
        return addresses(len(self.knowers))

    @cached_property
    def stable(self) -> set[Address]:
        """The members that every view holds whatever the masks."""
        return {node for node, mask in zip(self.nodes, self.knowers, strict=True) if mask is None}

    @cached_property
    def views(self) -> dict[Address, View]:
        """The view of each node: itself, the stable members and those its bit is set for."""
        return {node: self._view(i) for i, node in enumerate(self.nodes)}

    def view_of(self, node: Address) -> View:
        """What `node` believes."""
        return self.views[node]

    def _view(self, i: int) -> View:
        known, departed = [], []
        for j, (node, mask) in enumerate(zip(self.nodes, self.knowers, strict=True)):
            if mask is None or i == j or mask >> i & 1:
                known.append(node)
            elif self.leavers[j] >> i & 1:
                departed.append(node)
        return View(Ring(known, self.order), frozenset(departed))


def scene(seed: int, nodes: int) -> Scene:
    """A cluster in the middle of much churn."""
    random = Random(seed)
    stable_share = random.random()
    knowers = [
        None if random.random() < stable_share else random.getrandbits(nodes) for _ in range(nodes)
    ]
    leavers = [random.getrandbits(nodes) for _ in range(nodes)]
    return Scene(tuple(knowers), tuple(leavers), random.choice(list(RingOrder)))


def planners(origin: Address, sends: Iterable[Send]) -> set[Address]:
    """Who took part: the origin and all that received."""
    return {origin, *(send.child for send in sends)}


def known_to_all(scene: Scene, taking_part: Iterable[Address]) -> set[Address]:
    """The members that every view held by `taking_part` contains: the theorem's N_x."""
    rings = [set(scene.views[node].ring) for node in taking_part]
    return set.intersection(*rings)
