"""The table of clocks, from probes between nodes whose clocks are known to be wrong."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.clocks import estimate as module
from snowcast.pipeline.clocks.correct import correct
from snowcast.pipeline.clocks.estimate import clocks, filled, spans, with_windows
from snowcast.pipeline.ingest.parse import TIMES_US
from snowcast.pipeline.schemas import schema_of

Row = tuple[Any, ...]
HOUR_US = 3_600_000_000


def answers(
    offset_us: dict[str, int], drift_ppm: dict[str, float], seconds: int, run: str = "r"
) -> list[Row]:
    """A probe a second from each node to another, over ways that take from 0.8 to 1.2 ms."""
    random, rows, names = Random(1), [], sorted(offset_us)

    def shows(node: str, true_us: float) -> int:
        return round(true_us * (1 + drift_ppm.get(node, 0) / 1e6)) + offset_us[node]

    for second in range(seconds):
        for node in names:
            peer = random.choice([name for name in names if name != node])
            sent = second * 1_000_000 + random.randrange(900_000)
            there = sent + random.randint(800, 1_200)
            back = there + random.randint(800, 1_200)
            at, asked = shows(node, back), shows(node, sent)
            offset = shows(peer, there) - (asked + at) // 2
            rows.append((run, node, peer, at, at - asked, offset, None))
    return rows


def table(spark: SparkSession, rows: list[Row]) -> dict[tuple[str, str], Any]:
    frame = spark.createDataFrame(rows, schema_of("probes"))
    return {(row.run, row.node): row for row in clocks(frame).collect()}


def test_offsets_are_found_for_each_run_and_group_whatever_their_size(spark: SparkSession) -> None:
    near = {"a": -50_000, "b": 0, "c": 50_000, "d": 20_000, "e": -30_000}
    far = {"a": 0, "b": 5 * HOUR_US, "c": 6 * HOUR_US}
    apart = {"x": 0, "y": 7_000, "z": 9_000}
    rows = [*answers(near, {}, 20), *answers(far, {}, 20, "q"), *answers(apart, {}, 20, "q")]
    found = table(spark, rows)
    assert len(found) == 11
    for run, truth, middle in (("r", near, 0), ("q", far, 5 * HOUR_US), ("q", apart, 7_000)):
        for node, offset_us in truth.items():
            row = found[run, node]
            assert row.offset_us + row.left_us[0] == pytest.approx(offset_us - middle, abs=150)
            assert row.group == min(truth)
            assert 1_600 <= row.rtt_us <= 2_400
    assert sum(row.probes for row in found.values()) == 2 * len(rows)


def test_clocks_that_drift_are_followed_window_by_window(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WINDOW_US", 20_000_000)
    offsets = {name: 1_000 * number for number, name in enumerate("abcdef")}
    rows = answers(offsets, {"a": 100, "f": -80}, 101)
    found = table(spark, rows)
    assert {len(row.left_us) for row in found.values()} == {5}
    for node, ppm in (("a", 100), ("f", -80), ("c", 0)):
        row = found["r", node]
        first, last = (row.offset_us + row.left_us[at] for at in (0, -1))
        others = [found["r", x] for x in "bcde"]
        moved = sum(x.left_us[-1] - x.left_us[0] for x in others) / 4
        assert last - first - moved == pytest.approx(ppm * 80, abs=400)


def test_lies_that_add_up_leave_offsets_that_times_can_be_set_right_by(
    spark: SparkSession,
) -> None:
    count, lie_us = 700, TIMES_US.stop - 1
    rows = [
        ("r", f"n{number:03}", f"n{number + 1:03}", at_us, 1_000, lie_us, None)
        for number in range(count)
        for at_us in (-lie_us, lie_us)
    ]
    probes = spark.createDataFrame(rows, schema_of("probes"))
    found = correct(probes, "probes", clocks(probes)).collect()
    assert len(found) == len(rows)
    assert max(abs(row.at_us) for row in found) < 1 << 60


def test_without_probes_there_are_no_clocks(spark: SparkSession) -> None:
    assert table(spark, [("r", "a", "b", 1, None, None, None)]) == {}


def times(spark: SparkSession, *at_us: int) -> DataFrame:
    return spark.createDataFrame([("r", t) for t in at_us], "run string, at_us long")


def test_time_is_cut_into_even_windows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WINDOW_US", 10)
    probes = times(spark, 100, 109, 120, 134)
    cut = spans(probes)
    assert [tuple(row) for row in cut.collect()] == [("r", 100, 12, 3)]
    found = with_windows(probes, cut).orderBy("at_us").collect()
    assert [(row.at_us, row.window) for row in found] == [(100, 0), (109, 0), (120, 1), (134, 2)]


def test_windows_without_a_probe_are_filled_in_between_and_held_at_the_ends(
    spark: SparkSession,
) -> None:
    left = spark.createDataFrame(
        [("r", 3, "a", 40.0), ("r", 1, "a", 20.0), ("r", 2, "b", 5.0)],
        "run string, window long, node string, left_us double",
    )
    cut = spark.createDataFrame([("r", 5)], "run string, windows long")
    found = {row.node: row.left_us for row in filled(left, cut).collect()}
    assert found == {"a": [20, 20, 30, 40, 40], "b": [5] * 5}
