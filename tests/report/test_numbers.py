"""Numbers in tables say no more than was measured, and never more than the truth."""

from __future__ import annotations

import pytest

from snowcast.report.comparison import METRICS
from snowcast.report.measured import Interval
from snowcast.report.numbers import TITLES, amount, number, published, with_interval


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("ldt_ms", 1560.4, "1560"),
        ("rmr_bytes", 115.93, "115.9"),
        ("reliability", 0.99118, "0.9912"),
        ("reliability", 1.0, "1"),
        ("reliability_live", 0.99999, "0.9999+"),
        ("reliability", None, "-"),
    ],
)
def test_a_number_as_people_read_it(metric: str, value: float | None, text: str) -> None:
    assert number(metric, value) == text


def test_an_interval_that_is_a_point_is_not_shown() -> None:
    assert with_interval("ldt_ms", Interval(1500, 1480, 1520, 20)) == "1500 (1480 to 1520)"
    assert with_interval("reliability", Interval(1, 1, 1, 20)) == "1"
    assert with_interval("ldt_ms", None) == "-"


@pytest.mark.parametrize(
    "value",
    [Interval(1500, 1480, 1520, 4), Interval(1500, 1500, 1500, 1), Interval(1500, None, None, 1)],
)
def test_a_mean_over_few_runs_is_told_without_an_interval(value: Interval) -> None:
    assert value.ends is None
    assert with_interval("ldt_ms", value) == "1500"


def test_every_metric_of_the_table_has_a_title() -> None:
    assert set(TITLES) == set(METRICS)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (12_345.6, "frames/s", "12,346 frames/s"),
        (15, "us", "15 us"),
        (0.04213, "s", "0.0421 s"),
        (3.14159, "", "3.14"),
        (None, "s", "-"),
    ],
)
def test_an_amount_has_its_unit_and_no_more_places_than_it_is_worth(
    value: float | None, unit: str, text: str
) -> None:
    assert amount(value, unit) == text


def test_the_papers_numbers_are_told_as_it_prints_them() -> None:
    assert [published(value) for value in (122.0, 0.954, 1.0, None)] == ["122", "0.954", "1", "-"]
