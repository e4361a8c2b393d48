"""Watch: the query over growing traces, from what is new in them to windows on disk and on show.

    windows/batch=12/       the windows that batch 12 has closed, as `fold` has them
    alerts/batch=12/        those of them that are out of a band
    rejects/batch=12/       lines that could not be taken
    state/00000012/         what is open after batch 12
    checkpoint/             how far Spark has read the files
    watch.json              what was asked for: a directory is for one watch

Rules of this file:
- Exactly once: which lines a batch has is in the checkpoint, and all that it writes is in its own
  directories. A batch that was killed in the middle is done again, and gives the same.
- What passes the driver are the windows that a batch has closed, and counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from logging import NullHandler, getLogger
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import Any

import msgspec
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from snowcast.core.errors import UsageError
from snowcast.pipeline.ingest.landing import rejects_of
from snowcast.pipeline.reading import spark_path
from snowcast.pipeline.watch.bands import Band, alerts
from snowcast.pipeline.watch.fold import ASIDE, fold
from snowcast.pipeline.watch.source import landed_stream
from snowcast.pipeline.watch.state import (
    Counts,
    put,
    put_state,
    read_state,
    write_counts,
)
from snowcast.pipeline.whole import one_writer
from snowcast.trace.files import write_whole

ASKED, LOCK = "watch.json", ".lock"
WINDOWS, ALERTS, REJECTS = "windows", "alerts", "rejects"
DRAFT = ".draft-"
"""A name of its own for each: who was killed may have left somebody at work in the one before."""

POLL_S = 0.25

Rows = list[dict[str, Any]]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a watch is to do; the same each time it is started again."""

    places: tuple[str, ...]
    window_us: int
    wait_us: int
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Batch:
    """What a batch has closed, and what has been counted since the beginning."""

    number: int
    windows: Rows
    alerts: Rows
    counts: Counts


Show = Callable[[Batch], None]


def asked(places: Iterable[Path], window_s: float, wait_s: float, bands: Sequence[Band]) -> Asked:
    """What a watch is to do, from what a user gives."""
    if window_s <= 0 or wait_s < 0:
        raise UsageError("--window-s must be above 0, --wait-s 0 or more")
    return Asked(
        places=tuple([str(place.resolve()) for place in places]),
        window_us=round(window_s * 1_000_000),
        wait_us=round(wait_s * 1_000_000),
        bands=tuple(bands),
    )


def watch(
    spark: SparkSession,
    what: Asked,
    out: Path,
    show: Show,
    *,
    every_s: float = 2.0,
    once: bool = False,
) -> None:
    """Follow traces for ever; with `once`, until all that is there has been read."""
    getLogger("py4j").addHandler(NullHandler())  # what breaks a batch is raised where it ends
    out = out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with one_writer(out / LOCK):
        _check_asked(out / ASKED, what)
        for left in out.glob(f"{DRAFT}*"):  # of a watch that was killed
            shutil.rmtree(left, ignore_errors=True)
        job = _Job(spark, what, out, show)
        stream = landed_stream(spark, [Path(place) for place in what.places])
        writer = stream.writeStream.foreachBatch(job.on_batch).option(
            "checkpointLocation", f"file://{out / 'checkpoint'}"
        )
        if once:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{round(every_s * 1000)} milliseconds")
        _run(writer.start())


class _Job:
    """What is done with each batch."""

    def __init__(self, spark: SparkSession, what: Asked, out: Path, show: Show) -> None:
        self._spark = spark
        self._what = what
        self._out = out
        self._show = show

    def on_batch(self, landed: DataFrame, number: int) -> None:
        """Fold a batch into the state before it, and put what comes of it on disk and on show."""
        spark, what = landed.sparkSession, self._what
        draft = Path(mkdtemp(prefix=DRAFT, dir=self._out))
        state = read_state(spark, self._out / "state", number - 1)
        landed = landed.persist()

        def keep(name: str, rows: DataFrame) -> DataFrame:
            place = spark_path(draft / name)
            rows.write.parquet(place)
            return spark.read.schema(rows.schema).parquet(place)

        try:
            lines = {
                row["table"]: row["count"] for row in landed.groupBy("table").count().collect()
            }
            folded = fold(state, landed, keep, what.window_us, what.wait_us)
            closed, alarms = [], []
            if folded.windows is not None:
                closed = _dicts(folded.windows.orderBy("starts_us", "run"))
                if what.bands:
                    alarms = _dicts(keep(ALERTS, alerts(folded.windows, what.bands)))
            if REJECTS in lines:
                keep(REJECTS, rejects_of(landed))
        finally:
            landed.unpersist()
        before = state.counts
        rejects = lines.pop(REJECTS, 0)
        counts = Counts(
            rows=before.rows + sum(lines.values()),
            rejects=before.rejects + rejects,
            late=before.late + folded.late,
            messages=before.messages + sum(row["messages"] for row in closed),
            windows=before.windows + len(closed),
            alerts=before.alerts + len(alarms),
        )
        write_counts(draft, counts)
        shutil.rmtree(draft / ASIDE, ignore_errors=True)
        for name in (WINDOWS, ALERTS, REJECTS):
            place = self._out / name / f"batch={number}"
            shutil.rmtree(place, ignore_errors=True)
            if (draft / name).is_dir():
                put(draft / name, place)
        put_state(self._out / "state", number, draft)
        self._show(Batch(number, closed, alarms, counts))


def _run(query: StreamingQuery) -> None:
    """Wait for the end; whatever ends the wait ends the query too.

    Threads of their own talk to the JVM: a signal that breaks off such a call is told on stderr.
    """
    failed: list[BaseException] = []

    def wait() -> None:
        try:
            query.awaitTermination()
        except (PySparkException, Py4JError, OSError) as error:
            failed.append(error)

    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    try:
        while waiting.is_alive():
            waiting.join(POLL_S)
    except BaseException:
        stopping = Thread(target=_stop, args=(query,))
        stopping.start()
        stopping.join()
        raise
    if failed:
        raise failed[0]


def _stop(query: StreamingQuery) -> None:
    with suppress(PySparkException, Py4JError, OSError):
        query.stop()


def _check_asked(path: Path, what: Asked) -> None:
    """A directory holds one watch: windows of two lengths would count messages twice."""
    if not path.exists():
        write_whole(path, msgspec.json.encode(what).decode() + "\n")
        return
    before = msgspec.json.decode(path.read_bytes(), type=Asked)
    if before != what:
        raise UsageError(f"{path.parent} is of a watch of other directories, windows or bands")


def _dicts(rows: DataFrame) -> Rows:
    return [row.asDict() for row in rows.collect()]
