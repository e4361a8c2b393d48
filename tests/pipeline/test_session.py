"""The session: who has one keeps it, nothing goes on after the end, and mistakes are one line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from snowcast.pipeline.session import is_local, open_session, settled

DEADLINE_S = 600


def test_who_has_a_session_keeps_it(spark: SparkSession) -> None:
    with open_session() as again:
        assert again is spark
    assert spark.range(3).count() == 3


def test_what_a_failed_block_has_begun_is_over_when_that_goes_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    begun, ended = tmp_path / "begun", []

    def wait(batches: Any) -> Any:
        begun.touch()
        time.sleep(DEADLINE_S)
        yield from batches

    def job() -> None:
        try:
            spark.range(0, 1, 1, 1).mapInArrow(wait, "id long").collect()
        except (PySparkException, Py4JError):
            ended.append("cancelled")

    thread = Thread(target=job)
    thread.start()
    while not begun.exists():
        time.sleep(0.02)
    with pytest.raises(ZeroDivisionError), settled(spark):
        raise ZeroDivisionError
    thread.join(DEADLINE_S)
    assert ended == ["cancelled"]


@pytest.mark.parametrize("error", [EOFError(), ConnectionResetError(), ValueError("told")])
def test_pyspark_prints_nothing_of_its_own_when_the_jvm_is_gone(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    try:
        raise error
    except (OSError, EOFError, ValueError):
        spark.sparkContext._accumulatorServer.handle_error(b"", "")
    assert ("told" in capsys.readouterr().err) == isinstance(error, ValueError)


def test_only_threads_of_the_driver_are_local() -> None:
    assert [is_local(master) for master in ("local", "local[2]", "local[*]")] == [True] * 3
    assert [is_local(m) for m in ("spark://h:7077", "local-cluster[2,1,1024]")] == [False] * 2


@pytest.mark.parametrize(
    ("words", "environ", "complaint"),
    [
        ([], {"JAVA_HOME": "/none"}, "JAVA_HOME is /none, and there is no Java of 17 or later"),
        (["--conf", "x=1"], {}, "--conf: expected spark.key=value, not 'x=1'"),
        (["--master", "nonsense"], {}, "Spark does not start: Master must either be yarn or"),
        (["--conf", "spark.driver.memory=1k"], {}, "Spark does not start: "),
    ],
)
def test_a_spark_that_does_not_start_is_one_line_and_status_2(
    words: list[str], environ: dict[str, str], complaint: str, tmp_path: Path
) -> None:
    command = ["pipeline", "sweep", "smoke", "--seeds", "1", "--out", str(tmp_path / "out")]
    found = subprocess.run(
        [sys.executable, "-m", "snowcast", *command, *words],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        env={**os.environ, "TMPDIR": str(tmp_path), **environ},
    )
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("snowcast pipeline sweep: " + complaint)
    assert found.stderr.count("\n") == 1
