"""From the tables of a scenario to rules, delays and clocks."""

from typing import Any

import pytest

from snowcast.core.address import Address
from snowcast.core.frames import Ping
from snowcast.sim import incidents, rules
from snowcast.sim.cluster import address_of
from snowcast.sim.latency import Latency
from snowcast.sim.plan import Disturb
from snowcast.sim.scenario import parse
from snowcast.sim.sections import NetworkSection, ProcessingSection
from snowcast.sim.staging import make_cluster, make_processing, make_rule, make_rules

A, B, C = (address_of(index) for index in range(3))


def flight(sender: Address, to: Address, sent_us: int = 0) -> rules.Flight:
    """A datagram under way."""
    return rules.Flight(sender, to, Ping(1), True, sent_us)


def disturbed(do: str, until_us: int | None = None, **keys: Any) -> rules.Rule:
    """The rule that does something to node A from 1 s on."""
    kind: Any = {
        "stall": incidents.Stall,
        "partition": incidents.Partition,
        "flipflop": incidents.FlipFlop,
        "lossy": incidents.Lossy,
    }[do]
    step = Disturb(1_000_000, until_us, (0,), kind(at_s=1, nodes=(0,), **keys))
    return make_rule(step, [A])


def test_a_network_is_its_latency_unless_more_is_asked_for() -> None:
    assert [type(rule) for rule in make_rules(NetworkSection())] == [Latency]


def test_loss_and_bandwidth_come_before_the_latency() -> None:
    network = NetworkSection(loss=0.1, bandwidth_bytes_per_s=1_000_000)

    made = make_rules(network)

    assert [type(rule) for rule in made] == [rules.Loss, rules.Bandwidth, Latency]


def test_latencies_are_those_that_are_asked_for() -> None:
    fixed = make_rules(NetworkSection(latency="fixed", latency_ms=(3, 3)))[-1]
    uniform = make_rules(NetworkSection(latency="uniform", latency_ms=(2, 4)))[-1]

    assert isinstance(fixed, Latency)
    assert isinstance(uniform, Latency)
    assert fixed.quantiles == (3_000,)
    assert 2_000 <= min(uniform.quantiles) < max(uniform.quantiles) <= 4_000


def test_delays_and_stragglers_are_made_only_where_there_are_any() -> None:
    assert make_processing(ProcessingSection()) is None

    made = make_processing(ProcessingSection(delay_ms=(10, 20), stragglers="aligned"))

    assert made is not None
    assert made.is_straggler(19)
    assert not made.is_straggler(18)


def test_the_cluster_is_set_up_as_the_scenario_says() -> None:
    tables = {"cluster": {"fanout": 2, "ipv6": True}, "network": {"clock_skew_ms": 5}}
    cluster = make_cluster(parse(tables), 1, [])

    node = cluster.boot(3)[0]

    assert cluster.config.fanout == 2
    assert not node.address.is_ipv4
    assert node.clock is not None


def test_a_partition_cuts_its_nodes_off_for_its_time() -> None:
    rule = disturbed("partition", until_us=2_000_000, for_s=1)

    assert rule(flight(A, B, 1_500_000)) is rules.DROP
    assert rule(flight(B, C, 1_500_000)) is rules.PASS
    assert rule(flight(A, B, 2_000_000)) is rules.PASS


def test_a_stall_holds_back_what_its_nodes_send_and_hear_until_its_end() -> None:
    rule = disturbed("stall", until_us=3_000_000, for_s=2)

    assert rule(flight(A, B, 1_500_000)) == rules.Later(1_500_000)
    assert rule(flight(B, A, 1_500_000)) == rules.Later(1_500_000)
    assert rule(flight(B, C, 1_500_000)) is rules.PASS
    assert rule(flight(A, B, 3_000_000)) is rules.PASS


def test_a_flipflop_is_deaf_for_half_of_each_period() -> None:
    rule = disturbed("flipflop", period_s=40)

    assert rule(flight(B, A, 1_000_000)) is rules.DROP
    assert rule(flight(A, B, 1_000_000)) is rules.PASS
    assert rule(flight(B, A, 22_000_000)) is rules.PASS


@pytest.mark.parametrize(
    ("direction", "lost"),
    [("both", [True, True]), ("inbound", [False, True]), ("outbound", [True, False])],
)
def test_a_lossy_node_loses_what_its_direction_says(direction: str, lost: list[bool]) -> None:
    rule = disturbed("lossy", rate=1, direction=rules.Direction(direction))

    assert [rule(flight(*way)) is rules.DROP for way in ((A, B), (B, A))] == lost
    assert rule(flight(B, C)) is rules.PASS
