"""Who sends how much, and what for."""

from __future__ import annotations

from hypothesis import given
from pyspark.sql import SparkSession

from snowcast.pipeline.metric_tables import KEYS
from snowcast.pipeline.metrics.keys import run_keys
from snowcast.pipeline.metrics.load import node_load, received, run_load, run_traffic, traffic
from snowcast.pipeline.metrics.roster import members
from support import metric_twins
from support.trace_rows import (
    SEEDS,
    Trace,
    control,
    data,
    dicts,
    few_examples,
    node,
    random_traces,
    run,
    together,
)

TRACE = Trace(
    [run()],
    [node("a"), node("b", role="straggler")],
    [],
    [
        data("b", 1, sender="a", bytes=100),
        data("c", 2, sender="a", bytes=101),
        data("a", 3, sender="b", bytes=7),
        control("ping", "b", 4, "a", bytes=5),
        control("announcement", "c", 4, "b", bytes=6),
    ],
)


def values(rows: list[dict[str, object]]) -> list[tuple[object, ...]]:
    """The rows without the keys of their run."""
    return [tuple(row.values())[len(KEYS) :] for row in rows]


def test_every_node_has_a_row_whether_named_or_only_seen(spark: SparkSession) -> None:
    tables = TRACE.traces(spark)
    everybody = members(tables.nodes, tables.messages)
    keys, got = run_keys(tables.runs), received(tables.arrivals)
    assert values(dicts(node_load(keys, everybody, tables.arrivals, got))) == [
        ("a", "plain", True, 2, 201, 7, 5, 0),
        ("b", "straggler", True, 1, 7, 100, 6, 5),
        ("c", None, False, 0, 0, 101, 0, 6),
    ]


def test_what_a_node_gets_is_counted_by_kind(spark: SparkSession) -> None:
    rows = dicts(received(TRACE.traces(spark).arrivals))
    assert [tuple(row.values()) for row in rows] == [
        ("r", "a", "data", 1, 7),
        ("r", "b", "data", 1, 100),
        ("r", "b", "ping", 1, 5),
        ("r", "c", "announcement", 1, 6),
        ("r", "c", "data", 1, 101),
    ]


def test_traffic_is_told_by_kind(spark: SparkSession) -> None:
    tables = TRACE.traces(spark)
    found = traffic(run_keys(tables.runs), received(tables.arrivals))
    assert values(dicts(found)) == [("announcement", 1, 6), ("data", 3, 208), ("ping", 1, 5)]
    assert dicts(run_traffic(found)) == [{"run": "r", "data_bytes": 208, "control_bytes": 11}]


def test_how_even_the_load_is_follows_from_the_roster_alone(spark: SparkSession) -> None:
    rows = [("r", True, 2), ("r", True, 6), ("r", False, 99), ("q", True, 0)]
    df = spark.createDataFrame(rows, "run string, on_roster boolean, data_bytes_sent long")
    assert [tuple(row.values()) for row in dicts(run_load(df))] == [
        ("q", 1, 0.0, 0, None),
        ("r", 2, 4.0, 6, 0.5),
    ]


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    traces = random_traces(seeds)
    tables = together(traces).traces(spark)
    keys, everybody = run_keys(tables.runs), members(tables.nodes, tables.messages)
    got = received(tables.arrivals)
    for found, twin, by in (
        (node_load(keys, everybody, tables.arrivals, got), metric_twins.load, "node"),
        (traffic(keys, got), metric_twins.traffic, "kind"),
    ):
        wanted = {(row["run"], row[by]): row for one in traces for row in twin(one)}
        rows = {(row["run"], row[by]): row for row in dicts(found)}
        assert rows.keys() == wanted.keys()
        for key, row in wanted.items():
            assert {name: rows[key][name] for name in row} == row
