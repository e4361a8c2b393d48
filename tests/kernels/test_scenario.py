"""Scenarios by kernel: the simulator's draws where it has them, and no where it would be wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.config import MS
from snowcast.core.errors import UsageError
from snowcast.core.frames import MessageId
from snowcast.sim.cluster import address_of
from snowcast.sim.library import find, scenarios
from snowcast.sim.processing import Placement
from snowcast.sim.scenario import Scenario, load, parse, variants
from snowcast.sim.sections import ProcessingSection
from snowcast.sim.staging import make_processing
from support.effort import seeds

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
kernel = pytest.importorskip("snowcast.kernels.scenario", reason=WHY)

UNSEEN = {"nodes": 50, "config": {"probe_interval_us": 86_400_000_000_000}}


def sent(scenario: Scenario, seed: int = 1) -> list[Any]:
    """What becomes of every message."""
    return list(kernel.Prepared(scenario, seed).messages())


@given(
    st.integers(1, 700),
    st.sampled_from(Placement),
    st.integers(0, 40),
    st.integers(0, 300),
    seeds(),
)
def test_stragglers_and_delays_are_the_simulators_node_by_node(
    n: int, placement: Placement, every: int, width_ms: int, seed: int
) -> None:
    section = ProcessingSection(
        delay_ms=(10, 10 + width_ms), stragglers=placement, straggler_every=every
    )
    simulated = make_processing(section)
    assert simulated is not None
    simulated.seed(seed)
    simulated.boot(n)
    flags = kernel.straggler_flags(n, section, seed)

    assert flags.tolist() == [simulated.is_straggler(index) for index in range(n)]
    for number in (1, 2):
        id = MessageId(address_of(0), 1, number)
        simulated.number(id)
        expected = [simulated.delay_us(index, id) for index in range(n)]
        delays = kernel.delays(number, flags, section, seed)
        assert delays.tolist() == [
            1_000 * MS if slow else us for us, slow in zip(expected, flags, strict=True)
        ]


def test_without_processing_nobody_works_on_anything() -> None:
    assert kernel.delays(1, np.zeros(4, np.bool_), ProcessingSection(), 1) == 0


def test_every_protocol_meets_the_same_latencies_and_the_same_dead() -> None:
    event = [{"do": "crash", "at_s": 0.5, "share": 0.2}]
    tables = {"cluster": UNSEEN, "workload": {"messages": 3}, "event": event}
    one, other = (sent(parse({**tables, "protocol": name})) for name in ("standard", "gossip"))

    for message, same in zip(one, other, strict=True):
        assert (message.at_us, message.origin) == (same.at_us, same.origin)
        assert message.spread.dead.tolist() == same.spread.dead.tolist()
        assert message.spread.dead.sum() == 10


def test_the_dead_of_one_message_are_not_those_of_the_next() -> None:
    event = [{"do": "crash", "at_s": at_s, "count": 1} for at_s in (0.5, 1.5)]
    messages = sent(parse({"cluster": UNSEEN, "workload": {"messages": 3}, "event": event}))

    assert [message.spread.dead.sum() for message in messages] == [1, 2, 2]


def test_a_death_in_the_middle_of_a_message_is_refused_when_it_comes() -> None:
    event = [{"do": "crash", "at_s": 2.001, "count": 1}]
    tables = {"cluster": UNSEEN, "workload": {"messages": 3}, "network": {"latency": "fixed"}}
    messages = kernel.Prepared(parse({**tables, "event": event}), 1).messages()

    assert next(messages).number == 1
    with pytest.raises(UsageError, match="nodes that die while a message is under way"):
        next(messages)


def test_latencies_are_those_of_the_data_centre_unless_others_are_asked_for() -> None:
    (message,) = sent(parse({"cluster": {"nodes": 3_000}, "workload": {"messages": 1}}))
    waits = np.diff(np.sort(message.spread.at_us[0]))
    assert waits.max() > 0
    hops = message.spread.first_us[1:] / message.spread.hops[1:]
    assert 780 < np.median(hops) < 820

    tables = {"latency": "uniform", "latency_ms": [5, 6]}
    (message,) = sent(
        parse({"cluster": {"nodes": 500}, "workload": {"messages": 1}, "network": tables})
    )
    hops = message.spread.first_us[1:] / message.spread.hops[1:]
    assert 5_000 <= hops.min() < hops.max() <= 6_000


@pytest.mark.parametrize(
    ("tables", "complaint"),
    [
        ({"protocol": "plumtree"}, r"protocol: no kernel for 'plumtree'; allowed: standard, colo"),
        ({"workload": {"reliable": True}}, r"workload\.reliable: no kernel for reliable messages"),
        ({"cluster": {"ring_order": "hashed"}}, r"cluster\.ring_order: no kernel for another"),
        ({"network": {"clock_skew_ms": 1}}, r"network\.clock_skew_ms: no kernel for it; allowed"),
        ({"network": {"bandwidth_bytes_per_s": 9}}, r"network\.bandwidth_bytes_per_s: no kernel"),
        ({"event": [{"do": "join", "at_s": 1}]}, "no kernel for nodes that join"),
        ({"event": [{"do": "leave", "at_s": 1, "count": 1}]}, "no kernel for nodes that leave"),
        ({"event": [{"do": "kill", "at_s": 1, "count": 1}]}, "no kernel for nodes that are killed"),
        (
            {"event": [{"do": "pause", "at_s": 1, "count": 1, "for_s": 2}]},
            "no kernel for nodes that pause",
        ),
        (
            {"event": [{"do": "partition", "at_s": 1, "count": 1, "for_s": 2}]},
            "no kernel for a disturbed network",
        ),
        (
            {"event": [{"do": "crash", "at_s": 1, "count": 1}]},
            r"no kernel for dead nodes that are detected; cluster\.config\.probe_interval_us would "
            "have to be 11000000 or more",
        ),
    ],
)
def test_what_no_kernel_does_is_refused_and_named(tables: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=f"^{complaint}"):
        kernel.Prepared(parse(tables), 1)


def test_the_papers_scenarios_of_many_nodes_can_be_run_by_kernel() -> None:
    can = set()
    for name in scenarios():
        try:
            kernel.Prepared(load(find(name)), 1)
            can.add(name)
        except UsageError:
            continue
    assert can == {"stable", "stragglers", "sweep_fanout", "sweep_nodes", "undetected"}


@pytest.mark.parametrize("name", ["standard", "coloring"])
def test_a_hundred_thousand_nodes_all_get_what_nobody_dead_withholds(name: str) -> None:
    many = load(find("stable")).with_(nodes=100_000, protocol=name)
    (message,) = sent(many.with_values({"workload.messages": 1}))

    assert message.spread.reached == 100_000
    assert message.spread.hops_max <= 11


def test_every_variant_of_a_sweep_can_be_run() -> None:
    swept = load(find("undetected")).with_values({"workload.messages": 10})
    shares = []
    for _, scenario in variants(swept):
        spreads = [message.spread for message in sent(scenario)]
        shares.append(sum(s.reached - 1 for s in spreads) / sum(s.live - 1 for s in spreads))

    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
