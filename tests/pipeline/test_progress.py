"""How far Spark is, told while it works."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.pipeline.progress import followed, onwards, tell_nobody


def test_tasks_are_told_while_they_are_done(spark: SparkSession, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    gate = tmp_path / "gate"

    def advance(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            gate.touch()

    def wait(batches):  # type: ignore[no-untyped-def]
        import time

        for batch in batches:
            while batch["id"][0].as_py() == 2 and not gate.exists():
                time.sleep(0.01)
            yield batch

    with followed(spark, advance, tasks=3):
        assert spark.range(0, 3, 1, 3).mapInArrow(wait, "id long").count() == 3
    assert (2, 3) in told
    assert told == sorted(told)


def test_stages_of_another_size_are_not_told(spark: SparkSession) -> None:
    told: list[tuple[int, int]] = []
    with followed(spark, lambda *at: told.append(at), tasks=99):
        spark.range(0, 5, 1, 2).count()
    assert told == []


def test_nobody_is_told_once_the_block_is_left(spark: SparkSession) -> None:
    with pytest.raises(ZeroDivisionError), followed(spark, tell_nobody):
        raise ZeroDivisionError


def test_steps_back_are_not_told() -> None:
    told: list[tuple[int, int]] = []
    tell = onwards(lambda *at: told.append(at))
    for done in (0, 1, 3, 0, 2, 3, 4):
        tell(done, 4)
    assert told == [(1, 4), (3, 4), (4, 4)]
