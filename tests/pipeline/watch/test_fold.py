"""What a batch comes to: each transform on literal rows, in and out."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.clocks.estimate import CLOCKS
from snowcast.pipeline.schemas import schema_of
from snowcast.pipeline.watch.fold import (
    CLOCK_US,
    SILENT_US,
    arrival_fate,
    in_windows,
    last_seen,
    message_fate,
    nodes_then,
    progress,
    recent,
    spans_of,
    steady,
    timed,
    windows,
    with_fate,
    with_message,
)

OFFSETS = "run string, node string, group string, offset_us double, probes long, rtt_us double"
RUNS = "run string, newest_us long, before_us long, closed_us long"
TIMED = "run string, message string, kind string, right_us long"


def clock(node: str, offset_us: float) -> tuple[Any, ...]:
    return ("r", node, "a", 5, 90.0, offset_us, 0, 1, [0.0])


def arrival(message: str | None, node: str, at_us: int, **changes: Any) -> tuple[Any, ...]:
    known = {
        "run": "r",
        "message": message,
        "node": node,
        "sender": "a",
        "kind": "data",
        "at_us": at_us,
        "bytes": 40,
        "hop": 1,
        "tree": 0,
        "first": True,
        **changes,
    }
    return tuple(known.get(name) for name in schema_of("arrivals").names)


def message(name: str, at_us: int) -> tuple[Any, ...]:
    return ("r", name, "a", at_us, 9, "standard", True)


def tuples(rows: DataFrame) -> list[tuple[Any, ...]]:
    return sorted([tuple(row) for row in rows.collect()], key=str)


def frame(spark: SparkSession, table: str, rows: Iterable[tuple[Any, ...]]) -> DataFrame:
    """Rows of a table, with the time of a right clock behind."""
    given = spark.createDataFrame(list(rows), schema_of(table))
    return timed(given, table, spark.createDataFrame([], CLOCKS))


def test_times_are_set_right_by_the_clock_of_who_tells_them(spark: SparkSession) -> None:
    given = spark.createDataFrame(
        [arrival("m", "b", 100), arrival("m", "c", 100)], schema_of("arrivals")
    )
    clocks = spark.createDataFrame([clock("b", 30.0)], CLOCKS)
    found = timed(given, "arrivals", clocks).select("node", "at_us", "right_us")
    assert tuples(found) == [("b", 100, 70), ("c", 100, 100)]


def test_the_usual_clock_stays_where_it_was_as_nodes_come_and_go(spark: SparkSession) -> None:
    before = spark.createDataFrame([clock("a", -10.0), clock("b", 0.0), clock("x", 7.0)], CLOCKS)
    offsets = spark.createDataFrame(
        [
            ("r", "a", "a", 90.0, 1, 1.0),
            ("r", "b", "a", 102.0, 1, 1.0),
            ("r", "c", "a", 0.0, 1, 1.0),
        ],
        OFFSETS,
    )
    found = steady(offsets, before)
    assert found.columns == before.columns
    # a and b have moved by 100 and 102; x was not heard of.
    assert tuples(found.select("node", "offset_us")) == [
        ("a", -11.0),
        ("b", 1.0),
        ("c", -101.0),
        ("x", 7.0),
    ]


def test_the_first_clocks_are_taken_as_they_are(spark: SparkSession) -> None:
    offsets = spark.createDataFrame([("r", "a", "a", 90.0, 1, 1.0)], OFFSETS)
    found = steady(offsets, spark.createDataFrame([], CLOCKS))
    assert tuples(found) == [("r", "a", "a", 1, 1.0, 90.0, 0, 1, [0.0])]


def test_old_probes_are_forgotten_run_by_run(spark: SparkSession) -> None:
    given = spark.createDataFrame(
        [("r", 0), ("r", 1), ("r", CLOCK_US + 1), ("q", 0)], "run string, at_us long"
    )
    assert tuples(recent(given)) == [("q", 0), ("r", 1), ("r", CLOCK_US + 1)]


def test_windows_are_closed_as_far_as_the_latest_time_allows_and_never_opened_again(
    spark: SparkSession,
) -> None:
    runs = spark.createDataFrame(
        [("back", 90, 40, 60), ("on", 50, None, 20), ("still", 50, 0, 30)], RUNS
    )
    messages = spark.createDataFrame([("new", 49), ("back", 70)], "run string, right_us long")
    arrivals = spark.createDataFrame([("on", 73), ("on", 60)], "run string, right_us long")
    assert tuples(progress(runs, messages, arrivals, window_us=10, wait_us=15)) == [
        ("back", 90, 60, 70),
        ("new", 49, None, 30),
        ("on", 73, 20, 50),
        ("still", 50, 30, 30),
    ]


def test_the_latest_a_node_has_told_of_anything(spark: SparkSession) -> None:
    seen = spark.createDataFrame(
        [("r", "a", 5), ("r", "b", 9)], "run string, node string, seen_us long"
    )
    arrivals = frame(spark, "arrivals", [arrival("m", "a", 7), arrival(None, "c", 3)])
    assert tuples(last_seen(seen, arrivals)) == [("r", "a", 7), ("r", "b", 9), ("r", "c", 3)]


def twin(row: tuple[Any, ...], fates: dict[str, str]) -> str:
    """What becomes of a frame, in words; windows up to 20 were closed before, now up to 40."""
    _, about, kind, at = row
    if kind != "data":
        return "late" if at < 20 else "counted" if at < 40 else "kept"
    if fates.get(about) == "counted":
        return "counted"
    if fates.get(about) == "kept" or at >= 40:
        return "kept"
    return "late"


def test_every_row_comes_to_one_end(spark: SparkSession) -> None:
    random = Random(4)
    runs = spark.createDataFrame([("r", 55, 20, 40)], RUNS)
    sent = {f"m{number}": random.randrange(60) for number in range(30)}
    wanted = {
        name: "late" if at < 20 else "counted" if at < 40 else "kept" for name, at in sent.items()
    }
    messages = spark.createDataFrame(
        [("r", name, "message", at) for name, at in sent.items()], TIMED
    )
    fated = with_fate(messages, runs, message_fate())
    assert {row.message: row.fate for row in fated.collect()} == wanted
    kinds = ("data", "ack", "ping")
    rows = [
        ("r", random.choice([*sent, "unknown", None]), random.choice(kinds), random.randrange(70))
        for _ in range(400)
    ]
    open_messages = {name: fate for name, fate in wanted.items() if fate != "late"}
    given = spark.createDataFrame(rows, TIMED)
    found = with_fate(with_message(given, fated), runs, arrival_fate()).collect()
    assert len(found) == len(rows)
    for row in found:
        assert row.fate == twin((row.run, row.message, row.kind, row.right_us), open_messages), row


def test_the_roster_of_a_window_is_that_of_its_time(spark: SparkSession) -> None:
    def node(name: str, **times: int) -> tuple[Any, ...]:
        known = {"run": "r", "node": name, "life": 1, "role": "plain", **times}
        return tuple(known.get(column) for column in schema_of("nodes").names)

    start, window = 2 * SILENT_US, 1_000
    nodes = spark.createDataFrame(
        [
            node("stays", joined_us=5),
            node("left", left_us=start - 1),
            node("leaves", left_us=start + window),
            node("dies", crashed_us=start + 1),
            node("silent"),
        ],
        schema_of("nodes"),
    )
    seen = spark.createDataFrame(
        [("r", "silent", start - SILENT_US - 1), ("r", "dies", start)],
        "run string, node string, seen_us long",
    )
    spans = spark.createDataFrame(
        [("r", start, start + window, "window")],
        "run string, starts_us long, ends_us long, window string",
    )
    found = nodes_then(nodes, seen, spans)
    assert tuples(found.select("run", "node", "joined_us", "left_us", "crashed_us")) == [
        ("window", "dies", None, None, start + 1),
        ("window", "leaves", None, None, None),
        ("window", "left", None, start - 1, None),
        ("window", "stays", 5, None, None),
    ]


def test_nodes_that_left_and_came_back_are_meant_to_get_what_is_sent_then(
    spark: SparkSession,
) -> None:
    lives = [("r", "a", 1, None, "plain", None, None, None, None)]
    for name, left_us in (("b", 5_000), ("c", 15_000)):  # a rolling restart
        lives.append(("r", name, 1, None, "plain", None, 1, left_us, None))
        lives.append(("r", name, 2, None, "plain", None, left_us + 2_000, None, None))
    nodes = spark.createDataFrame(lives, schema_of("nodes"))
    sent = in_windows(
        frame(spark, "messages", [message(f"m{at}", at) for at in (6_000, 12_000, 21_000)]), 10_000
    )
    got = in_windows(frame(spark, "arrivals", [arrival("m21000", "b", 21_500)]), 10_000)
    seen = spark.createDataFrame([], "run string, node string, seen_us long")
    then = nodes_then(nodes, seen, spans_of(sent, 10_000))
    found = windows(sent, got, then, 10_000).orderBy("starts_us").collect()
    # Not b while it is away; b again, but not c, which leaves in the window; and both again.
    assert [(row.starts_us, row.intended, row.delivered) for row in found] == [
        (0, 1, 0),
        (10_000, 1, 0),
        (20_000, 2, 1),
    ]


def test_a_window_has_the_metrics_of_the_messages_that_were_sent_in_it(spark: SparkSession) -> None:
    nodes = spark.createDataFrame(
        [("r", name, 1, None, "plain", None, None, None, None) for name in "abc"],
        schema_of("nodes"),
    )
    messages = frame(
        spark, "messages", [message("m", 12_000), message("n", 19_000), message("o", 21_000)]
    )
    arrivals = frame(
        spark,
        "arrivals",
        [
            arrival("m", "b", 13_000),
            arrival("m", "c", 16_000),
            arrival("m", "c", 17_000, first=False),
            arrival("n", "b", 21_000),
            arrival("n", "c", 25_000),
            arrival("o", "b", 23_000),
            arrival(None, "b", 14_000, kind="ping", first=None, bytes=7),
            arrival(None, "b", 34_000, kind="ping", first=None, bytes=5),
        ],
    )
    sent, got = in_windows(messages, 10_000), in_windows(arrivals, 10_000)
    spans = spans_of(sent, 10_000)
    seen = spark.createDataFrame([], "run string, node string, seen_us long")
    then = nodes_then(nodes, seen, spans)
    found = windows(sent, got, then, 10_000).orderBy("starts_us").collect()
    told = [
        (row.starts_us, row.ends_us, row.messages, row.intended, row.delivered, row.control_bytes)
        for row in found
    ]
    assert told == [
        (10_000, 20_000, 2, 4, 4, 7),
        (20_000, 30_000, 1, 2, 1, 0),
        (30_000, 40_000, 0, 0, 0, 5),
    ]
    first, second, third = found
    assert (first.run, first.reliability, first.ldt_ms, first.ldt_max_ms) == ("r", 1.0, 5.0, 6.0)
    assert first.rmr_bytes == pytest.approx((3 * 40 / 2 + 2 * 40 / 2) / 2)
    assert first.redundancy == pytest.approx(0.25)
    assert (second.reliability, second.reliability_live, second.ldt_ms) == (0.5, 0.5, 2.0)
    assert (third.reliability, third.ldt_ms, third.rmr_bytes) == (None, None, None)
