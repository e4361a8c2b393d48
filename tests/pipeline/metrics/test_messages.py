"""`message_metrics`: literal rows in and out, and what plain Python says of random runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from pyspark.sql import SparkSession

from snowcast.pipeline.measure import messages_of
from snowcast.pipeline.metric_tables import MESSAGE_METRICS
from snowcast.pipeline.metrics.keys import run_keys
from snowcast.pipeline.metrics.messages import numbered, with_intended, with_live, with_ratios
from support import metric_twins
from support.trace_rows import (
    SEEDS,
    Trace,
    control,
    data,
    dicts,
    few_examples,
    frame,
    message,
    node,
    random_traces,
    run,
    together,
)

Rows = list[dict[str, Any]]


def measured(spark: SparkSession, trace: Trace) -> Rows:
    traces = trace.traces(spark)
    return dicts(messages_of(traces, run_keys(traces.runs)))


def test_a_message_that_reaches_all_but_a_dead_node(spark: SparkSession) -> None:
    trace = Trace(
        [run(variant="v", seed=7)],
        [*map(node, "abcd"), node("e", crashed_us=10)],
        [message("m", 1_000, reliable=True)],
        [
            data("b", 3_000, bytes=120),
            data("c", 5_000, bytes=121, hop=2),
            data("b", 5_500, bytes=122, hop=3, first=False),
            data("d", 9_000, bytes=123, hop=2),
            data("a", 9_500, bytes=999, first=False),
            control("ack", "a", 10_000, message="m", tree=1, complete=True),
            control("ack", "a", 11_000, message="m", tree=1, complete=True),
            control("ack", "a", 12_000, message="m", tree=2, complete=True),
            control("ping", "a", 2_000),
        ],
    )
    (row,) = measured(spark, trace)
    assert list(row) == list(MESSAGE_METRICS.names)
    assert row == {
        **{"run": "r", "scenario": "s", "variant": "v", "protocol": "standard"},
        **{
            "nodes": 4,
            "fanout": 4,
            "is_virtual": True,
            "seed": 7,
            "message": "m",
            "number": 0,
            "origin": "a",
        },
        **{"mode": "standard", "reliable": True, "sent_us": 1_000, "payload_bytes": 100},
        **{"intended": 4, "delivered": 3, "intended_live": 3, "delivered_live": 3},
        **{"reliability": 0.75, "reliability_live": 1.0},
        **{"ldt_ms": 8.0, "ldt_first_to_last_ms": 6.0, "p50_ms": 4.0, "p90_ms": 8.0},
        **{"p99_ms": 8.0, "last_delivery_hop": 2, "copies": 4, "data_bytes": 486},
        **{"rmr_bytes": 121.5, "redundancy": 4 / 3 - 1, "ack_bytes": 60, "certain_ms": 11.0},
    }


def test_of_a_message_that_nobody_gets_there_is_nothing_to_tell(spark: SparkSession) -> None:
    (row,) = measured(spark, Trace([run()], [node("a"), node("b")], [message()]))
    assert (row["intended"], row["delivered"], row["copies"], row["data_bytes"]) == (1, 0, 0, 0)
    assert row["reliability"] == 0.0
    nothing = ("ldt_ms", "ldt_first_to_last_ms", "p50_ms", "last_delivery_hop", "redundancy")
    assert {row[name] for name in (*nothing, "certain_ms")} == {None}


def test_who_dies_on_the_way_drops_out_of_both_sides(spark: SparkSession) -> None:
    trace = Trace(
        [run()],
        [node("a"), node("b", crashed_us=50), node("c", crashed_us=60), node("d", crashed_us=101)],
        [message()],
        [data("b", 40), data("c", 61), data("d", 100)],
    )
    (row,) = measured(spark, trace)
    assert (row["intended"], row["delivered"]) == (3, 2)
    assert (row["intended_live"], row["delivered_live"]) == (1, 1)


def test_a_node_that_gets_a_message_in_two_lives_is_one_receiver(spark: SparkSession) -> None:
    trace = Trace(
        [run()],
        [node("a"), node("b", life=1), node("b", life=2), node("c", crashed_us=9_500)],
        [message()],
        [
            data("b", 9_000, hop=7),
            data("c", 2_000, hop=3),
            data("b", 1_000, hop=2),
            data("c", 3_000, hop=9),
        ],
    )
    (row,) = measured(spark, trace)
    assert (row["delivered"], row["delivered_live"], row["reliability"]) == (2, 2, 1.0)
    assert (row["ldt_ms"], row["p50_ms"], row["last_delivery_hop"]) == (2.0, 1.0, 3)
    assert (row["copies"], row["redundancy"], row["data_bytes"]) == (4, 1.0, 480)


def test_a_hop_that_the_trace_does_not_tell_is_none(spark: SparkSession) -> None:
    trace = Trace([run()], [node("a"), node("b")], [message()], [data("b", 5_000, hop=None)])
    assert [row["last_delivery_hop"] for row in measured(spark, trace)] == [None]


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    traces = random_traces(seeds)
    wanted = {
        (row["run"], row["message"]): row for one in traces for row in metric_twins.messages(one)
    }
    found = measured(spark, together(traces))
    assert len(found) == len(wanted)
    for row in found:
        twin = wanted[row["run"], row["message"]]
        assert {name: row[name] for name in twin} == pytest.approx(twin)


def test_messages_are_numbered_by_time_and_then_by_id(spark: SparkSession) -> None:
    sent = [message("z", 1), message("y", 2), message("x", 2), message("w", 9, run="q")]
    found = numbered(frame(spark, "messages", sent)).select("run", "message", "number")
    assert [tuple(row.values()) for row in dicts(found)] == [
        ("q", "w", 0),
        ("r", "x", 1),
        ("r", "y", 2),
        ("r", "z", 0),
    ]


def test_an_origin_that_is_on_the_roster_is_no_receiver(spark: SparkSession) -> None:
    sent = frame(spark, "messages", [message("m"), message("n", origin="x"), message("o", run="q")])
    roster = spark.createDataFrame([("r", "a"), ("r", "b")], "run string, node string")
    found = with_intended(sent, roster).select("message", "intended")
    assert [tuple(row.values()) for row in dicts(found)] == [("m", 1), ("n", 2), ("o", 0)]


def test_a_crash_counts_from_its_own_moment_on_and_never_for_the_origin(
    spark: SparkSession,
) -> None:
    columns = "run string, message string, origin string, sent_us long, last_us long, \
        intended long, delivered long, doomed array<long>"
    rows = [
        ("r", "m", "a", 0, 99, 3, 2, [100]),
        ("r", "n", "a", 0, 100, 3, 2, [100]),
        ("r", "o", "b", 50, None, 3, 0, None),
        ("r", "p", "b", 500, None, 3, 0, None),
    ]
    roster = spark.createDataFrame(
        [("r", "a", 5), ("r", "b", 100), ("r", "c", None)],
        "run string, node string, crashed_us long",
    )
    found = with_live(spark.createDataFrame(rows, columns), roster)
    assert [
        tuple(row.values())
        for row in dicts(found.select("message", "intended_live", "delivered_live"))
    ] == [("m", 3, 2), ("n", 2, 1), ("o", 2, 0), ("p", 2, 0)]


def test_of_nothing_there_is_no_share(spark: SparkSession) -> None:
    columns = "intended long, delivered long, intended_live long, delivered_live long, \
        data_bytes long, copies long, first_us long, last_us long"
    (row,) = dicts(with_ratios(spark.createDataFrame([(0, 0, 0, 0, 0, 0, None, None)], columns)))
    ratios = ("reliability", "reliability_live", "ldt_ms", "rmr_bytes", "redundancy")
    assert [row[name] for name in ratios] == [None] * 5
