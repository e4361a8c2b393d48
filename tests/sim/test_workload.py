"""From a scenario and a seed to a plan: what happens to whom, and that nothing else moves it."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from snowcast.sim.incidents import Stall
from snowcast.sim.plan import AnyStep, Disturb, Enter, Exit, Halt, How, Plan, Return, Say
from snowcast.sim.scenario import parse
from snowcast.sim.workload import plan

SECOND = 1_000_000


def planned(seed: int = 0, **tables: Any) -> Plan:
    """What happens in a scenario of ten nodes and these tables."""
    return plan(parse({"cluster": {"nodes": 10}, **tables}), seed)


def steps(kind: type[AnyStep], seed: int = 0, **tables: Any) -> list[Any]:
    """The steps of one kind."""
    return [step for step in planned(seed, **tables).steps if isinstance(step, kind)]


def event(do: str, at_s: float = 1, **keys: Any) -> dict[str, Any]:
    """One `[[event]]`."""
    return {"do": do, "at_s": at_s, **keys}


# Messages


def test_messages_come_from_the_first_node_at_their_times() -> None:
    workload = {"messages": 3, "interval_ms": 500, "payload_bytes": 7}

    assert steps(Say, workload=workload) == [
        Say(1_000_000, 0, 0, Mode.STANDARD, False, 7),
        Say(1_500_000, 0, 1, Mode.STANDARD, False, 7),
        Say(2_000_000, 0, 2, Mode.STANDARD, False, 7),
    ]


def test_messages_travel_as_the_protocol_does() -> None:
    say = steps(Say, protocol="coloring", workload={"messages": 1})[0]

    assert say.mode is Mode.COLORING


def test_random_origins_modes_and_receipts_are_all_met() -> None:
    workload = {"messages": 200, "origin": "random", "mode": "random", "reliable": "random"}
    said = steps(Say, workload=workload)

    assert {say.node for say in said} == set(range(10))
    assert {say.mode for say in said} == set(Mode)
    assert {say.is_reliable for say in said} == {False, True}


def test_origins_do_not_depend_on_the_protocol_the_modes_or_the_receipts() -> None:
    def origins(**changes: Any) -> list[int]:
        workload = {"messages": 50, "origin": "random", **changes.pop("workload", {})}
        return [say.node for say in steps(Say, workload=workload, **changes)]

    assert origins() == origins(protocol="coloring")
    assert origins() == origins(workload={"mode": "random", "reliable": "random"})


def test_origins_have_been_in_for_a_while() -> None:
    workload = {"messages": 60, "interval_ms": 1_000, "origin": "random", "settle_s": 20}
    made = planned(workload=workload, churn={"joins_per_s": 1, "until_s": 40})
    entered = {step.node: step.at_us for step in made.steps if isinstance(step, Enter)}

    late = [step for step in made.steps if isinstance(step, Say) and step.node in entered]

    assert late
    assert all(say.at_us >= entered[say.node] + 20 * SECOND for say in late)


# Churn


def test_around_every_tenth_message_a_node_joins_and_leaves_ten_later() -> None:
    made = planned(workload={"messages": 20}, churn={"every_messages": 10})
    moves = [step for step in made.steps if not isinstance(step, Say)]

    assert [(step.at_us, step.node, type(step)) for step in moves] == [
        (500_000, 10, Enter),
        (10_500_000, 10, Exit),
        (10_500_000, 11, Enter),
        (20_500_000, 11, Exit),
    ]
    assert all(step.how is How.LEAVE for step in moves if isinstance(step, Exit))


def test_random_churn_keeps_to_its_rates_its_time_and_its_bounds() -> None:
    churn = {"joins_per_s": 5, "leaves_per_s": 5, "until_s": 41, "nodes_min": 5, "nodes_max": 30}
    made = planned(churn=churn)
    kinds = Counter(type(step) for step in made.steps)

    inside, sizes = 10, []
    for step in made.steps:
        inside += 1 if isinstance(step, Enter) else -1
        sizes.append(inside)

    assert 150 < kinds[Enter] < 250
    assert min(sizes) >= 5
    assert max(sizes) <= 30
    assert all(1 * SECOND <= step.at_us < 41 * SECOND for step in made.steps)


def test_the_stable_share_never_leaves() -> None:
    churn = {"leaves_per_s": 50, "until_s": 10, "stable_share": 0.4, "nodes_min": 1}

    assert len(steps(Exit, churn=churn)) == 6


def test_nobody_leaves_before_it_has_settled_or_twice() -> None:
    churn = {"joins_per_s": 3, "leaves_per_s": 3, "until_s": 60, "stable_share": 0}
    made = planned(churn=churn, workload={"settle_s": 4})
    entered = {step.node: step.at_us for step in made.steps if isinstance(step, Enter)}
    left = [step for step in made.steps if isinstance(step, Exit)]

    assert len({step.node for step in left}) == len(left) > 50
    assert all(step.at_us >= entered.get(step.node, -4 * SECOND) + 4 * SECOND for step in left)


def test_joiners_come_through_those_that_are_in() -> None:
    churn = {"joins_per_s": 3, "leaves_per_s": 3, "until_s": 60, "stable_share": 0}
    left: set[int] = set()
    for step in planned(churn=churn).steps:
        if isinstance(step, Enter):
            assert step.contact not in left
        elif isinstance(step, Exit):
            left.add(step.node)


def test_where_nobody_is_left_nobody_joins_or_speaks() -> None:
    gone = event("crash", at_s=1, share=1)
    late = {"messages": 2, "origin": "random", "start_s": 2}

    assert steps(Say, event=[gone], workload=late) == []
    assert steps(Enter, event=[gone, event("join", at_s=2)]) == []
    assert steps(Enter, event=[gone], workload=late, churn={"every_messages": 2}) == []


# Silence


def test_before_every_tenth_message_a_node_other_than_the_origin_falls_silent() -> None:
    silenced = steps(Exit, workload={"messages": 30}, breakdown={"every_messages": 10})

    assert [step.at_us for step in silenced] == [11 * SECOND - 1, 21 * SECOND - 1]
    assert {step.how for step in silenced} == {How.CRASH}
    assert 0 not in {step.node for step in silenced}


def test_breakdown_ends_when_nobody_is_left_to_fall_silent() -> None:
    silenced = steps(Exit, workload={"messages": 100}, breakdown={"every_messages": 1})

    assert len(silenced) == 9


def test_pauses_come_to_the_same_nodes_and_never_overlap() -> None:
    pauses = {"share": 0.2, "for_s": 4, "gap_s": [1, 3], "until_s": 100}
    halts = steps(Halt, pauses=pauses)
    nodes = {halt.node for halt in halts}

    assert len(nodes) == 2
    for node in nodes:
        at_us = [halt.at_us for halt in halts if halt.node == node]
        gaps = [(b - a) / SECOND for a, b in pairwise(at_us)]
        assert all(5 <= gap <= 7 for gap in gaps)
        assert max(at_us) <= 96 * SECOND


def test_pauses_of_the_traffic_come_at_the_times_of_pauses_of_the_process() -> None:
    pauses = {"share": 0.2, "for_s": 4, "gap_s": [1, 3], "until_s": 100}
    halts = steps(Halt, pauses=pauses)
    stalls = steps(Disturb, pauses=pauses | {"what": "traffic"})

    told = [(s.at_us, s.nodes, s.until_us) for s in stalls]
    assert told == [(h.at_us, (h.node,), h.at_us + 4 * SECOND) for h in halts]
    assert all(isinstance(stall.kind, Stall) for stall in stalls)


# Events


def test_a_share_a_count_or_named_nodes_crash() -> None:
    assert len(steps(Exit, event=[event("crash", share=0.3)])) == 3
    assert len(steps(Exit, event=[event("crash", count=4)])) == 4
    assert [e.node for e in steps(Exit, event=[event("kill", nodes=[7, 2])])] == [7, 2]


def test_events_spread_over_the_time_they_are_given() -> None:
    crashes = steps(Exit, event=[event("crash", at_s=2, over_s=3, count=8)])

    assert len({step.at_us for step in crashes}) == 8
    assert all(2 * SECOND <= step.at_us <= 5 * SECOND for step in crashes)


def test_a_thousand_join_through_the_first_within_a_second() -> None:
    joins = steps(Enter, event=[event("join", count=1000, over_s=1, contact="first")])

    assert [step.node for step in joins] == list(range(10, 1010))
    assert {step.contact for step in joins} == {0}
    assert [step.at_us for step in joins] == sorted(step.at_us for step in joins)
    assert 1 * SECOND <= joins[0].at_us <= joins[-1].at_us <= 2 * SECOND


def test_those_that_crashed_can_start_again_and_nobody_else() -> None:
    made = planned(event=[event("crash", 1, count=3), event("restart", 5, count=9)])

    crashed = {step.node for step in made.steps if isinstance(step, Exit)}
    assert {step.node for step in made.steps if isinstance(step, Return)} == crashed


def test_an_event_for_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"event\[0\]\.nodes: node 12 is not there by then"):
        planned(event=[event("crash", nodes=[12])])
    with pytest.raises(UsageError, match=r"event\[0\]\.nodes: node 2 is not there by then"):
        planned(event=[event("restart", nodes=[2])])


def test_disturbances_have_their_nodes_and_their_end() -> None:
    cut = event("partition", at_s=2, share=0.5, for_s=3)
    ill = event("lossy", at_s=1, nodes=[4], rate=0.8)
    lossy, partition = steps(Disturb, event=[cut, ill])

    assert (lossy.nodes, lossy.at_us, lossy.until_us) == ((4,), 1 * SECOND, None)
    assert (len(partition.nodes), partition.until_us) == (5, 5 * SECOND)


def test_who_has_to_speak_comes_to_no_harm() -> None:
    everything = [
        event("crash", 1, count=2),
        event("pause", 2, count=2, for_s=1),
        event("leave", 3, count=2),
        event("partition", 4, count=2, for_s=1),
    ]
    for seed in range(20):
        workload = {"messages": 5, "origin": 3}
        made = planned(seed, workload=workload, event=everything)
        assert 3 not in made.harmed()


# The whole


def test_the_run_turns_quiet_after_the_last_thing_that_is_done() -> None:
    made = planned(quiet_s=7, event=[event("pause", at_s=3, count=1, for_s=4)])
    assert (made.quiet_us, made.ends_us) == (7 * SECOND, 14 * SECOND)

    made = planned(quiet_s=7, duration_s=60)
    assert (made.quiet_us, made.ends_us) == (60 * SECOND, 67 * SECOND)


def test_steps_are_in_order_of_time() -> None:
    made = planned(
        workload={"messages": 20, "origin": "random"},
        churn={"joins_per_s": 1, "leaves_per_s": 1, "until_s": 20},
        pauses={"share": 0.2, "until_s": 20},
        event=[event("crash", 9, over_s=5, count=2), event("join", 3)],
    )

    times = [step.at_us for step in made.steps]

    assert times == sorted(times)


def test_one_table_does_not_move_what_another_has_drawn() -> None:
    crash = event("crash", 3, count=3)
    alone = steps(Exit, event=[crash])

    with_messages = steps(Exit, event=[crash], workload={"messages": 9, "origin": "random"})
    with_pauses = steps(Exit, event=[crash], pauses={"share": 0.5, "until_s": 30})

    assert alone == with_messages == with_pauses


def test_the_same_seed_plans_the_same_and_another_does_not() -> None:
    tables: dict[str, Any] = {
        "workload": {"messages": 20, "origin": "random"},
        "churn": {"joins_per_s": 1, "leaves_per_s": 1, "until_s": 20},
    }

    assert planned(5, **tables) == planned(5, **tables)
    assert planned(5, **tables) != planned(6, **tables)
