"""The copies that count: of applications' messages, at receivers on the roster, in their life."""

from __future__ import annotations

from pyspark.sql import SparkSession

from snowcast.pipeline.metrics.copies import copies, of_first
from snowcast.trace.schema import ArrivalRow
from support.trace_rows import control, data, dicts, frame, message


def counted(spark: SparkSession, *arrivals: ArrivalRow) -> list[dict[str, object]]:
    """Of these arrivals of a message sent at 100, with b and c on the roster; c crashes at 500."""
    roster = spark.createDataFrame(
        [("r", "a", None), ("r", "b", None), ("r", "c", 500), ("q", "x", None)],
        "run string, node string, crashed_us long",
    )
    sent = frame(spark, "messages", [message(at_us=100)])
    return dicts(copies(frame(spark, "arrivals", list(arrivals)), sent, roster))


def test_every_copy_counts_the_first_is_marked(spark: SparkSession) -> None:
    assert counted(
        spark, data("b", 300), data("b", 400, first=None, bytes=7, hop=3), data("c", 90)
    ) == [
        {"run": "r", "message": "m", "place": place, "first": first, "delay_us": delay_us,
         "bytes": size, "hop": hop, "crashed_us": crashed_us}
        for place, first, delay_us, size, hop, crashed_us in [
            (2, False, 300, 7, 3, None), (2, True, 200, 120, 1, None), (3, True, -10, 120, 1, 500)
        ]
    ]  # fmt: skip


def test_what_does_not_count(spark: SparkSession) -> None:
    arrivals = [
        control("announcement", "b", 200, message="m"),
        control("ack", "b", 200, message="m"),
        data("a", 200),  # the origin
        data("x", 200),  # on the roster of another run
        data("b", 200, "unknown"),
        data("c", 501),  # a later life
        data("b", 200, run="q"),
    ]
    assert counted(spark, *arrivals) == []
    assert len(counted(spark, *arrivals, data("c", 500))) == 1


def test_what_is_of_first_copies_is_null_in_others(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(True, 5), (False, 6)], "first boolean, delay_us long")
    assert [row[0] for row in rows.select(of_first("delay_us")).collect()] == [5, None]
