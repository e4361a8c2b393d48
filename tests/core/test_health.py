"""Lifeguard's local health: a node that is unwell trusts its own judgement less."""

from __future__ import annotations

import pytest

from snowcast.core.config import Config
from snowcast.core.health import Health


def test_a_well_node_waits_as_long_as_it_is_told_to() -> None:
    health = Health(Config())
    assert (health.score, health.scale(500)) == (0, 500)


@pytest.mark.parametrize(
    ("deltas", "score"),
    [([1], 1), ([3, -1], 2), ([-1], 0), ([1, -5, 2], 2), ([100], 7), ([100, -1], 6)],
)
def test_the_score_stays_between_well_and_the_worst(deltas: list[int], score: int) -> None:
    health = Health(Config(health_max=8))
    for delta in deltas:
        health.adjust(delta)
    assert health.score == score
    assert health.scale(500) == 500 * (score + 1)


def test_the_longest_wait_is_so_many_times_the_shortest() -> None:
    health = Health(Config(health_max=3))
    health.adjust(99)
    assert health.scale(500) == 1500


def test_without_lifeguard_a_node_always_thinks_itself_well() -> None:
    health = Health(Config(lifeguard=False))
    health.adjust(5)
    assert (health.score, health.scale(500)) == (0, 500)
