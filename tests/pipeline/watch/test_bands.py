"""Bands: what users write, and which windows are out of them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from snowcast.core.errors import UsageError
from snowcast.pipeline.watch.bands import ALERTS, Band, alerts, parse_band
from snowcast.pipeline.watch.fold import WINDOWS


def test_a_band_is_a_metric_and_two_bounds() -> None:
    assert parse_band("ldt_ms=0..500") == Band("ldt_ms", 0, 500)
    assert parse_band("reliability=0.999..inf") == Band("reliability", 0.999, float("inf"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("speed=1..2", "no metric 'speed'; there are reliability, "),
        ("ldt_ms", "expected METRIC=LOW..HIGH, not 'ldt_ms'"),
        ("ldt_ms=1..x", "expected METRIC=LOW..HIGH"),
        ("ldt_ms=2..1", "expected the lower bound first"),
        ("ldt_ms=nan..1", "expected the lower bound first"),
    ],
)
def test_what_is_no_band_is_a_mistake(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_band(text)


def test_a_window_out_of_a_band_is_an_alert_and_one_without_the_metric_is_none(
    spark: SparkSession,
) -> None:
    names = [column.split()[0] for column in WINDOWS.split(", ")]

    def row(run: str, **values: float) -> tuple[object, ...]:
        known = {"run": run, "starts_us": 10, "ends_us": 20, "messages": 1, **values}
        return tuple(known.get(name) for name in names)

    rows = [
        row("good", reliability=1.0, ldt_ms=500.0),
        row("slow", reliability=0.9, ldt_ms=500.5),
        row("quiet"),
    ]
    bands = [Band("reliability", 0.9, 1), Band("ldt_ms", 1, 500)]
    found = alerts(spark.createDataFrame(rows, WINDOWS), bands)
    assert [tuple(one) for one in found.collect()] == [("slow", 10, 20, "ldt_ms", 500.5, 1, 500)]
    wanted = spark.createDataFrame([], ALERTS).schema
    assert [field.dataType for field in found.schema] == [field.dataType for field in wanted]


def test_messages_that_nobody_was_meant_to_get_are_an_alert_whatever_the_bands(
    spark: SparkSession,
) -> None:
    names = [column.split()[0] for column in WINDOWS.split(", ")]
    counts = {"nobody": (3, 0), "somebody": (3, 1), "nothing": (0, 0)}
    rows = [
        tuple(
            {
                "run": run,
                "starts_us": 10,
                "ends_us": 20,
                "messages": sent,
                "intended": intended,
            }.get(name)
            for name in names
        )
        for run, (sent, intended) in counts.items()
    ]
    bands = [Band("reliability", 0.9, 1), Band("ldt_ms", 1, 500)]
    found = alerts(spark.createDataFrame(rows, WINDOWS), bands)
    assert [tuple(one) for one in found.collect()] == [
        ("nobody", 10, 20, "intended", 0.0, 1.0, float("inf"))
    ]
