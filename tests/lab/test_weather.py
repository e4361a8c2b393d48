"""A scenario's network as rules for packets, from the start and as the plan changes them."""

from __future__ import annotations

from typing import Any

import pytest

from snowcast.lab.rules import Rules
from snowcast.lab.weather import changes, rules_of
from snowcast.sim.scenario import parse
from snowcast.sim.workload import plan

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("network", "rules"),
    [
        ({}, Rules(delay_us=770, jitter_us=60)),
        ({"latency": "fixed", "latency_ms": [25, 25]}, Rules(delay_us=25_000)),
        (
            {"latency": "uniform", "latency_ms": [2, 5], "loss": 0.1},
            Rules(delay_us=2_000, jitter_us=3_000, loss=0.1),
        ),
        (
            {"latency": "measured", "latency_quantiles": [[0, 1], [0.05, 2], [0.95, 5], [1, 90]]},
            Rules(delay_us=2_000, jitter_us=3_000),
        ),
        (
            {"latency": "fixed", "bandwidth_bytes_per_s": 9, "queue_bytes": 5},
            Rules(delay_us=1_000, rate_bytes=9, queue_bytes_max=5),
        ),
    ],
)
def test_latency_loss_and_rate_are_those_of_the_scenario(
    network: dict[str, Any], rules: Rules
) -> None:
    assert rules_of(parse({"network": network}).network) == rules


def test_the_dead_are_silent_and_partitions_come_and_go() -> None:
    events = [
        {"at_s": 1, "do": "crash", "nodes": [3]},
        {"at_s": 2, "do": "partition", "nodes": [0, 1], "for_s": 4},
        {"at_s": 3, "do": "partition", "nodes": [1, 2], "for_s": 1},
        {"at_s": 4.5, "do": "leave", "nodes": [5]},
        {"at_s": 4.6, "do": "kill", "nodes": [6]},
        {"at_s": 5, "do": "restart", "nodes": [3]},
    ]
    scenario = parse({"cluster": {"nodes": 9}, "event": events})
    start = Rules(loss=0.25)
    found = changes(start, plan(scenario, 0))
    assert found == [
        (1 * SECOND, Rules(loss=0.25, silent=(3,))),
        (2 * SECOND, Rules(loss=0.25, silent=(3,), groups=((0, 1),))),
        (3 * SECOND, Rules(loss=0.25, silent=(3,), groups=((0, 1), (2,)))),
        (4 * SECOND, Rules(loss=0.25, silent=(3,), groups=((0, 1),))),
        (5 * SECOND, Rules(loss=0.25, groups=((0, 1),))),
        (6 * SECOND, Rules(loss=0.25)),
    ]


def test_what_only_frames_can_tell_is_none_of_the_packets() -> None:
    lossy = {"at_s": 1, "do": "lossy", "nodes": [2], "rate": 0.5, "direction": "inbound"}
    scenario = parse({"cluster": {"nodes": 4}, "event": [lossy]})
    assert changes(Rules(), plan(scenario, 0)) == []
