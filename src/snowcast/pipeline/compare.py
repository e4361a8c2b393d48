"""`summary`, `message_summary` and `comparisons`: what runs that differ in their seed say together.

Rules of this file:
- One group is one cell, and passes a worker as one Arrow table: it is small, and the bootstrap is
  linear algebra that Spark's columns cannot express.
- Protocols are paired by seed: under one seed all meet the same delays, stragglers and faults.
- What was simulated and what was real are two cells, and are never averaged.
- No two runs of a cell have the same seed: `metrics.keys.check_seeds` has refused them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from snowcast.pipeline.bootstrap import Intervals, Reals, intervals
from snowcast.pipeline.metric_tables import (
    CELL,
    COMPARISONS,
    MESSAGE_SUMMARY,
    MESSAGE_SUMMARY_METRICS,
    SHARES,
    SUMMARY,
    SUMMARY_METRICS,
    MetricTable,
)

CELL_NAMES = tuple([column.name for column in CELL])
PLACE = tuple([name for name in CELL_NAMES if name != "protocol"])
"""What protocols have in common that are compared."""

_ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}

Key = tuple[Any, ...]
Columns = dict[str, Sequence[Any]]


def summary(run_metrics: DataFrame) -> DataFrame:
    """Each metric of each cell over its runs."""
    return _by_group(run_metrics, CELL_NAMES, SUMMARY_METRICS, ("run",), SUMMARY, summarize)


def message_summary(message_metrics: DataFrame) -> DataFrame:
    """Each metric of the first, second, ... message of each cell over its runs."""
    return _by_group(
        message_metrics,
        CELL_NAMES,
        MESSAGE_SUMMARY_METRICS,
        ("run", "number"),
        MESSAGE_SUMMARY,
        summarize_messages,
    )


def comparisons(run_metrics: DataFrame) -> DataFrame:
    """Each two protocols that were run in the same setting, by seed."""
    seeded = run_metrics.where("seed IS NOT NULL")
    return _by_group(
        seeded, PLACE, SUMMARY_METRICS, ("run", "protocol", "seed"), COMPARISONS, compare
    )


def summarize(key: Key, rows: pa.Table) -> Columns:
    """One cell: a row for each metric that some run has."""
    values = _matrix(rows.sort_by("run"), SUMMARY_METRICS)
    found = intervals(values, _name(key))
    return {"metric": SUMMARY_METRICS, **_interval_columns(found, SUMMARY_METRICS)}


def summarize_messages(key: Key, rows: pa.Table) -> Columns:
    """One cell: a row for each place and metric."""
    runs, which_run = np.unique(rows["run"].to_pylist(), return_inverse=True)
    number = rows["number"].to_numpy()
    size = int(number.max()) + 1
    values = np.full((len(runs), size, len(MESSAGE_SUMMARY_METRICS)), np.nan)
    values[which_run, number] = _matrix(rows, MESSAGE_SUMMARY_METRICS)
    found = intervals(values.reshape(len(runs), -1), _name(key))
    return {
        "number": np.repeat(np.arange(size), len(MESSAGE_SUMMARY_METRICS)).tolist(),
        "metric": list(MESSAGE_SUMMARY_METRICS) * size,
        **_interval_columns(found, MESSAGE_SUMMARY_METRICS),
    }


def compare(key: Key, rows: pa.Table) -> Columns:
    """One setting: a row for each two protocols and metric, over the seeds that both have."""
    rows = rows.sort_by([("protocol", "ascending"), ("seed", "ascending"), ("run", "ascending")])
    protocols, seeds = rows["protocol"].to_pylist(), rows["seed"].to_pylist()
    values = _matrix(rows, SUMMARY_METRICS)
    of: dict[str, dict[int, Reals]] = {}
    for protocol, seed, metrics in zip(protocols, seeds, values, strict=True):
        assert seed not in of.setdefault(protocol, {}), f"two runs of {key} under seed {seed}"
        of[protocol][seed] = metrics
    found: Columns = {name: [] for name in COMPARISONS.names if name not in PLACE}
    for one, other in combinations(of, 2):
        both = sorted(of[one].keys() & of[other].keys())
        if both:
            ours = np.array([of[one][seed] for seed in both])
            theirs = np.array([of[other][seed] for seed in both])
            for name, column in _compared(_name((*key, one, other)), ours, theirs).items():
                found[name] += list(column)  # type: ignore[operator]
            found["protocol"] += [one] * len(SUMMARY_METRICS)  # type: ignore[operator]
            found["against"] += [other] * len(SUMMARY_METRICS)  # type: ignore[operator]
    return found


def _compared(name: str, ours: Reals, theirs: Reals) -> Columns:
    """Two protocols; a seed under which one lacks a metric does not count for either."""
    difference = ours - theirs
    is_paired = ~np.isnan(difference)
    found = intervals(difference, name)
    return {
        "metric": SUMMARY_METRICS,
        "seeds": found.runs.tolist(),
        "mean": intervals(np.where(is_paired, ours, np.nan), name).mean.tolist(),
        "mean_against": intervals(np.where(is_paired, theirs, np.nan), name).mean.tolist(),
        "difference": found.mean.tolist(),
        "low": _told(found.low),
        "high": _told(found.high),
        "lower": (difference < 0).sum(axis=0).tolist(),
        "equal": (difference == 0).sum(axis=0).tolist(),
    }


def _by_group(
    rows: DataFrame,
    keys: Sequence[str],
    metrics: Sequence[str],
    also: Sequence[str],
    table: MetricTable,
    make: Callable[[Key, pa.Table], Columns],
) -> DataFrame:
    """What `make` says of each group, as rows of `table`; a metric that no run has is left out."""
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in table.columns])

    def work(key: tuple[pa.Scalar, ...], group: pa.Table) -> pa.Table:
        values = tuple([scalar.as_py() for scalar in key])
        made = make(values, group)
        count = len(made["metric"])
        columns: Columns = {
            **{name: [value] * count for name, value in zip(keys, values, strict=True)},
            **made,
        }
        whole = pa.table({field.name: columns[field.name] for field in schema}, schema=schema)
        return whole.filter(pa.compute.field("seeds") > 0)

    ddl = ", ".join([f"{column.name} {column.type}" for column in table.columns])
    narrow = rows.select(*dict.fromkeys([*keys, *also, *metrics]))
    return narrow.groupBy(*keys).applyInArrow(work, schema=ddl)


def _matrix(rows: pa.Table, metrics: Sequence[str]) -> Reals:
    """The metrics as numbers, a row for each run; nulls as NaN."""
    columns = [rows[name].cast(pa.float64()).to_numpy() for name in metrics]
    return np.column_stack(columns)


def _interval_columns(found: Intervals, metrics: Sequence[str]) -> Columns:
    """The columns of `found`, which is about these metrics over and over."""
    is_share = np.resize([metric in SHARES for metric in metrics], len(found.mean))
    low, high = [np.where(is_share, end.clip(0, 1), end) for end in (found.low, found.high)]
    return {
        "seeds": found.runs.tolist(),
        "mean": found.mean.tolist(),
        "median": found.median.tolist(),
        "low": _told(low),
        "high": _told(high),
    }


def _told(column: Reals) -> list[float | None]:
    """What is not known as null."""
    return [None if np.isnan(value) else float(value) for value in column]


def _name(key: Key) -> str:
    return "/".join([str(part) for part in key])
