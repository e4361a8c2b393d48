"""Tables of metrics are looked up, and what is not there is not made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.report.measured import Interval, interval, open_measured, values_of
from support.metric_rows import summary, write


def test_rows_are_those_of_a_scenario_or_of_one_variant_of_it(tmp_path: Path) -> None:
    rows = [
        summary("stable", "standard", "ldt_ms", 9, variant="a.b=aligned,c=1"),
        summary("stable", "standard", "ldt_ms", 1500, 20),
        summary("churn", "standard", "ldt_ms", 700),
    ]
    measured = open_measured(write(tmp_path, {"summary": rows}))
    (plain,) = measured.of("stable")
    assert interval(plain) == Interval(1500, 1480, 1520, 20)
    assert [row["mean"] for row in measured.of("stable", "c=1,a.b=aligned")] == [9]
    assert measured.of("breakdown") == []
    assert measured.rows("node_load") == []
    assert len(measured.rows("summary")) == 3
    assert [row["mean"] for row in measured.rows("summary", "churn")] == [700]
    assert measured.rows("summary", "breakdown") == []


def test_a_directory_without_tables_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tables of metrics here"):
        open_measured(tmp_path)


def test_a_variant_is_read_as_keys_and_values() -> None:
    assert values_of("a.b=3,c=x") == {"a.b": "3", "c": "x"}
    assert values_of("") == {}
