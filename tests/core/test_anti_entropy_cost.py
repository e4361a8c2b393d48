"""What a comparison costs: nothing to speak of where nothing differs, and then by the difference.

DESIGN 9: views of 100,000 members, with names, at addresses of either kind.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from snowcast.core.address import Address
from snowcast.core.member import Member, State, first_incarnation
from support.pair import Pair
from support.rings import member

N = 100_000
MakeMember = Callable[[int], Member]


def ipv4(i: int) -> Member:
    return _named(member(i), i)


def ipv6(i: int) -> Member:
    return _named(Address(b"\xfd" + i.to_bytes(15, "big") + b"\x1f\x0a"), i)


def _named(address: Address, i: int) -> Member:
    return Member(address, first_incarnation(1), State.ALIVE, f"node-{i}")


@pytest.fixture(scope="module")
def pair() -> Pair:
    """Two nodes with the same 100,000 members."""
    everyone = [ipv6(i) for i in range(N)]
    pair = Pair((), ())
    for node in pair.nodes:
        node.context.view.merge([*everyone, ipv4(0), ipv4(1)], 0)
    return pair


def test_equal_views_exchange_less_than_200_bytes(pair: Pair) -> None:
    assert pair.compare() < 200


def test_views_that_differ_in_one_member_exchange_less_than_8_kilobytes(pair: Pair) -> None:
    pair.nodes[1].context.view.merge((ipv6(N),), 0)
    cost = pair.compare()
    assert 1_000 < cost < 8_000
    assert pair.digests[0] == pair.digests[1]
    assert pair.compare() < 200


@pytest.mark.parametrize("n", [100, 5_000])
def test_the_cost_of_a_difference_does_not_grow_with_the_cluster(n: int) -> None:
    everyone = [ipv4(i) for i in range(n)]
    assert Pair(everyone, [*everyone, ipv4(n)]).compare() < 2_000


def test_the_cost_grows_with_the_difference_and_no_faster() -> None:
    everyone = [ipv4(i) for i in range(5_000)]

    def cost(difference: int) -> int:
        news = [ipv4(5_000 + i) for i in range(difference)]
        return Pair(everyone, [*everyone, *news]).compare()

    costs = [cost(difference) for difference in (1, 10, 100, 1_000)]
    assert costs == sorted(costs)
    assert all(later <= 10 * earlier for earlier, later in pairwise(costs))
