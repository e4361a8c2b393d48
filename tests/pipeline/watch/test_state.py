"""The state between batches: whole or not at all, and there for a batch that is done again."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.pipeline.reading import spark_path
from snowcast.pipeline.schemas import schema_of
from snowcast.pipeline.watch.state import (
    Counts,
    State,
    place_of,
    put,
    put_state,
    read_state,
    write_counts,
)

TABLES = ("runs", "nodes", "seen", "messages", "arrivals", "probes", "clocks")


def draft_of(state: State, place: Path, counts: Counts) -> Path:
    for name in TABLES:
        getattr(state, name).write.parquet(spark_path(place / name))
    write_counts(place, counts)
    return place


def test_before_the_first_batch_nothing_is_open(spark: SparkSession, tmp_path: Path) -> None:
    state = read_state(spark, tmp_path, -1)
    assert all(getattr(state, name).isEmpty() for name in TABLES)
    assert state.counts == Counts()
    assert state.arrivals.columns == schema_of("arrivals").names


def test_a_state_comes_back_and_so_does_the_one_before_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    root, empty = tmp_path / "state", read_state(spark, tmp_path, -1)
    for batch in range(3):
        draft = draft_of(empty, tmp_path / "draft", Counts(messages=batch))
        put_state(root, batch, draft)
    assert sorted(path.name for path in root.iterdir()) == ["00000001", "00000002"]
    assert [read_state(spark, root, batch).counts.messages for batch in (1, 2)] == [1, 2]
    with pytest.raises(FileNotFoundError, match="the state before this batch is not there"):
        read_state(spark, root, 0)


def test_what_a_broken_batch_has_left_is_replaced(tmp_path: Path) -> None:
    for text in ("old", "new"):
        (tmp_path / "draft").mkdir()
        (tmp_path / "draft" / text).write_text(text)
        put(tmp_path / "draft", place_of(tmp_path, 4))
    assert [path.name for path in (tmp_path / "00000004").iterdir()] == ["new"]
