"""`run_metrics`: a row for each run, of what the other tables say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from pyspark.sql import SparkSession

from snowcast.pipeline.metric_tables import (
    DELIVERY_HISTOGRAM,
    KEYS,
    MESSAGE_METRICS,
    NODE_LOAD,
    RECOVERY,
    RUN_METRICS,
    TRAFFIC,
)
from snowcast.pipeline.metrics.keys import run_keys
from snowcast.pipeline.metrics.runs import run_messages, run_metrics
from support import metric_twins
from support.metric_frames import metric_frame
from support.trace_rows import (
    SEEDS,
    Trace,
    dicts,
    few_examples,
    frame,
    message,
    node,
    random_traces,
    run,
)

TABLES = {
    MESSAGE_METRICS: metric_twins.messages,
    DELIVERY_HISTOGRAM: metric_twins.histogram,
    NODE_LOAD: metric_twins.load,
    TRAFFIC: metric_twins.traffic,
    RECOVERY: metric_twins.recovery,
}
"""What `run_metrics` is made of, in the order of its arguments."""


def measured(spark: SparkSession, traces: list[Trace]) -> dict[str, dict[str, Any]]:
    """The rows, by run, from tables that plain Python has made."""
    keys = run_keys(frame(spark, "runs", [one.runs[0] for one in traces]))
    made = [
        metric_frame(spark, table, [row for one in traces for row in twin(one)])
        for table, twin in TABLES.items()
    ]
    return {row["run"]: row for row in dicts(run_metrics(keys, *made))}


@given(seeds=SEEDS)
@few_examples
def test_spark_and_plain_python_agree(spark: SparkSession, seeds: list[int]) -> None:
    traces = random_traces(seeds)
    found = measured(spark, traces)
    assert len(found) == len(traces)
    for one in traces:
        twin = metric_twins.runs(one)
        row = found[one.runs[0].run]
        assert twin.keys() == set(RUN_METRICS.names) - {key.name for key in KEYS}
        assert {name: row[name] for name in twin} == pytest.approx(twin, nan_ok=False)


def test_a_run_without_messages_has_a_row(spark: SparkSession) -> None:
    (row,) = measured(spark, [Trace([run()], [node("a")])]).values()
    assert list(row) == list(RUN_METRICS.names)
    has = {name for name, value in row.items() if value not in (0, None, "")}
    assert has == {"run", "scenario", "protocol", "nodes", "fanout", "is_virtual", "roster"}


def test_messages_without_a_metric_do_not_count_for_its_mean(spark: SparkSession) -> None:
    rows = [
        {"run": "r", "intended": 4, "delivered": 4, "reliability": 1.0, "ldt_ms": 10.0},
        {"run": "r", "intended": 4, "delivered": 0, "reliability": 0.0},
        {"run": "r", "intended": 0, "delivered": 0},
    ]
    rows[0] |= {"intended_live": 3, "delivered_live": 3, "reliability_live": 1.0}
    (found,) = dicts(run_messages(metric_frame(spark, MESSAGE_METRICS, rows)))
    assert (found["messages"], found["ldt_ms"], found["ldt_max_ms"]) == (3, 10.0, 10.0)
    assert (found["reliability"], found["reliability_min"]) == (0.5, 0.0)
    assert (found["reliability_live"], found["complete_live"]) == (1.0, 1.0)


def test_a_message_is_sent_and_nobody_is_there(spark: SparkSession) -> None:
    (row,) = measured(spark, [Trace([run()], [], [message()])]).values()
    assert (row["messages"], row["roster"], row["reliability"], row["load_spread"]) == (
        *(1, 0),
        *(None, None),
    )
