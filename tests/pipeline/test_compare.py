"""What runs that differ in their seed say together: literal rows, and plain Python."""

from __future__ import annotations

from itertools import combinations
from random import Random
from statistics import fmean, median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from snowcast.pipeline.compare import comparisons, message_summary, summary
from snowcast.pipeline.metric_tables import (
    COMPARISONS,
    MESSAGE_METRICS,
    MESSAGE_SUMMARY,
    MESSAGE_SUMMARY_METRICS,
    RUN_METRICS,
    SUMMARY,
    SUMMARY_METRICS,
)
from support.metric_frames import metric_frame
from support.trace_rows import dicts, few_examples

CELL = {"scenario": "s", "variant": "", "nodes": 9, "fanout": 4, "is_virtual": True}


def run(protocol: str, seed: int | None, **metrics: Any) -> dict[str, Any]:
    return {**CELL, "run": f"{protocol}-{seed}", "protocol": protocol, "seed": seed, **metrics}


def test_a_cell_is_told_by_metric_and_metrics_that_no_run_has_are_not_told(
    spark: SparkSession,
) -> None:
    rows = [run("p", 0, ldt_ms=1.0), run("p", 1, ldt_ms=1.0), run("p", 2), run("q", 0, ldt_ms=4.0)]
    found = dicts(summary(metric_frame(spark, RUN_METRICS, rows)))
    assert list(found[0]) == list(SUMMARY.names)
    assert [tuple(row.values())[2:] for row in found if row["metric"] == "ldt_ms"] == [
        ("p", 9, 4, True, "ldt_ms", 2, 1.0, 1.0, 1.0, 1.0),
        ("q", 9, 4, True, "ldt_ms", 1, 4.0, 4.0, None, None),
    ]
    assert {row["metric"] for row in found} == {
        *("ldt_ms", "data_bytes", "control_bytes", "unrecovered")
    }


def test_simulated_and_real_runs_are_never_averaged(spark: SparkSession) -> None:
    rows = [run("p", 0, ldt_ms=2000.0), {**run("p", 1, ldt_ms=1600.0), "is_virtual": False}]
    rows += [{**run("q", 0, ldt_ms=1.0), "is_virtual": False}]
    frame = metric_frame(spark, RUN_METRICS, rows)
    told = [
        (row["protocol"], row["is_virtual"], row["seeds"], row["mean"])
        for row in dicts(summary(frame))
        if row["metric"] == "ldt_ms"
    ]
    assert told == [("p", False, 1, 1600.0), ("p", True, 1, 2000.0), ("q", False, 1, 1.0)]
    assert dicts(comparisons(frame)) == []


def test_the_interval_of_a_share_is_one_of_shares(spark: SparkSession) -> None:
    rows = [run("p", seed, reliability=share) for seed, share in enumerate([1.0, 0.5, 0.0])]
    rows += [run("q", seed, reliability=share) for seed, share in enumerate([1.0, 0.9])]
    found = {row["protocol"]: row for row in dicts(summary(metric_frame(spark, RUN_METRICS, rows)))
             if row["metric"] == "reliability"}  # fmt: skip
    assert (found["p"]["low"], found["p"]["high"]) == (0.0, 1.0)
    assert 0 < found["q"]["low"] < 0.9 < found["q"]["high"] == 1.0


def test_messages_are_summed_up_by_their_place_in_the_run(spark: SparkSession) -> None:
    rows = [
        run("p", seed, number=number, ldt_ms=float(10 * number + seed))
        for seed, number in [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)]
    ]
    found = dicts(message_summary(metric_frame(spark, MESSAGE_METRICS, rows)))
    assert list(found[0]) == list(MESSAGE_SUMMARY.names)
    assert [(row["number"], row["seeds"], row["mean"], row["median"]) for row in found] == [
        (0, 2, 1.0, 1.0),
        (1, 3, 11.0, 11.0),
    ]


def test_protocols_are_compared_under_the_seeds_that_both_have(spark: SparkSession) -> None:
    rows = [
        *[run("q", seed, ldt_ms=ms) for seed, ms in enumerate([3.0, 5.0, None, 9.0])],
        *[run("p", seed, ldt_ms=ms) for seed, ms in enumerate([1.0, 5.0, 7.0])],
        run("o", None, ldt_ms=1.0),
    ]
    found = dicts(comparisons(metric_frame(spark, RUN_METRICS, rows)))
    assert list(found[0]) == list(COMPARISONS.names)
    (row,) = [row for row in found if row["metric"] == "ldt_ms"]
    assert (row.pop("low"), row.pop("high")) == pytest.approx((-1 - 9.168, -1 + 9.168), abs=1e-3)
    assert row == {
        **CELL,
        **{"metric": "ldt_ms", "protocol": "p", "against": "q", "seeds": 2},
        **{"mean": 3.0, "mean_against": 4.0, "difference": -1.0, "lower": 1, "equal": 1},
    }


@given(st.lists(st.integers(0, 9_999), min_size=1, max_size=6, unique=True))
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    rows = [row for seed in seeds for row in _random_cell(Random(seed), seed)]
    df = metric_frame(spark, RUN_METRICS, rows).repartition(2)
    names = ("fanout", "protocol", "metric", "seeds", "mean", "median")
    found = {tuple([row[n] for n in names]) for row in dicts(summary(df))}
    paired = ("fanout", "protocol", "against", "metric", "seeds", "difference", "lower", "equal")
    pairs = {tuple([row[n] for n in paired]) for row in dicts(comparisons(df))}
    wanted, wanted_pairs = set(), set()
    for fanout in {row["fanout"] for row in rows}:
        cell = [row for row in rows if row["fanout"] == fanout]
        of = {p: {row["seed"]: row for row in cell if row["protocol"] == p} for p in "pqr"}
        for metric in SUMMARY_METRICS:
            for protocol in "pqr":
                there = _values(of[protocol].values(), metric)
                if there:
                    mean = fmean(there)
                    wanted.add((fanout, protocol, metric, len(there), mean, median(there)))
            for one, other in combinations("pqr", 2):
                both = [(of[one][s], of[other][s]) for s in of[one].keys() & of[other].keys()]
                steps = [
                    a[metric] - b[metric] for a, b in both if None not in (a[metric], b[metric])
                ]
                if steps:
                    counts = sum([x < 0 for x in steps]), sum([x == 0 for x in steps])
                    wanted_pairs.add(
                        (fanout, one, other, metric, len(steps), fmean(steps), *counts)
                    )
    assert found == wanted
    assert pairs == wanted_pairs


def _random_cell(rng: Random, fanout: int) -> list[dict[str, Any]]:
    """Runs of three protocols, whole numbers for metrics, so that sums are exact."""
    return [
        {
            **run(protocol, seed, **{m: rng.choice([None, 1, 2, 3, 4]) for m in SUMMARY_METRICS}),
            "fanout": fanout,
            "run": f"{fanout}-{protocol}-{seed}",
        }
        for protocol in "pqr"
        for seed in range(rng.randint(1, 5))
        if rng.random() < 0.8
    ]


def _values(rows: Any, metric: str) -> list[float]:
    return [row[metric] for row in rows if row[metric] is not None]


def test_what_is_summed_up_are_columns_that_there_are() -> None:
    assert set(MESSAGE_SUMMARY_METRICS) < set(MESSAGE_METRICS.names)
    assert set(SUMMARY_METRICS) < set(RUN_METRICS.names)
