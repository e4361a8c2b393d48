"""From the tables of a scenario to what the simulator is made of: rules, delays, clocks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import assert_never

from snowcast.baselines.registry import protocol
from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.sim import incidents, rules
from snowcast.sim.clocks import ClockSkew
from snowcast.sim.cluster import Cluster
from snowcast.sim.latency import Latency
from snowcast.sim.observer import Observer
from snowcast.sim.plan import Disturb
from snowcast.sim.processing import Processing
from snowcast.sim.scenario import Scenario
from snowcast.sim.sections import NetworkSection, ProcessingSection


def make_cluster(scenario: Scenario, seed: int, observers: Sequence[Observer]) -> Cluster:
    """The cluster of a scenario, with nobody in it yet."""
    network = scenario.network
    skew = None
    if network.clock_skew_ms or network.clock_drift_ppm:
        skew = ClockSkew.random(round(network.clock_skew_ms * MS), network.clock_drift_ppm)
    return Cluster(
        seed,
        scenario.cluster.settings(),
        rules=make_rules(network),
        make_broadcaster=protocol(scenario.protocol).make_broadcaster,
        observers=observers,
        ipv6=scenario.cluster.ipv6,
        processing=make_processing(scenario.processing),
        clocks=skew,
    )


def make_rules(network: NetworkSection) -> list[rules.Rule]:
    """What happens to all frames alike; the latency last."""
    made: list[rules.Rule] = []
    if network.loss:
        made.append(rules.Loss(network.loss, datagrams_only=True))
    if network.bandwidth_bytes_per_s:
        queue_bytes = network.queue_bytes
        made.append(rules.Bandwidth(network.bandwidth_bytes_per_s, queue_bytes_max=queue_bytes))
    least_us, most_us = (round(ms * MS) for ms in network.latency_ms)
    match network.latency:
        case "datacentre":
            made.append(Latency.data_centre())
        case "fixed":
            made.append(Latency.fixed(least_us))
        case "uniform":
            made.append(Latency.uniform(least_us, most_us))
        case "measured":
            made.append(Latency.measured(network.latency_quantiles))
        case _:
            assert_never(network.latency)
    return made


def make_processing(processing: ProcessingSection) -> Processing | None:
    """The delays of the nodes; None if there are none."""
    if not processing.is_on:
        return None
    least_us, most_us = (round(ms * MS) for ms in processing.delay_ms)
    return Processing(
        least_us,
        most_us,
        stragglers=processing.stragglers,
        straggler_us=round(processing.straggler_ms * MS),
        straggler_every=processing.straggler_every,
        includes_system=processing.announcements,
    )


def make_rule(disturb: Disturb, nodes: Collection[Address]) -> rules.Rule:
    """The rule that treats `nodes` badly; to be installed and taken away at its times."""
    from_us, until_us, kind = disturb.at_us, disturb.until_us, disturb.kind
    match kind:
        case incidents.Stall():
            assert until_us is not None, "a stall has an end"
            return rules.Stall(nodes, from_us, until_us)
        case incidents.Partition():
            return rules.Partition([nodes], from_us, until_us)
        case incidents.FlipFlop():
            period_us = round(kind.period_s * 1_000 * MS)
            return rules.FlipFlop(
                nodes, period_us, kind.direction, from_us=from_us, until_us=until_us
            )
        case incidents.Lossy(direction=rules.Direction.BOTH):
            return rules.Loss(kind.rate, nodes=nodes)
        case incidents.Lossy(direction=rules.Direction.INBOUND):
            return rules.OneWayLoss(None, nodes, kind.rate)
        case incidents.Lossy():
            return rules.OneWayLoss(nodes, None, kind.rate)
        case _:
            assert_never(kind)
