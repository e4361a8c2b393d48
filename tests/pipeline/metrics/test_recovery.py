"""How long messages went on missing somebody after a change."""

from __future__ import annotations

from hypothesis import given
from pyspark.sql import SparkSession

from snowcast.pipeline.metrics.keys import run_keys
from snowcast.pipeline.metrics.recovery import changes, recovery, run_recovery
from snowcast.trace.schema import NodeRow
from support import metric_twins
from support.trace_rows import (
    SEEDS,
    dicts,
    few_examples,
    frame,
    node,
    random_traces,
    run,
    together,
)

SENT = "run string, sent_us long, reliability_live double"


def judged(
    spark: SparkSession, nodes: list[NodeRow], *sent: tuple[int, float | None]
) -> list[tuple[object, ...]]:
    """`node, change, at_us, messages, incomplete, missing_ms, recovery_ms` for messages of such
    reliability.
    """
    rows = spark.createDataFrame([("r", *one) for one in sent], SENT)
    keys = run_keys(frame(spark, "runs", [run()]))
    return [
        tuple(row.values())[8:] for row in dicts(recovery(keys, frame(spark, "nodes", nodes), rows))
    ]


def test_it_is_the_time_to_the_first_message_after_which_all_are_complete(
    spark: SparkSession,
) -> None:
    sent = [(0, 1.0), (2_000, 0.9), (3_000, 1.0), (4_000, 0.8), (5_000, 1.0), (6_000, None)]
    assert judged(spark, [node("a", crashed_us=1_500)], *sent) == [
        ("a", "crash", 1_500, 5, 2, 2.5, 3.5)
    ]


def test_nothing_missed_takes_no_time_and_no_message_tells_nothing(spark: SparkSession) -> None:
    nodes = [node("a", joined_us=10), node("b", left_us=20), node("c", crashed_us=30)]
    assert judged(spark, nodes, (0, 1.0), (12, 1.0), (25, 0.5)) == [
        ("a", "join", 10, 1, 0, None, 0.0),
        ("b", "leave", 20, 1, 1, 0.005, None),
        ("c", "crash", 30, 0, 0, None, None),
    ]


def test_changes_at_one_time_are_judged_by_the_same_messages(spark: SparkSession) -> None:
    nodes = [node("a", crashed_us=10), node("b", crashed_us=10)]
    assert judged(spark, nodes, (0, 1.0), (10, 0.5), (20, 1.0)) == [
        (who, "crash", 10, 2, 1, 0.0, 0.01) for who in "ab"
    ]


def test_what_was_before_the_first_message_is_no_change_and_a_life_changes_once(
    spark: SparkSession,
) -> None:
    nodes = [
        node("a", joined_us=100),
        node("b", joined_us=101),
        node("b", joined_us=101, left_us=300),
        node("b", life=2, joined_us=400),
        node("c", run="without messages", joined_us=500),
    ]
    sent = spark.createDataFrame([("r", 100, 1.0), ("r", 900, 1.0)], SENT)
    assert [tuple(row.values()) for row in dicts(changes(frame(spark, "nodes", nodes), sent))] == [
        ("r", "b", "join", 101, 300),
        ("r", "b", "join", 400, None),
        ("r", "b", "leave", 300, 400),
    ]


def test_what_never_recovers_makes_the_mean_of_a_run_no_better(spark: SparkSession) -> None:
    rows = [
        ("r", 3, None, 0.0),
        ("r", 3, 1.0, 2.0),
        ("r", 2, 10.0, None),
        ("r", 0, None, None),
        ("q", 0, None, None),
    ]
    columns = "run string, messages long, missing_ms double, recovery_ms double"
    (found,) = dicts(run_recovery(spark.createDataFrame(rows, columns)))
    assert found == {"run": "r", "recovery_ms": 4.0, "recovered": 2 / 3, "unrecovered": 1}


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    def by(row: dict[str, object]) -> tuple[object, ...]:
        return tuple([row[name] for name in ("run", "node", "change", "at_us")])

    traces = random_traces(seeds)
    tables = together(traces).traces(spark)
    sent = [row for one in traces for row in metric_twins.messages(one)]
    rows_sent = [(row["run"], row["sent_us"], row["reliability_live"]) for row in sent]
    found = recovery(run_keys(tables.runs), tables.nodes, spark.createDataFrame(rows_sent, SENT))
    wanted = {by(row): row for one in traces for row in metric_twins.recovery(one)}
    rows = {by(row): row for row in dicts(found)}
    assert rows.keys() == wanted.keys()
    for key, row in wanted.items():
        assert {name: rows[key][name] for name in row} == row
