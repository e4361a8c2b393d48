"""What is open between two batches, on disk: a directory for each of the last batches.

    state/00000012/runs, nodes, ...     the tables after batch 12
    state/00000012/counts.json          what has been counted since the beginning

Rules of this file:
- The state of a batch is there as a whole or not at all, and after all else that the batch writes.
- A batch that was broken off is done again, from the state before it. So that one stays until
  Spark has told that the batch is over: by beginning the next.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from snowcast.pipeline.clocks.estimate import CLOCKS
from snowcast.pipeline.reading import spark_path
from snowcast.pipeline.schemas import schema_of
from snowcast.trace.files import write_whole

COUNTS = "counts.json"
PROBE_COLUMNS = ("run", "node", "peer", "at_us", "rtt_us", "offset_us")


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What has been counted since the beginning."""

    rows: int = 0
    """Lines that were taken."""
    rejects: int = 0
    late: int = 0
    messages: int = 0
    """In windows that were closed."""
    windows: int = 0
    alerts: int = 0


@dataclass(frozen=True)
class State:
    """What is open. `messages`, `arrivals`, `nodes` and `probes` are as they came."""

    runs: DataFrame
    nodes: DataFrame
    seen: DataFrame
    messages: DataFrame
    arrivals: DataFrame
    probes: DataFrame
    clocks: DataFrame
    counts: Counts


def read_state(spark: SparkSession, root: Path, batch: int) -> State:
    """The state after a batch; before the first one nothing is open."""
    place = place_of(root, batch)
    if batch >= 0 and not place.is_dir():
        raise FileNotFoundError(f"{place}: the state before this batch is not there")

    def table(name: str) -> DataFrame:
        schema = _SCHEMAS[name]
        if batch < 0:
            return spark.createDataFrame([], schema)
        return spark.read.schema(schema).parquet(spark_path(place / name))

    counts = Counts()
    if batch >= 0:
        counts = msgspec.json.decode((place / COUNTS).read_bytes(), type=Counts)
    return State(**{name: table(name) for name in _SCHEMAS}, counts=counts)


def write_counts(draft: Path, counts: Counts) -> None:
    """Beside the tables of a state."""
    write_whole(draft / COUNTS, msgspec.json.encode(counts).decode())


def put_state(root: Path, batch: int, draft: Path) -> None:
    """Make a draft the state after a batch, and forget the states that nobody can ask for."""
    place = place_of(root, batch)
    put(draft, place)
    for old in root.iterdir():
        if old.name.isdecimal() and int(old.name) < batch - 1:
            shutil.rmtree(old)


def put(draft: Path, place: Path) -> None:
    """Move a directory to its place; what a broken batch has left there is replaced."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    draft.rename(place)


def place_of(root: Path, batch: int) -> Path:
    """Where the state after a batch is."""
    return root / f"{batch:08}"


_SCHEMAS: dict[str, str | T.StructType] = {
    "runs": "run string, newest_us bigint, before_us bigint, closed_us bigint",
    "nodes": schema_of("nodes"),
    "seen": "run string, node string, seen_us bigint",
    "messages": schema_of("messages"),
    "arrivals": schema_of("arrivals"),
    "probes": T.StructType([schema_of("probes")[name] for name in PROBE_COLUMNS]),
    "clocks": CLOCKS,
}
