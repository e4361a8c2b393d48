"""Single broadcasts as they went: which one is shown, who is in it, and its frames."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from snowcast.core.address import Address
from snowcast.pipeline.metric_tables import KEYS
from snowcast.pipeline.metrics.broadcasts import (
    broadcast_frames,
    broadcast_nodes,
    frames_of,
    nodes_of,
    picked,
)
from snowcast.pipeline.metrics.keys import run_keys
from support.trace_rows import Trace, control, data, dicts, message, node, run

A, B, C, D, E = [f"10.0.0.{number}:7000" for number in (1, 2, 3, 4, 5)]


def shown(spark: SparkSession, trace: Trace) -> list[tuple[Any, ...]]:
    """`run, message, origin, sent_us, ring_order, hop_timeout_us` of what is picked."""
    traces = trace.traces(spark)
    return [tuple(row.values()) for row in dicts(picked(run_keys(traces.runs), traces))]


def test_the_first_message_after_a_death_is_shown_or_the_first_of_all(spark: SparkSession) -> None:
    sent = [message("x", 10), message("y", 20, "b"), message("z", 30)]
    again = [message(one.message, one.at_us, one.origin, run="q") for one in sent]
    trace = Trace(
        [run("r"), run("q", protocol="gossip")],
        [node("a"), node("b", crashed_us=15), node("a", "q")],
        [*sent, *again],
    )
    assert shown(spark, trace) == [
        ("q", "x", "a", 10, "address", 1000),
        ("r", "y", "b", 20, "address", 1000),
    ]


def test_it_is_of_the_smallest_run_of_its_scenario_and_protocol(spark: SparkSession) -> None:
    runs = [
        run("large", nodes=9),
        run("varied", nodes=2, variant="v"),
        run("small", nodes=3, seed=4),
        run("smaller", nodes=3, seed=3),
        run("huge", nodes=9_999, protocol="gossip"),
    ]
    sent = [message(run=one.run) for one in runs]
    assert [row[0] for row in shown(spark, Trace(runs, [], sent))] == ["smaller"]


def test_nodes_are_numbered_along_the_ring_and_frames_name_their_places(
    spark: SparkSession,
) -> None:
    trace = Trace(
        [run(config='{"ring_order":"address","hop_timeout_us":1000}')],
        [
            node(C),
            node(A),
            node(B, role="straggler", crashed_us=50),
            node(D, left_us=90),
            node(E, joined_us=101),
        ],
        [message("m", 100, A)],
        [
            data(C, 140, sender=A, tree=1, hop=1),
            data(E, 150, sender=C, tree=None, hop=2),
            data(C, 99, sender=E, first=False),
            data(C, 200, "other", sender=A),
            control("ack", A, 160, C, message="m"),
        ],
    )
    traces = trace.traces(spark)
    keys = run_keys(traces.runs)
    one = picked(keys, traces)
    frames = frames_of(one, traces.arrivals)
    nodes = broadcast_nodes(keys, nodes_of(one, frames, traces.nodes))
    assert [tuple(row.values())[len(KEYS) :] for row in dicts(nodes)] == [
        ("m", 0, A, "plain", False, True, 1000),
        ("m", 1, B, "straggler", True, False, 1000),
        ("m", 2, C, "plain", False, False, 1000),
        ("m", 3, E, "plain", False, False, 1000),
    ]
    assert [
        tuple(row.values())[len(KEYS) :] for row in dicts(broadcast_frames(keys, frames, nodes))
    ] == [
        ("m", 0, 3, 2, 0, 1, False),
        ("m", 40, 0, 2, 1, 1, True),
        ("m", 50, 2, 3, 0, 2, True),
    ]


def test_a_hashed_ring_is_in_the_order_of_its_hashes(spark: SparkSession) -> None:
    everybody = [A, B, C, D, E, "no address"]
    trace = Trace(
        [run(config='{"ring_order":"hashed","hop_timeout_us":1}')],
        [node(name) for name in everybody],
        [message("m", 0, A)],
    )
    traces = trace.traces(spark)
    one = picked(run_keys(traces.runs), traces)
    found = nodes_of(one, frames_of(one, traces.arrivals), traces.nodes)
    in_order = sorted(everybody[:-1], key=lambda name: Address.parse(name).hashed())
    placed = [row.node for row in found.orderBy("place").collect()]
    assert placed == [*in_order, "no address"]
