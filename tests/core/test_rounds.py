"""Rounds of turns: everybody once in each, in an order of its own, whoever comes and goes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.rounds import Rounds, below
from support.effort import seeds
from support.rings import addresses, member, ring


def taken(rounds: Rounds, ring: Ring, turns: int) -> list[Address]:
    """The next turns, as node 0 takes them."""
    return [ring[rounds.next(ring, member(0))] for _ in range(turns)]


@given(st.integers(2, 60), seeds(), st.sampled_from(RingOrder))
def test_everybody_but_oneself_has_one_turn_in_each_round(
    n: int, seed: int, order: RingOrder
) -> None:
    rounds, members = Rounds(Random(seed)), ring(n, order)
    for _ in range(3):
        assert sorted(taken(rounds, members, n - 1)) == addresses(n)[1:]


def test_each_round_is_in_an_order_of_its_own() -> None:
    rounds, members = Rounds(Random(1)), ring(9)
    orders = [taken(rounds, members, 8) for _ in range(9)]
    assert len({tuple(order) for order in orders}) == 9


def test_every_turn_is_as_likely_for_anyone() -> None:
    members = ring(5)
    firsts = Counter(Rounds(Random(seed)).next(members, member(0)) for seed in range(4_000))
    assert set(firsts) == {1, 2, 3, 4}
    assert all(850 < count < 1_150 for count in firsts.values())


@given(st.integers(4, 30), seeds(), st.data())
def test_who_goes_has_no_turn_and_who_comes_has_one_in_the_next_round(
    n: int, seed: int, data: st.DataObject
) -> None:
    rounds, members = Rounds(Random(seed)), ring(n)
    begun = taken(rounds, members, data.draw(st.integers(1, n - 3)))
    gone = data.draw(st.sampled_from(addresses(n)[1:]))
    members.remove(gone)
    members.insert(member(n))
    rest = set(addresses(n)[1:]) - {*begun, gone}
    assert set(taken(rounds, members, len(rest))) == rest
    there = sorted({*addresses(n)[1:], member(n)} - {gone})
    assert sorted(taken(rounds, members, len(there))) == there


@given(st.lists(st.integers(1, 12), max_size=12))
def test_the_neighbour_is_whoever_is_next_on_the_ring_as_it_is_now(changes: list[int]) -> None:
    rounds, members = Rounds(Random(1)), ring(6)
    for i in changes:
        if not members.remove(member(i)):
            members.insert(member(i))
        if len(members) > 1:
            neighbour = members[rounds.neighbour(members, member(0))]
            assert neighbour == min(set(members) - {member(0)})


def test_the_neighbour_of_the_last_is_the_first() -> None:
    assert Rounds(Random(1)).neighbour(ring(5), member(4)) == 0


def test_the_same_seed_draws_the_same_turns() -> None:
    orders = [taken(Rounds(Random(3)), ring(20), 60) for _ in range(2)]
    assert all(a == b for a, b in pairwise(orders))


@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=20), seeds())
def test_a_cheaper_draw_is_the_same_draw(counts: list[int], seed: int) -> None:
    ours, theirs = Random(seed), Random(seed)
    assert [below(ours, count) for count in counts] == list(map(theirs.randrange, counts))
