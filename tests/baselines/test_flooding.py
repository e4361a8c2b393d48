"""Flooding: along all links but the one it came by, once."""

from __future__ import annotations

from snowcast.baselines.flooding import Flooding
from snowcast.core.frames import Data
from support.lone import sends
from support.rings import number
from support.spreaders import Alone, Everybody, copy


def test_a_message_goes_along_all_links_but_the_one_it_came_by() -> None:
    node = Alone(Flooding, 0, 30)
    links = [number(link) for link in node.algorithm.links]
    assert sends(node.start(), Data) == [(link, copy(0)) for link in links]
    came_by, *others = links
    effects = node.receive(came_by, copy(7, hop=2))
    assert sends(effects) == [(link, copy(7, hop=3)) for link in others]
    assert node.receive(others[0], copy(7, hop=2)) == []


def test_everybody_gets_it_once_and_each_link_carries_it_once_or_from_both_ends() -> None:
    everybody = Everybody(Flooding, 80)
    links = {
        frozenset((number(algorithm.context.me), number(link)))
        for algorithm in everybody.algorithms
        for link in algorithm.links
    }
    id = everybody.say(17)
    assert everybody.received(id) == [i for i in range(80) if i != 17]
    assert len(links) <= everybody.copies[id] <= 2 * len(links)
    # All its links for each node, but for the one that the message came by.
    ends = sum(len(algorithm.links) for algorithm in everybody.algorithms)
    assert everybody.copies[id] == ends - (80 - 1)


def test_with_k_4_it_costs_about_5_copies_a_node() -> None:
    everybody = Everybody(Flooding, 200, fanout=4)
    id = everybody.say()
    assert 4.7 <= everybody.copies[id] / 199 <= 5.1


def test_it_goes_around_the_dead_whom_nobody_has_missed_yet() -> None:
    everybody = Everybody(Flooding, 80, probe_interval_us=10**12)
    dead = {5, 20, 33, 61}
    for index in dead:
        everybody.cluster.crash(everybody.cluster.nodes[index])
    id = everybody.say()
    assert everybody.received(id) == [i for i in range(1, 80) if i not in dead]
