"""Nodes in network namespaces of their own, and what a bad network does to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from snowcast.core.config import Config
from snowcast.lab.hub import Hub
from snowcast.lab.namespaces import Namespaces, host_of
from snowcast.lab.rules import Rules
from support.fleet import SOONER, Fleet, fleet
from support.lab import needs_namespaces

pytestmark = needs_namespaces

NODES = 10
MESSAGES = 4
NAMES = [f"node-{number}" for number in range(NODES)]


@contextmanager
def network(
    rules: Rules | None = None, config: Config = SOONER, nodes: int = NODES
) -> Iterator[tuple[Fleet, Hub]]:
    """A cluster with one node a namespace, that all know each other."""
    with (
        Namespaces(nodes) as namespaces,
        Hub(namespaces, rules, seed=7) as hub,
        fleet(namespaces, config) as f,
    ):
        for number in range(nodes):
            f.launch(f"node-{number}", namespace=number)
        for number in range(nodes):
            f.join(f"node-{number}", bind=f"{host_of(number)}:7946")
        f.agree()
        yield f, hub


def test_a_node_that_nothing_comes_from_is_named_evicted_and_back_when_it_is_heard_again() -> None:
    with network() as (f, hub):
        hub.silence(4)
        others = [name for name in NAMES if name != "node-4"]
        f.reach("node-0", "after the cut", NAMES, dead=["node-4"])
        f.agree(others)
        assert set(f.who_told("MemberEvicted", "node-4")) == set(others)

        hub.heal()
        print(f"together again {f.agree():.1f} s after the cut was mended")
        f.complete("node-4", "here I am", NAMES)


def test_two_halves_go_on_alone_and_find_each_other_again() -> None:
    left, right = NAMES[: NODES // 2], NAMES[NODES // 2 :]
    with network() as (f, hub):
        hub.partition(range(NODES // 2), range(NODES // 2, NODES))
        f.agree(left)
        f.agree(right)
        said = [f.complete(half[2], f"only {half[0]}", half) for half in (left, right)]

        hub.heal()
        print(f"one cluster again {f.agree():.1f} s after the cut was mended")
        f.complete(left[1], "everybody", NAMES)
        for half, text in zip((left, right), said, strict=True):
            assert f.who_heard(text) == sorted(set(half) - {half[2]})


def test_with_a_fifth_of_all_packets_lost_everything_arrives_and_nobody_is_evicted() -> None:
    with network(Rules(loss=0.2), Config()) as (f, hub):
        for number in range(MESSAGES):
            mode = ("standard", "coloring")[number % 2]
            origin = NAMES[number % NODES]
            f.reach(origin, f"loss {number}", NAMES, mode=mode)
        print(f"of {MESSAGES * (NODES - 1)} confirmations {len(f.late)} came after the receipt")
        assert hub.counts().dropped > 50
        assert not [told for told in f.told if told.event == "MemberEvicted"]
        hub.loss(0)
        f.agree()


def test_a_delay_of_fifty_milliseconds_costs_nobody_their_membership() -> None:
    with network(Rules(delay_us=50_000, jitter_us=5_000), Config()) as (f, _):
        for number, mode in enumerate(("standard", "coloring")):
            receipt = f.reach(NAMES[number], mode, NAMES, mode=mode)
            # A connection is opened, with one round trip, before the frame takes half of one.
            assert receipt["elapsed"] >= 0.1
        assert not [told for told in f.told if told.event == "MemberEvicted"]


def test_a_link_that_is_cut_one_way_costs_nobody_their_membership() -> None:
    with network(nodes=6) as (f, hub):
        names = f.names
        hub.one_way((1, 2))
        before = f.each("stats")
        f.until(
            lambda: all(
                now["datagrams_received"] > before[name]["datagrams_received"] + 40
                for name, now in f.each("stats").items()
            )
        )
        assert hub.counts().dropped > 0
        f.broadcast("node-1", "over two trees", mode="coloring")
        f.all_heard("over two trees", by=set(names) - {"node-1"})
        f.agree()
        assert not [told for told in f.told if told.event == "MemberEvicted"]
