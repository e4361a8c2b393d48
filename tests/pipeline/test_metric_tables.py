"""The contract of the tables of metrics, and the page that is written from it."""

from __future__ import annotations

import re

import pytest

from snowcast.pipeline.metric_tables import KEYS, METRIC_TABLES, SUMMARY_METRICS, MetricTable

UNITS = ("_ms", "_us", "_bytes")


@pytest.mark.parametrize("table", METRIC_TABLES.values(), ids=lambda table: table.name)
def test_every_column_has_a_name_a_type_and_a_meaning(table: MetricTable) -> None:
    assert len(set(table.names)) == len(table.columns)
    for column in table.columns:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name)
        assert column.type in ("string", "bigint", "double", "boolean")
        assert column.text
    assert table.text.endswith(".")


def test_rows_about_a_run_begin_with_its_keys_and_others_with_its_scenario() -> None:
    of_runs = {name for name, table in METRIC_TABLES.items() if table.columns[: len(KEYS)] == KEYS}
    assert of_runs == METRIC_TABLES.keys() - {"summary", "message_summary", "comparisons"}
    assert {METRIC_TABLES[name].names[0] for name in METRIC_TABLES.keys() - of_runs} == {"scenario"}


def test_a_metric_has_its_unit_or_is_a_count_or_a_share() -> None:
    bare = {name for name in SUMMARY_METRICS if not name.endswith(UNITS)}
    assert bare == {
        *("reliability", "reliability_live", "reliability_min", "complete_live"),
        "recovered",
        *("last_delivery_hop", "redundancy", "load_spread", "unrecovered"),
    }
