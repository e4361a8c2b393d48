"""A real cluster, a master and two workers: the same rows as here, also when a worker is lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen
from typing import Any

import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from snowcast.pipeline.cells import simulate
from snowcast.pipeline.grid import grid
from snowcast.pipeline.measure import write_metrics
from snowcast.pipeline.metric_tables import METRIC_TABLES
from snowcast.pipeline.reading import read_traces
from snowcast.trace.parquet import names_of_runs, writing
from support.datasets import content
from support.spark_cluster import (
    DEADLINE_S,
    SETTINGS,
    Cluster,
    environment,
    snowcast,
    spark_cluster,
)

SEEDS = 6
SCENARIO = """\
quiet_s = 2
protocol = "coloring"
[cluster]
nodes = 60
[network]
latency = "uniform"
latency_ms = [1, 40]
[workload]
messages = 5
origin = "random"
mode = "protocol"
reliable = true
"""

WHERE = """\
import json, sys
import pyarrow as pa
from snowcast.pipeline.session import open_session

def where(batches):
    import snowcast
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"file": [snowcast.__file__]})

with open_session(master=sys.argv[1], settings=json.loads(sys.argv[2])) as spark:
    print(spark.range(0, 1, 1, 1).mapInArrow(where, "file string").collect()[0].file)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with spark_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def done(command: Popen[str]) -> str:
    """What a command that goes well has said."""
    told, _ = command.communicate(timeout=DEADLINE_S)
    assert command.returncode == 0, told
    return told


def wait_until(condition: Callable[[], bool], command: Popen[str]) -> None:
    """Wait for what a command does on the way."""
    while not condition():
        assert command.poll() is None, command.communicate()[0]
        time.sleep(0.02)


def tables_of(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """All metrics, each table sorted by what comes first in it."""
    found = {}
    for name in METRIC_TABLES:
        rows = ds.dataset(directory / name, format="parquet").to_table().to_pylist()
        found[name] = sorted(rows, key=lambda row: [str(value) for value in exact(row).values()])
    return found


def exact(row: dict[str, Any]) -> dict[str, Any]:
    """What has to be the same bit for bit: all but sums of reals, whose order is nobody's."""
    return {name: value for name, value in row.items() if not isinstance(value, float)}


def test_a_cluster_gives_what_one_process_gives_though_it_loses_a_worker_in_every_job(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    scenario = tmp_path / "some.toml"
    scenario.write_text(SCENARIO)
    protocols, here, there = ["coloring", "standard"], tmp_path / "here", tmp_path / "there"
    cells = grid([str(scenario)], range(SEEDS), protocols=protocols)
    for cell in cells:
        with writing(here, cell.name) as writer:
            simulate(cell, writer)

    words = ["--protocols", ",".join(protocols), "--seeds", f"0..{SEEDS}", "--out", str(there)]
    with snowcast(cluster.url, "sweep", str(scenario), *words) as command:
        for worker in cluster.workers:
            worker.told("Asked to launch executor")
        wait_until(lambda: (there / "runs").is_dir() and bool(names_of_runs(there)), command)
        cluster.workers[0].kill()
        assert done(command) == f"12 runs in {there}: 12 computed, 0 there already, 0 failed\n"
    assert content(there) == content(here)

    cluster.add_worker().told("Successfully registered with master")
    write_metrics(spark, read_traces(spark, [there]), tmp_path / "tables-here")
    out, draft = tmp_path / "tables-there", tmp_path / ".tables-there.draft"
    with snowcast(cluster.url, "metrics", str(there), "--out", str(out)) as command:
        cluster.workers[2].told("Asked to launch executor")
        wait_until((draft / "tallies" / "_SUCCESS").exists, command)
        cluster.workers[1].kill()
        assert done(command) == f"{len(METRIC_TABLES)} tables in {out}\n"
    wanted, found = tables_of(tmp_path / "tables-here"), tables_of(out)
    for name, rows in wanted.items():
        assert len(found[name]) == len(rows), name
        assert rows or name == "recovery"
        for row, same in zip(found[name], rows, strict=True):
            assert exact(row) == exact(same), name
            assert row == pytest.approx(same), name


def test_a_cluster_runs_the_code_of_the_driver(cluster: Cluster) -> None:
    command = [sys.executable, "-c", WHERE, cluster.url, json.dumps(SETTINGS)]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=DEADLINE_S, env=environment()
    )
    assert found.returncode == 0, found.stderr
    assert re.fullmatch(r".*/snowcast-[^/]*\.zip/snowcast/__init__\.py\n", found.stdout)
