"""Nodes in network namespaces of their own, and what a bad network does to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from snowcast.core.config import MS, SECOND, Config
from snowcast.lab.hub import Hub
from snowcast.lab.namespaces import Namespaces, host_of
from snowcast.lab.rules import Rules
from support.fleet import Fleet, fleet
from support.lab import needs_namespaces

pytestmark = needs_namespaces

NODES = 10
MESSAGES = 4
NAMES = [f"node-{number}" for number in range(NODES)]
SOONER = Config(
    probe_interval_us=500 * MS,
    probe_timeout_us=250 * MS,
    suspicion_min_us=1500 * MS,
    anti_entropy_us=3 * SECOND,
    heal_us=2 * SECOND,
    join_timeout_us=2 * SECOND,
)
"""What takes ten seconds in a cluster takes four in a test; round trips of 100 ms still fit."""


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
        receipt = f.broadcast("node-0", "after the cut", reliable=True)
        assert receipt["missing"] == ["node-4"]
        assert receipt["delivered"] == NODES - 2
        f.all_heard("after the cut", by=others[1:])
        f.agree(others)
        assert set(f.who_told("MemberEvicted", "node-4")) == set(others)

        hub.heal()
        print(f"together again {f.agree():.1f} s after the cut was mended")
        f.broadcast("node-4", "here I am", reliable=True)
        f.all_heard("here I am", by=others)


def test_two_halves_go_on_alone_and_find_each_other_again() -> None:
    left, right = NAMES[: NODES // 2], NAMES[NODES // 2 :]
    with network() as (f, hub):
        hub.partition(range(NODES // 2), range(NODES // 2, NODES))
        f.agree(left)
        f.agree(right)
        for half in (left, right):
            receipt = f.broadcast(half[2], f"only {half[0]}", reliable=True)
            assert (receipt["missing"], receipt["delivered"]) == ([], NODES // 2 - 1)

        hub.heal()
        print(f"one cluster again {f.agree():.1f} s after the cut was mended")
        receipt = f.broadcast(left[1], "everybody", reliable=True)
        assert (receipt["missing"], receipt["delivered"]) == ([], NODES - 1)
        f.all_heard("everybody", by=set(NAMES) - {left[1]})
        for half in (left, right):
            assert f.who_heard(f"only {half[0]}") == sorted(set(half) - {half[2]})


def test_with_a_fifth_of_all_packets_lost_everything_arrives_and_nobody_is_evicted() -> None:
    late: list[str] = []
    with network(Rules(loss=0.2), Config()) as (f, hub):
        for number in range(MESSAGES):
            mode = ("standard", "coloring")[number % 2]
            origin = NAMES[number % NODES]
            receipt = f.broadcast(origin, f"loss {number}", mode=mode, reliable=True)
            # Who is slow to confirm may be named, and gets the message all the same.
            assert receipt["delivered"] + len(receipt["missing"]) == NODES - 1
            f.all_heard(f"loss {number}", by=set(NAMES) - {origin})
            late += receipt["missing"]
        print(f"of {MESSAGES * (NODES - 1)} confirmations {len(late)} came after the receipt")
        assert len(late) < NODES - 1
        assert hub.counts().dropped > 50
        assert not [told for told in f.told if told.event == "MemberEvicted"]
        hub.loss(0)
        f.agree()


def test_a_delay_of_fifty_milliseconds_makes_nobody_a_suspect() -> None:
    with network(Rules(delay_us=50_000, jitter_us=5_000), Config()) as (f, _):
        for number, mode in enumerate(("standard", "coloring")):
            receipt = f.broadcast(NAMES[number], mode, mode=mode, reliable=True)
            assert (receipt["missing"], receipt["delivered"]) == ([], NODES - 1)
            # A connection is opened, with one round trip, before the frame takes half of one.
            assert receipt["elapsed"] >= 0.1
            f.all_heard(mode, by=set(NAMES) - {NAMES[number]})
        assert not [t for t in f.told if t.event in ("MemberEvicted", "MemberSuspected")]


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
