"""Gossip: on the first receipt to k random members, whoever they are, and never again.

Paper, Evaluation: "upon receiving a message, each node randomly forwards it to k other nodes".
"""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.baselines.gossip import Gossip, random_others
from snowcast.core.frames import Data
from snowcast.core.member import State
from support.effort import seeds
from support.lone import sends
from support.rings import fanouts, member, number, ring
from support.spreaders import Alone, Everybody, copy


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 50), seeds())
def test_others_are_members_all_different_and_as_many_as_asked_for(
    n: int, me: int, count: int, seed: int
) -> None:
    drawn = [number(other) for other in random_others(ring(n), member(me), count, Random(seed))]
    others = set(range(n)) - {me}
    assert len(set(drawn)) == len(drawn) == min(count, len(others))
    assert set(drawn) <= others


@pytest.mark.parametrize("me", [0, 3, 7, 99])
def test_every_other_member_is_as_likely(me: int) -> None:
    random, members, trials = Random(4), ring(8), 7_000
    drawn = Counter(
        number(other)
        for _ in range(trials)
        for other in random_others(members, member(me), 3, random)
    )
    others = [i for i in range(8) if i != me]
    assert set(drawn) == set(others)
    share = 3 / len(others)
    five_sigma = 5 * math.sqrt(share * (1 - share) / trials)
    assert all(abs(drawn[i] / trials - share) < five_sigma for i in others)


@given(fanouts(8), st.integers(2, 30))
def test_the_first_copy_goes_to_k_members_and_no_other_copy_does(fanout: int, n: int) -> None:
    node = Alone(Gossip, 0, n, fanout=fanout)
    sent = sends(node.receive(1, copy(1)), Data)
    assert len({to for to, _ in sent}) == len(sent) == min(fanout, n - 1)
    assert all(frame == copy(1, hop=2) for _, frame in sent)
    assert node.receive(2 % n, copy(1, hop=5)) == []


def test_the_sender_is_a_member_like_any_other() -> None:
    node = Alone(Gossip, 0, 3, fanout=2)
    assert {to for to, _ in sends(node.receive(1, copy(1)))} == {1, 2}


def test_whoever_has_gone_is_not_drawn_and_whoever_has_come_is() -> None:
    node = Alone(Gossip, 0, 5, fanout=4)
    node.depart(3, State.EVICTED)
    node.arrive(9)
    assert {to for to, _ in sends(node.start())} == {1, 2, 4, 9}


def test_draws_follow_from_the_randomness_it_is_given() -> None:
    assert Alone(Gossip, 0, 90).start() == Alone(Gossip, 0, 90).start()


def test_a_message_costs_k_copies_for_each_node_that_has_it() -> None:
    everybody = Everybody(Gossip, 60, fanout=4)
    for origin in (0, 31):
        id = everybody.say(origin)
        had = everybody.received(id)
        assert had == sorted(set(had) - {origin})
        assert everybody.copies[id] == 4 * (len(had) + 1)


def test_with_k_4_the_share_that_is_reached_is_the_fixed_point() -> None:
    """s = 1 - exp(-4 s) at 0.980, not the 0.954 that the paper prints (decision 53)."""
    n, messages = 150, 60
    everybody = Everybody(Gossip, n, probe_interval_us=10**12)
    reached = sum(len(everybody.received(everybody.say(i % n))) for i in range(messages))
    share = reached / (messages * (n - 1))
    settled = 0.9802
    assert settled == pytest.approx(1 - math.exp(-4 * settled), abs=1e-4)
    # A node is missed with 0.02, so 0.0015 is one sigma of the mean; small n adds a little.
    assert share == pytest.approx(settled, abs=0.008)
