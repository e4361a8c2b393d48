"""Plumtree in a whole cluster: what its authors promise of it, measured.

Leitao et al. 2007, section 4: in a stable environment reliability is 1 and, once the tree stands,
a payload is received once by each node (their relative message redundancy is 0); broken trees are
mended out of the lazy links, in the same broadcast.
"""

from __future__ import annotations

import pytest

from snowcast.baselines.plumtree import Plumtree
from snowcast.core.config import SECOND
from snowcast.core.frames import Data, Graft, Prune
from support.rings import number
from support.scenarios import held, shipped
from support.spreaders import Everybody, between

N = 120
WARM_UP = 8
BLIND = 10**15  # a probe interval with which nobody ever misses anybody


def warm(origin: int = 0, n: int = N, **settings: int) -> Everybody[Plumtree]:
    """A cluster whose tree stands."""
    everybody = Everybody(Plumtree, n, **settings)
    for _ in range(WARM_UP):
        everybody.say(origin)
    everybody.frames.clear()
    return everybody


def eager_links(everybody: Everybody[Plumtree]) -> set[tuple[int, int]]:
    """Both directions of every link that is eager there."""
    return {
        (number(algorithm.context.me) - 1, number(peer) - 1)
        for algorithm in everybody.algorithms
        for peer in algorithm.eager
    }


def test_the_first_message_floods_and_reaches_everybody() -> None:
    everybody = Everybody(Plumtree, N)
    id = everybody.say()
    assert everybody.received(id) == list(range(1, N))
    assert everybody.copies[id] > 3 * N
    assert everybody.sent["Prune"] == everybody.copies[id] - (N - 1)  # one for each duplicate


def test_what_stays_eager_is_one_spanning_tree_and_the_same_from_both_ends() -> None:
    links = eager_links(warm())
    assert links == {(to, node) for node, to in links}
    assert len(links) == 2 * (N - 1)
    reached, new = set(), {0}
    while new:
        reached |= new
        new = {to for node, to in links if node in new} - reached
    assert reached == set(range(N))


@pytest.mark.parametrize("origin", [0, 50])
def test_after_warm_up_each_node_receives_one_copy(origin: int) -> None:
    everybody = warm()
    for _ in range(5):
        id = everybody.say(origin)
        assert everybody.received(id) == [i for i in range(N) if i != origin]
        assert everybody.copies[id] == N - 1
    assert between(everybody.frames, Prune) == []
    assert between(everybody.frames, Graft) == []


def test_a_broken_tree_is_mended_by_graft_within_the_broadcast_that_finds_it_broken() -> None:
    everybody = warm(probe_interval_us=BLIND)
    links = eager_links(everybody)
    inner = max(range(1, N), key=lambda i: sum(node == i for node, _ in links))
    orphans = {to for node, to in links if node == inner}
    assert len(orphans) >= 3
    everybody.cluster.crash(everybody.cluster.nodes[inner])

    id = everybody.say(for_us=5 * SECOND)
    living = [i for i in range(1, N) if i != inner]
    assert everybody.received(id) == living
    grafts = between(everybody.frames, Graft)
    assert grafts
    everybody.frames.clear()

    id = everybody.say(for_us=5 * SECOND)  # and then the tree stands again, without the dead one
    assert everybody.received(id) == living
    assert len(between(everybody.frames, Graft)) < len(grafts)
    pushed = [end for end in between(everybody.frames, Data) if inner not in end]
    assert len(pushed) <= 1.1 * len(living)


def test_without_lazy_links_the_same_death_would_lose_a_branch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So the test above shows what grafts do, and not that the tree happened to be whole."""
    everybody = warm(probe_interval_us=BLIND)
    links = eager_links(everybody)
    inner = max(range(1, N), key=lambda i: sum(node == i for node, _ in links))
    everybody.cluster.crash(everybody.cluster.nodes[inner])
    monkeypatch.setattr(Plumtree, "_offer", lambda *_: None)
    assert len(everybody.received(everybody.say(for_us=5 * SECOND))) < N - 2


def test_joins_and_leaves_travel_by_plumtree_and_everybody_gets_everything() -> None:
    everybody = warm()
    cluster = everybody.cluster
    joiner = cluster.join(cluster.nodes[7])
    cluster.run_for(5 * SECOND)
    assert everybody.received(everybody.say()) == list(range(1, N + 1))
    cluster.leave(joiner)
    cluster.leave(cluster.nodes[3])
    cluster.run_for(5 * SECOND)
    id = everybody.say()
    assert set(everybody.received(id)) == set(range(1, N)) - {3}
    assert all(len(node.node.view.ring) == N - 1 for node in cluster.nodes[:3])
    assert "Ack" not in everybody.sent  # announcements went by Plumtree, and not by Snow


@pytest.mark.parametrize("seed", [1, 2])
def test_with_the_papers_delays_it_costs_within_a_tenth_of_one_copy_a_node(seed: int) -> None:
    """Nodes that work 10 to 200 ms, one in twenty a whole second: late is not taken for lost."""
    messages = 40
    scenario = shipped("stable", protocol="plumtree", cluster={"nodes": 200})
    short, long = (
        held(scenario.with_values({"workload.messages": count}), seed)
        for count in (10, 10 + messages)
    )
    after_warm_up = long.frames["Data"] - short.frames["Data"]
    assert after_warm_up <= 1.1 * messages * 199
    assert long.deliveries == (10 + messages) * 199
