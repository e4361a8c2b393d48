"""Each row once, one row a key, and rows of runs that nobody knows set aside."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.ingest.clean import NO_RUN, SECOND_ROW, distinct, of_runs, one_a_key
from snowcast.pipeline.schemas import schema_of

PLACED = "run string, message string, origin string, at_us long, payload_bytes long, mode string, \
reliable boolean, file string, offset long"


def probes(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(rows), schema_of("probes"))


def messages(spark: SparkSession, *rows: tuple[str, str, int, str, int]) -> DataFrame:
    """Messages by run, id, when they were sent, and where the row stands."""
    whole = [
        (run, message, "a", at_us, 9, "standard", True, file, offset)
        for run, message, at_us, file, offset in rows
    ]
    return spark.createDataFrame(whole, PLACED)


def test_equal_rows_are_one_row_and_others_stay(spark: SparkSession) -> None:
    one, other = ("r", "a", "b", 1, 2, 3, None), ("r", "a", "b", 1, None, None, None)
    found = distinct(probes(spark, one, other, one, one), "probes").collect()
    assert sorted(map(tuple, found), key=str) == sorted([one, other], key=str)


def test_of_a_key_the_row_that_is_in_most_places_is_taken(spark: SparkSession) -> None:
    rows = messages(
        spark,
        ("r", "m", 7, "f", 0),
        ("r", "m", 5, "f", 90),
        ("r", "m", 7, "g", 0),
        ("q", "m", 5, "g", 90),
    )
    taken, others = one_a_key(rows, "messages")
    assert sorted((row.run, row.message, row.at_us) for row in taken.collect()) == [
        ("q", "m", 5),
        ("r", "m", 7),
    ]
    assert taken.columns == schema_of("messages").names
    (other,) = others.collect()
    assert (other.table, other.reason, other.file, other.offset) == (
        "messages",
        SECOND_ROW,
        "f",
        90,
    )
    assert other.detail == "there is another row of this message, in more places"
    assert json.loads(other.line)["at_us"] == 5
    assert other.bytes == len(other.line)


def test_between_rows_that_are_as_frequent_their_values_decide(spark: SparkSession) -> None:
    for order in (1, -1):
        rows = [("r", "m", 7, "f", 0), ("r", "m", 5, "g", 0)][::order]
        taken, _ = one_a_key(messages(spark, *rows), "messages")
        assert [row.at_us for row in taken.collect()] == [5]


def test_rows_of_runs_that_are_not_there_are_rejects_with_their_line(spark: SparkSession) -> None:
    runs = spark.createDataFrame([("r",)], "run string")
    known, stray = ("r", "a", "b", 1, 2, 3, None), ("q", "a", "b", 1, 2, 3, None)
    taken, others = of_runs(probes(spark, known, stray), runs, "probes")
    assert [tuple(row) for row in taken.select(schema_of("probes").names).collect()] == [known]
    (other,) = others.collect()
    assert (other.table, other.reason, other.detail, other.file, other.offset) == (
        "probes",
        NO_RUN,
        "no row in runs for q",
        None,
        None,
    )
    assert json.loads(other.line) == {
        "run": "q",
        "node": "a",
        "peer": "b",
        "at_us": 1,
        "rtt_us": 2,
        "offset_us": 3,
    }
