"""How far Spark is, asked every now and then while it works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

EVERY_S = 0.25

Advance = Callable[[int, int], None]
"""Told how much is done, and how much there is."""


def tell_nobody(done: int, total: int) -> None:
    """For those who want to hear of no progress."""


def onwards(advance: Advance) -> Advance:
    """Tells of steps onwards only: each stage of a job begins at nothing again."""
    most = 0

    def tell(done: int, total: int) -> None:
        nonlocal most
        if done > most:
            most = done
            advance(done, total)

    return tell


@contextmanager
def followed(spark: SparkSession, advance: Advance, tasks: int | None = None) -> Iterator[None]:
    """Tell `advance` of the tasks of the stage that is at work during the block.

    With `tasks` only stages of so many tasks count: where a task is a unit of the caller's.
    """
    tracker = spark.sparkContext.statusTracker()
    is_over = Event()

    def look() -> None:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None and tasks in (None, info.numTasks):
                advance(info.numCompletedTasks, info.numTasks)

    def keep_looking() -> None:
        while not is_over.wait(EVERY_S):
            with suppress(Py4JError, OSError):  # the session may be about to end
                look()

    thread = Thread(target=keep_looking, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
