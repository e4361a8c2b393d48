"""Numbers that follow from arithmetic alone, beside what runs of full nodes come to.

Paper, Metrics and table Performance Comparison; DESIGN 7. A simulator and its metrics that agree
with what can be worked out on paper are hardly both wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from snowcast.core.codec import frame_size
from snowcast.core.frames import Data, MessageId
from snowcast.core.trees import Mode, Tree
from snowcast.planning.build import build_plan
from snowcast.planning.figures import blast
from snowcast.sim.scenario import parse
from support.measured import Run, measured
from support.rings import member, ring
from support.scenarios import shipped
from support.spreading import snow

N, FANOUT, PAYLOAD_BYTES = 500, 4, 100
PAPER_HEADER_BYTES = 2 + 6 + 6 + 8
"""Type and action, two boundaries of IPv4 and port, and a random id: its length is not counted."""
BLIND = {"probe_interval_us": 86_400_000_000_000}


def fixed_point(fanout: int) -> float:
    """The share s that a gossip reaches, where s = 1 - exp(-k s): by going there step by step."""
    share = 1.0
    for _ in range(200):
        share = 1 - math.exp(-fanout * share)
    return share


def test_the_papers_gossip_cannot_reach_what_it_prints_at_the_bytes_it_prints() -> None:
    """0.980 at k = 4; 432 bytes in frames of 110 are as many copies as 0.98 of 500 send."""
    assert fixed_point(4) == pytest.approx(0.9802, abs=1e-4)
    gossip_frame_bytes = 2 + 8 + PAYLOAD_BYTES
    assert gossip_frame_bytes * 4 * fixed_point(4) == pytest.approx(432, abs=1)
    assert gossip_frame_bytes * 4 * 0.954 < 421


@pytest.mark.parametrize("fanout", [2, 4, 6])
def test_gossip_settles_where_the_closed_form_says(fanout: int) -> None:
    cluster = {"nodes": 300, "fanout": fanout, "config": BLIND}
    workload = {"messages": 40, "origin": "random"}
    run = measured(parse({"protocol": "gossip", "cluster": cluster, "workload": workload}), 1)
    assert run.reliability == pytest.approx(fixed_point(fanout), abs=0.008)  # five sigma, at k = 2


def test_a_gossip_costs_k_copies_for_each_that_has_it_whoever_they_go_to() -> None:
    cluster = {"nodes": 120, "config": BLIND}
    run = measured(parse({"protocol": "gossip", "cluster": cluster, "workload": _SOME}), 2)
    had = sum(one.delivered + 1 for one in run.messages)
    assert run.result.frames["Data"] == FANOUT * had


def test_the_papers_rmr_is_its_header_and_the_payload() -> None:
    assert PAPER_HEADER_BYTES + PAYLOAD_BYTES == 122
    assert 2 * (PAPER_HEADER_BYTES + PAYLOAD_BYTES) == 244


def test_our_rmr_is_the_frames_of_the_planned_trees_and_no_more_than_the_papers() -> None:
    """What full nodes sent, counted where it arrived, against trees walked on paper.

    Coloring is two frames a node. The parts of its trees end elsewhere, so that boundaries differ.
    """
    runs = {}
    for protocol, papers in (("standard", 122), ("coloring", 244)):
        scenario = shipped("stable", protocol=protocol, workload={"messages": 2}, quiet_s=4)
        run = runs[protocol] = measured(scenario, 1)
        mode = Mode(protocol)
        planned = snow(ring(N), FANOUT, mode, 0, lambda *_: 0, [0] * N, (), bytes(PAYLOAD_BYTES))
        assert run.rmr_bytes == pytest.approx(sum(frame.bytes for frame in planned) / (N - 1))
        assert run.rmr_bytes <= papers
    boundary_bytes = frame_size(_frame(1)) - frame_size(_frame(0))
    assert runs["coloring"].copies_mean == 2 * runs["standard"].copies_mean == 2
    assert abs(runs["coloring"].rmr_bytes - 2 * runs["standard"].rmr_bytes) < boundary_bytes / 2


@pytest.mark.parametrize("protocol", ["standard", "coloring", "flooding"])
def test_breakdown_is_one_less_the_share_of_the_dead_and_what_the_living_miss(
    protocol: str,
) -> None:
    """A death before every tenth of 100 messages: 4.5 dead on average, 1 - 4.5 / 499 = 0.991."""
    mean_dead = Fraction(sum(number // 10 for number in range(100)), 100)
    assert float(1 - mean_dead / (N - 1)) == pytest.approx(0.991, abs=1e-4)

    run = measured(shipped("breakdown", protocol=protocol, cluster={"nodes": 100}), 3)
    crashed_us = [row.crashed_us for row in run.nodes if row.crashed_us is not None]
    dead = [sum(at_us < sent.at_us for at_us in crashed_us) for sent in run.sent]
    assert dead == [number // 10 for number in range(100)]
    best = float(1 - mean_dead / 99)
    if protocol == "standard":
        assert run.reliability < best
    else:
        assert run.reliability_live == 1
        assert run.reliability == pytest.approx(best)


@pytest.mark.parametrize("dead", [125, 374])
def test_one_undetected_crash_costs_its_blast_radius_in_standard_and_nothing_in_coloring(
    dead: int,
) -> None:
    lost = blast(build_plan(N, FANOUT, 0, Mode.STANDARD)).lost.get(dead, 0)
    assert _one_dead("standard", dead).messages[0].missed == lost
    assert _one_dead("coloring", dead).messages[0].missed == 0


def test_the_mean_coverage_with_one_undetected_crash_follows_from_the_depths_of_the_nodes() -> None:
    """A node at depth d misses the message if one of the d - 1 between it and the origin is dead.

    So over all nodes that can be the dead one, as many deliveries are lost as the depths add up
    to, less one each.
    """
    plan = build_plan(N, FANOUT, 0, Mode.STANDARD)
    came = snow(ring(N), FANOUT, Mode.STANDARD, 0, lambda *_: 0, [0] * N, (), b"")
    lost = blast(plan).lost
    assert sum(lost.values()) == sum(frame.hop - 1 for frame in came)
    # All levels are full but the last: 4, 16, 64, 256, and 159 of the 499 others.
    assert Counter(frame.hop for frame in came) == {1: 4, 2: 16, 3: 64, 4: 256, 5: 159}
    lost_mean = Fraction(16 * 1 + 64 * 2 + 256 * 3 + 159 * 4, N - 1)
    assert Fraction(sum(lost.values()), N - 1) == lost_mean
    assert float(1 - lost_mean / (N - 2)) == pytest.approx(0.9938, abs=1e-4)


_SOME: dict[str, Any] = {"messages": 12, "origin": "random"}


def _one_dead(protocol: str, dead: int) -> Run:
    """One message that meets one dead node, which nobody misses."""
    cluster = {"nodes": N, "config": BLIND}
    event = [{"do": "crash", "at_s": 0.5, "nodes": [dead]}]
    tables = {"protocol": protocol, "cluster": cluster, "workload": {"messages": 1}, "quiet_s": 1}
    return measured(parse({**tables, "event": event}), 1)


def _frame(boundaries: int) -> Data:
    ends = (*[member(9)] * boundaries, None, None)[:2]
    return Data(MessageId(member(1), 1, 1), Tree.STANDARD, *ends, bytes(PAYLOAD_BYTES))
