"""A thousand nodes join within one second through one contact: in batches, at a bounded cost.

All views are equal within 10 s. What a join costs does not grow with how many join at once: the
contact hands over a view, and announces all that have come meanwhile in one message.
"""

from __future__ import annotations

import pytest

from promises.figures import Figure
from support.scenarios import held, shipped

WITHIN_S = 10.0
FRAMES_A_JOIN_MAX = 30
"""Six batches or so in a second, each announced along two trees to half of all, and acked."""
OF_JOINS = ("JoinRequest", "ViewPart", "JoinReady", "Announcement", "Ack")


def storm(joiners: int, seed: int, figure: Figure) -> float:
    """How many frames a join costs, with all that makes it known."""
    event = {"at_s": 1, "do": "join", "count": joiners, "over_s": 1, "contact": "first"}
    result = held(shipped("join_storm", event=[event]), seed)
    converged_s = result.measured("views_converge")["converged_after_s"]
    cost = sum(result.frames[kind] for kind in OF_JOINS) / joiners
    figure(f"{joiners} joins, seed {seed}", f"views equal {converged_s:g} s after the last")
    figure(f"{joiners} joins, seed {seed}, frames a join", f"{cost:.1f}")
    assert result.joined == joiners
    assert converged_s <= WITHIN_S
    assert cost <= FRAMES_A_JOIN_MAX
    return cost


def test_1000_joins_in_a_second_through_one_contact(figure: Figure) -> None:
    few, many = storm(100, 0, figure), storm(1_000, 0, figure)
    assert many <= 1.5 * few


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 11))
def test_1000_joins_in_a_second_under_many_seeds(seed: int, figure: Figure) -> None:
    storm(1_000, seed, figure)
