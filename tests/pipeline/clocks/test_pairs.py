"""What the probes of a pair say: literal rows in and out."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.clocks import pairs as module
from snowcast.pipeline.clocks.pairs import NOISE_US, pair_offsets, some_of_each_node, usable
from snowcast.pipeline.schemas import schema_of


def probes(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    whole = [("r", *row, *[None] * (6 - len(row))) for row in rows]
    return spark.createDataFrame(whole, schema_of("probes"))


def test_probes_by_stream_of_oneself_and_without_an_answer_say_nothing(
    spark: SparkSession,
) -> None:
    rows = probes(
        spark,
        ("a", "b", 1, 10, 5, None),
        ("a", "b", 2, 10, 5, False),
        ("a", "b", 3, 10, 5, True),
        ("a", "a", 4, 10, 5),
        ("a", "b", 5),
        ("a", "b", 6, -1, 5),
    )
    assert sorted(row.at_us for row in usable(rows).collect()) == [1, 2]


def test_both_directions_of_a_pair_are_one_row_weighed_by_how_quick_they_were(
    spark: SparkSession,
) -> None:
    rows = probes(spark, ("a", "b", 1, 100, 40), ("b", "a", 2, 300, -80), ("c", "a", 3, 9, 7))
    found = {(row.a, row.b): row for row in pair_offsets(rows, ["run"]).collect()}
    quick, slow = 1 / NOISE_US**2, 1 / (NOISE_US**2 + 100**2)
    ab = found["a", "b"]
    assert (ab.probes, ab.rtt_us) == (2, 100)
    assert ab.weight == pytest.approx(quick + slow)
    assert ab.offset_us == pytest.approx((quick * 40 + slow * 80) / (quick + slow))
    assert found["a", "c"].offset_us == pytest.approx(-7)
    assert len(found) == 2


def test_of_many_pairs_each_node_keeps_some(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAIRS_A_NODE", 2)
    names = "abcdefgh"
    rows = probes(spark, *[(x, y, 1, 10, 0) for x in names for y in names if x < y])
    kept = some_of_each_node(pair_offsets(rows, ["run"]), ["run"]).collect()
    assert len(kept) <= 2 * 2 * len(names)
    for name in names:
        assert sum(name in (row.a, row.b) for row in kept) >= 2
