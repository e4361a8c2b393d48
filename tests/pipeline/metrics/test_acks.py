"""What receipts cost, and when the origin was certain."""

from __future__ import annotations

from pyspark.sql import SparkSession

from snowcast.pipeline.metrics.acks import ack_metrics
from snowcast.trace.schema import ArrivalRow
from support.trace_rows import control, data, dicts, frame, message


def told(spark: SparkSession, *arrivals: ArrivalRow) -> list[tuple[object, ...]]:
    """Of the messages m and n, sent at 1,000 by a."""
    sent = frame(spark, "messages", [message("m", 1_000), message("n", 1_000)])
    found = ack_metrics(frame(spark, "arrivals", list(arrivals)), sent)
    return [tuple(row.values()) for row in dicts(found)]


def ack(at_us: int, tree: int, node: str = "a", complete: bool | None = True) -> ArrivalRow:
    return control("ack", node, at_us, message="m", tree=tree, complete=complete)


def test_the_faster_tree_makes_certain_by_its_last_complete_ack(spark: SparkSession) -> None:
    acks = [ack(2_000, 1), ack(5_000, 1), ack(3_000, 2), ack(4_000, 2), ack(9_000, 2, "b")]
    assert told(spark, *acks, ack(8_000, 2, complete=False)) == [("r", "m", 120, 3.0)]


def test_without_a_complete_ack_at_the_origin_nothing_is_certain(spark: SparkSession) -> None:
    query = control("ack_query", "b", 3_000, message="m", bytes=7)
    assert told(spark, ack(2_000, 0, complete=None), query) == [("r", "m", 27, None)]


def test_other_frames_and_messages_that_nobody_has_sent_do_not_count(spark: SparkSession) -> None:
    assert told(spark, data("a", 5_000), control("ack", "a", 5_000, message="unknown")) == []
