"""Errors in scenario files say which key is wrong, and what was allowed there."""

from typing import Any

import msgspec
import pytest

from snowcast.sim.explain import explain
from snowcast.sim.scenario import Scenario


def explained(**values: Any) -> str:
    """What is said about a scenario that cannot be."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(values, Scenario)
    return explain(caught.value, Scenario, values)


def test_an_unknown_key_is_answered_with_the_keys_there_are() -> None:
    assert explained(breakdown={"every": 3}) == (
        "breakdown.every: no such key; allowed: every_messages"
    )


def test_an_unknown_table_is_answered_with_the_tables_there_are() -> None:
    assert explained(wrkload={}).startswith(
        "wrkload: no such key; allowed: breakdown, check, churn, cluster, draw, duration_s, event"
    )


def test_an_unknown_checker_is_answered_with_the_checkers_there_are() -> None:
    assert explained(check={"all": {}}).startswith(
        "check.all: no such key; allowed: crashes_detected, delivered_once"
    )


def test_a_choice_that_is_none_is_answered_with_the_choices() -> None:
    assert explained(network={"latency": "warp"}) == (
        "network.latency: 'warp' is not allowed; allowed: 'datacentre', 'fixed', 'measured', "
        "'uniform'"
    )
    assert explained(cluster={"ring_order": "random"}) == (
        "cluster.ring_order: 'random' is not allowed; allowed: 'address', 'hashed'"
    )
    assert explained(workload={"reliable": "maybe"}) == (
        "workload.reliable: 'maybe' is not allowed; allowed: true, false, 'random'"
    )


def test_an_unknown_event_is_answered_with_the_events_there_are() -> None:
    assert explained(event=[{"do": "explode", "at_s": 1}]) == (
        "event[0].do: 'explode' is not allowed; allowed: 'join', 'leave', 'crash', 'kill', "
        "'restart', 'pause', 'stall', 'partition', 'flipflop', 'lossy'"
    )


def test_a_key_of_another_event_is_answered_with_those_of_this_one() -> None:
    assert explained(event=[{"do": "crash", "at_s": 1, "count": 1, "rate": 1}]).startswith(
        "event[0].rate: no such key; allowed: at_s, count, do, nodes, over_s, share"
    )


def test_a_missing_key_is_asked_for() -> None:
    assert explained(event=[{"do": "join"}]) == "event[0].at_s: has to be given"


def test_a_wrong_type_or_a_number_out_of_range_is_told_with_the_key() -> None:
    assert explained(cluster={"nodes": "many"}) == "cluster.nodes: expected `int`, got `str`"
    assert explained(cluster={"nodes": 0}) == "cluster.nodes: expected `int` >= 1"
    assert explained(pauses={"share": 2.0}) == "pauses.share: expected `float` <= 1.0"


def test_a_contradiction_is_told_with_its_table() -> None:
    assert explained(cluster={"fanout": 3}).startswith("cluster: fanout must be even")
    assert explained(protocol="paxos").startswith("protocol: no protocol 'paxos'; allowed: ")
    assert explained(cluster={"nodes": 3}, workload={"origin": 3, "messages": 1}) == (
        "workload.origin: must be below cluster.nodes, 3"
    )
