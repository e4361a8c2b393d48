"""A cluster cut in two halves for five minutes: each evicts the other, and both heal.

Healed, all views are equal within two minutes, with nobody's help.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from promises.figures import Figure, spread
from snowcast.core.effects import MemberChanged, Notice
from snowcast.core.member import State
from snowcast.sim.observer import Observer
from snowcast.sim.simnode import SimNode
from support.scenarios import held, shipped

WITHIN_S = 120.0


class Evictions(Observer):
    """Whom each node has taken off its own ring, by number."""

    def __init__(self) -> None:
        self.by: dict[int, set[int]] = {}

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, MemberChanged) and notice.new.state is State.EVICTED:
            number = int.from_bytes(notice.new.address[-5:-2], "big") - 1
            self.by.setdefault(node.index, set()).add(number)


def heal(seeds: Iterable[int], figure: Figure, nodes: int, **changes: Any) -> None:
    """Both halves evict all of the other and nobody of their own; then all is well in time."""
    healed_s = []
    for seed in seeds:
        evictions = Evictions()
        scenario = shipped("partition_heal", cluster={"nodes": nodes}, **changes)
        result = held(scenario, seed, [evictions])
        healed_s.append(result.measured("views_converge")["converged_after_s"])
        there = evictions.by[0]
        here = set(range(nodes)) - there
        assert len(here) == nodes // 2
        assert evictions.by == {node: there if node in here else here for node in range(nodes)}
    figure("views equal again after", spread(healed_s, "s"))
    assert max(healed_s) <= WITHIN_S


def test_two_halves_evict_each_other_and_are_one_again_within_two_minutes(figure: Figure) -> None:
    heal(range(2), figure, nodes=40)


@pytest.mark.soak
def test_two_halves_of_100_under_many_seeds(figure: Figure) -> None:
    heal(range(20), figure, nodes=100)


@pytest.mark.soak
def test_two_halves_of_500(figure: Figure) -> None:
    heal(range(2), figure, nodes=500)
