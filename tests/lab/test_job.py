"""A job decides alone what happens, wherever it is read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from snowcast.core.errors import UsageError
from snowcast.lab.job import Job, check
from snowcast.sim.scenario import parse
from snowcast.sim.workload import plan

TABLES: dict[str, Any] = {
    "cluster": {"nodes": 9},
    "workload": {"messages": 4, "origin": "random"},
    "churn": {"every_messages": 2},
    "draw": {"cluster": {"fanout": [2, 4]}},
}


def job(**changes: Any) -> Job:
    first = Job(
        name="r",
        scenario_name="s",
        scenario=msgspec.to_builtins(parse(TABLES)),
        seed=3,
        port=9,
        out="o",
        processes=4,
    )
    return msgspec.structs.replace(first, **changes)


def test_a_job_sent_to_another_process_makes_the_same_plan() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(job(process=2)), type=Job)
    assert sent.load() == job().load()
    scenario = parse(TABLES)
    assert sent.load() == (scenario.drawn(3), plan(scenario, 3))


def test_every_node_lives_in_one_process() -> None:
    crew = [job(process=process) for process in range(4)]
    assert [[one.is_mine(node) for one in crew].count(True) for node in range(20)] == [1] * 20


def test_nodes_live_on_loopback_or_each_in_its_namespace() -> None:
    assert str(job(port=80).address_of(2)) == "127.0.1.3:80"
    assert str(job(port=80, in_namespaces=True).address_of(2)) == "10.77.0.3:80"


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        ({"pauses": {"share": 0.5, "until_s": 60}}, "pauses"),
        ({"network": {"clock_skew_ms": 5}}, "network.clock_skew_ms"),
        ({"cluster": {"ipv6": True}}, "cluster.ipv6"),
        ({"workload": {"messages": 1, "payload_bytes": 7}}, "workload.payload_bytes"),
    ],
)
def test_what_processes_that_share_nodes_cannot_do_is_refused_by_its_key(
    tables: dict[str, Any], key: str
) -> None:
    scenario = parse(tables)
    with pytest.raises(UsageError, match=f"^{key}: "):
        check(scenario, plan(scenario, 0))
    check(parse({}), plan(parse({}), 0))
