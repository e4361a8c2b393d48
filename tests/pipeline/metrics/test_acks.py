"""What receipts cost, and when the origin was certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.core.effects import Notice, Receipt
from snowcast.pipeline.measure import messages_of
from snowcast.pipeline.metrics.acks import ack_metrics, certain_ms
from snowcast.pipeline.metrics.keys import run_keys
from snowcast.sim.observer import Observer
from snowcast.sim.run import record
from snowcast.sim.scenario import load
from snowcast.sim.simnode import SimNode
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, ProbeRow, Row, RunRow
from support.trace_rows import Trace, control, data, dicts, frame, message, together

LATE_MS = 10
"""An ack of a child that was repaired around may come after the receipt, by a round trip or two."""


class Receipts(Observer):
    """How long the origin of each message was uncertain."""

    def __init__(self) -> None:
        self.took_ms: dict[str, float] = {}
        self.missing: dict[str, int] = {}

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, Receipt):
            self.took_ms[str(notice.id)] = notice.elapsed_us / 1_000
            self.missing[str(notice.id)] = len(notice.missing)


def simulated(share: float, protocol: str, seed: int) -> tuple[Trace, Receipts]:
    """Reliable messages among sixty nodes, of which so many are dead and nobody knows it yet."""
    scenario = load(Path("scenarios/reliable_dead.toml")).with_values(
        {"cluster.nodes": 60, "protocol": protocol, "event.0.share": share, "quiet_s": 5}
    )
    trace, receipts = Trace(), Receipts()
    places = {
        RunRow: trace.runs,
        NodeRow: trace.nodes,
        MessageRow: trace.messages,
        ArrivalRow: trace.arrivals,
        ProbeRow: trace.probes,
    }

    def write(row: Row) -> None:
        places[type(row)].append(row)

    record(scenario, seed, write, [receipts], label=f"{share}-{protocol}-{seed}")
    return trace, receipts


def told(spark: SparkSession, *arrivals: ArrivalRow) -> list[tuple[object, ...]]:
    """Of the messages m and n, sent at 1,000 by a."""
    sent = frame(spark, "messages", [message("m", 1_000), message("n", 1_000)])
    found = ack_metrics(frame(spark, "arrivals", list(arrivals)), sent)
    return [tuple(row.values()) for row in dicts(found)]


def ack(at_us: int, tree: int, node: str = "a", complete: bool | None = True) -> ArrivalRow:
    return control("ack", node, at_us, message="m", tree=tree, complete=complete)


def test_of_each_tree_the_last_complete_ack_at_the_origin_counts(spark: SparkSession) -> None:
    acks = [ack(2_000, 1), ack(5_000, 1), ack(3_000, 2), ack(4_000, 2), ack(9_000, 2, "b")]
    assert told(spark, *acks, ack(8_000, 2, complete=False)) == [("r", "m", 120, 3_000, 4_000)]


def test_the_faster_tree_is_enough_unless_somebody_never_got_it(spark: SparkSession) -> None:
    rows = [(3, 3, 1_000, 2_000), (2, 3, 1_000, 2_000), (0, 0, 1_000, None), (2, 3, None, None)]
    df = spark.createDataFrame(rows, "delivered long, intended long, one_us long, all_us long")
    assert [row[0] for row in df.select(certain_ms()).collect()] == [1.0, 2.0, 1.0, None]


def test_without_a_complete_ack_at_the_origin_nothing_is_certain(spark: SparkSession) -> None:
    query = control("ack_query", "b", 3_000, message="m", bytes=7)
    assert told(spark, ack(2_000, 0, complete=None), query) == [("r", "m", 27, None, None)]


def test_other_frames_and_messages_that_nobody_has_sent_do_not_count(spark: SparkSession) -> None:
    assert told(spark, data("a", 5_000), control("ack", "a", 5_000, message="unknown")) == []


def test_the_origin_is_certain_when_its_receipt_says(spark: SparkSession) -> None:
    runs = [
        simulated(share, protocol, seed)
        for share in (0.0, 0.05)
        for protocol in ("standard", "coloring")
        for seed in (2, 3)
    ]
    assert {any(receipts.missing.values()) for _, receipts in runs} == {False, True}
    took_ms = {
        (trace.runs[0].run, id): took_ms
        for trace, receipts in runs
        for id, took_ms in receipts.took_ms.items()
    }
    traces = together([trace for trace, _ in runs]).traces(spark)
    rows = dicts(messages_of(traces, run_keys(traces.runs)))
    assert len(rows) == len(took_ms) == 2 * len(runs)
    certain_ms = {(row["run"], row["message"]): row["certain_ms"] for row in rows}
    assert certain_ms == pytest.approx(took_ms, abs=LATE_MS)
