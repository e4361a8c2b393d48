"""Times set right: literal rows in and out, and what a clock is off by held to a naive twin."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from snowcast.pipeline.clocks.correct import correct, off_us
from snowcast.pipeline.clocks.estimate import CLOCKS
from snowcast.pipeline.schemas import schema_of


def known(spark: SparkSession, **offsets: float) -> DataFrame:
    """Clocks that are off by so much, always."""
    rows = [("r", node, "a", 1, 100.0, off, 0, 10, [0.0]) for node, off in offsets.items()]
    return spark.createDataFrame(rows, CLOCKS)


def corrected(spark: SparkSession, table: str, *rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    given = spark.createDataFrame([tuple(row) for row in rows], schema_of(table))
    found = correct(given, table, known(spark, a=1_000.4, b=-200.0))
    assert found.columns == given.columns
    return sorted([tuple(row) for row in found.collect()], key=str)


def test_messages_are_on_the_clock_of_their_origin(spark: SparkSession) -> None:
    rest = (9, "standard", True)
    assert corrected(
        spark, "messages", ("r", "m", "a", 5_000, *rest), ("r", "n", "z", 5_000, *rest)
    ) == [("r", "m", "a", 4_000, *rest), ("r", "n", "z", 5_000, *rest)]


def test_arrivals_are_on_the_clock_of_the_receiver(spark: SparkSession) -> None:
    rest = (4, 1, 0, True, None)
    assert corrected(spark, "arrivals", ("r", "m", "b", "a", "data", 5_000, *rest)) == [
        ("r", "m", "b", "a", "data", 5_200, *rest)
    ]


def test_what_a_node_does_not_say_stays_unsaid(spark: SparkSession) -> None:
    assert corrected(spark, "nodes", ("r", "a", 1, None, "plain", None, 2_000, None, 9_000)) == [
        ("r", "a", 1, None, "plain", None, 1_000, None, 8_000)
    ]


def test_of_the_offset_of_a_probe_what_is_left_is_told(spark: SparkSession) -> None:
    rows = ("r", "a", "b", 5_000, 100, -1_190, None), ("r", "a", "b", 5_000, None, None, None)
    assert corrected(spark, "probes", *rows) == [
        ("r", "a", "b", 4_000, 100, 10, None),
        ("r", "a", "b", 4_000, None, None, None),
    ]


def twin(at_us: int, starts_us: int, window_us: int, left_us: list[float]) -> float:
    """What is left, read off a line through the middles of the windows and a window beyond."""
    if len(left_us) == 1:
        return left_us[0]
    place = np.clip((at_us - starts_us) / window_us - 0.5, -1, len(left_us))
    line = [2 * left_us[0] - left_us[1], *left_us, 2 * left_us[-1] - left_us[-2]]
    return float(np.interp(place, np.arange(-1, len(left_us) + 1), line))


def test_between_windows_the_change_is_even(spark: SparkSession) -> None:
    random, rows = Random(2), []
    for number in range(300):
        left_us = [random.uniform(-900, 900) for _ in range(random.randint(1, 6))]
        starts, window = random.randint(0, 10_000), random.randint(1, 5_000)
        offset = random.randint(-90_000, 90_000)
        at = random.randint(starts - 3 * window, starts + 9 * window)
        rows.append((number, at, (float(offset), starts, window, left_us)))
    frame = spark.createDataFrame(
        rows,
        "number long, at_us long, clock struct<offset_us: double, starts_us: long, "
        "window_us: long, left_us: array<double>>",
    )
    found = frame.select("number", off_us("clock", F.col("at_us")).alias("off")).collect()
    off = {row.number: row.off for row in found}
    for number, at, (offset, starts, window, left_us) in rows:
        wanted = offset + twin(round(at - offset), starts, window, left_us)
        assert off[number] == pytest.approx(wanted, abs=1), rows[number]
