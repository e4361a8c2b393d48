"""Who is on the fixed roster of a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyspark.sql import SparkSession

from snowcast.pipeline.metrics.roster import members, roster
from snowcast.trace.schema import MessageRow, NodeRow
from support import metric_twins
from support.trace_rows import (
    SEEDS,
    dicts,
    few_examples,
    frame,
    message,
    node,
    random_traces,
    together,
)

SENT = [message(at_us=100), message("n", 200)]


def on_roster(spark: SparkSession, nodes: list[NodeRow], sent: list[MessageRow] = SENT) -> str:
    """The names of those who are on it, in a word."""
    found = members(frame(spark, "nodes", nodes), frame(spark, "messages", sent))
    return "".join(sorted([row.node for row in roster(found).collect()]))


def test_who_was_there_at_the_first_message_and_never_left_is_on_it(spark: SparkSession) -> None:
    nodes = [
        node("a", joined_us=0),
        node("b", joined_us=100),
        node("c", joined_us=101),
        node("d", left_us=500),
        node("e", crashed_us=150),
        node("f", joined_us=None),
    ]
    assert on_roster(spark, nodes) == "abef"
    assert on_roster(spark, nodes, []) == "abcef"


def test_what_the_writer_of_the_trace_knows_goes_first(spark: SparkSession) -> None:
    nodes = [
        node("a", stable=True, joined_us=300),
        node("b", stable=False),
        node("c", stable=False, crashed_us=150),
        node("d", stable=None, left_us=200),
        node("e", stable=False, joined_us=None),
    ]
    assert on_roster(spark, nodes) == "ac"


def test_who_left_and_came_back_is_on_it_if_that_was_before_the_first_message(
    spark: SparkSession,
) -> None:
    restarts = [
        *[node("a", life=1, left_us=50), node("a", life=2, joined_us=80)],
        *[node("b", life=1, left_us=50), node("b", life=2, joined_us=101)],
        *[node("c", life=1, left_us=150), node("c", life=2, joined_us=180)],
        *[node("d", life=1, left_us=50), node("d", life=2, joined_us=80, left_us=150)],
        *[node("e", life=1), node("e", life=2, joined_us=180)],  # nobody saw how it ended
        *[node("f", life=1, left_us=50), node("f", life=2, joined_us=None)],
        *[node("g", life=1, left_us=50), node("g", life=2, joined_us=80, stable=False)],
    ]
    assert on_roster(spark, restarts) == "ae"
    assert on_roster(spark, restarts, []) == "abce"


def test_a_crash_before_a_life_that_counts_is_over(spark: SparkSession) -> None:
    lives = [node("a", life=1, crashed_us=50), node("a", life=2, joined_us=80)]
    lives += [node("b", life=1, crashed_us=50), node("b", life=2, joined_us=120)]
    found = members(frame(spark, "nodes", lives), frame(spark, "messages", SENT))
    assert [tuple(row.values()) for row in dicts(found)] == [
        ("r", "a", "plain", True, None),
        ("r", "b", "plain", True, 50),
    ]


def test_of_several_lives_the_first_join_the_first_crash_and_the_last_role_count(
    spark: SparkSession,
) -> None:
    lives = [
        node("a", life=1, crashed_us=150, stable=False),
        node("a", life=2, joined_us=180, crashed_us=400, role="straggler"),
        node("b", life=1, left_us=150),
        node("b", life=2, joined_us=180),
    ]
    found = members(frame(spark, "nodes", lives), frame(spark, "messages", SENT))
    assert [tuple(row.values()) for row in dicts(found)] == [
        ("r", "a", "straggler", True, 150),
        ("r", "b", "plain", False, None),
    ]


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    traces = random_traces(seeds)
    wanted = {
        (one.runs[0].run, name): [member.role, member.on_roster, member.crashed_us]
        for one in traces
        for name, member in metric_twins.members(one).items()
    }
    tables = together(traces)
    found = members(frame(spark, "nodes", tables.nodes), frame(spark, "messages", tables.messages))
    assert {(row[0], row[1]): list(row[2:]) for row in found.collect()} == wanted


@pytest.mark.parametrize("stable", [None, True])
def test_a_run_without_messages_has_a_roster(spark: SparkSession, stable: bool | None) -> None:
    assert on_roster(spark, [node("a", stable=stable)], []) == "a"
