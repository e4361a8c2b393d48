"""What a comparison costs: it follows the difference of two views, not their size.

The promise in bytes, at 100,000 members, is held in tests/promises/test_sizes.py.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from snowcast.core.member import Member, State, first_incarnation
from support.pair import Pair
from support.rings import member


def named(i: int) -> Member:
    """A member with a name."""
    return Member(member(i), first_incarnation(1), State.ALIVE, f"node-{i}")


@pytest.mark.parametrize("n", [100, 5_000])
def test_the_cost_of_a_difference_does_not_grow_with_the_cluster(n: int) -> None:
    everyone = [named(i) for i in range(n)]
    assert Pair(everyone, [*everyone, named(n)]).compare() < 2_000


def test_the_cost_grows_with_the_difference_and_no_faster() -> None:
    everyone = [named(i) for i in range(5_000)]

    def cost(difference: int) -> int:
        news = [named(5_000 + i) for i in range(difference)]
        return Pair(everyone, [*everyone, *news]).compare()

    costs = [cost(difference) for difference in (1, 10, 100, 1_000)]
    assert costs == sorted(costs)
    assert all(later <= 10 * earlier for earlier, later in pairwise(costs))
