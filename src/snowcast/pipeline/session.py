"""The only place that starts Spark, and stops it.

On one machine by default, on all its cores. A master takes it to a cluster, and under
`spark-submit` what that was given holds. The settings are those measured to be good for the
pipeline's work, and a caller may overrule any of them.

Rules of this file:
- What Spark and the JVM have to say goes to a file, which is named when something fails and
  removed when all went well.
- However the work ends, by SIGINT and SIGTERM too, its jobs are cancelled and Spark is stopped.
  A call to the JVM that a signal breaks off leaves its thread's connection unusable, and py4j
  then waits for the answer all the same: so jobs are cancelled by a thread of its own, and what
  the broken connection goes on to raise is not what is told.
- Who has a session already, in a notebook or a test, keeps it: it is used, and left running.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, current_thread, main_thread
from time import sleep
from typing import Any, NoReturn

import pyspark
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from snowcast.core.errors import SnowcastError, UsageError
from snowcast.pipeline.java import java_home
from snowcast.pipeline.package import write_package_zip

HERE = "local[*]"
SETTLE_S_MAX = 20.0
SETTLE_POLL_S = 0.05
CANCEL_EVERY_S = 0.25

SETTINGS = {
    # In local mode the driver does all the work: big tables are to fit into 2 GiB resident.
    "spark.driver.memory": "1400m",
    "spark.driver.maxResultSize": "256m",  # rows do not pass the driver
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    # Arrays of a message's times are collected by hashing, not by sorting the rows of a table.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "20000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""For every session; measured on two cores."""

LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Where nobody else has to reach the driver."""


class SparkFailed(SnowcastError, OSError):
    """A job of Spark has failed. What it had written under its final name is whole."""


@contextmanager
def open_session(
    app: str = "snowcast",
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """A Spark session for as long as the block lasts; UsageError, in one line, if none starts."""
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    log = Path(tempfile.mkstemp(prefix="snowcast-spark-", suffix=".log")[1])
    with tempfile.TemporaryDirectory(prefix="snowcast-") as made, _signals_raise() as signals:
        spark = _start(app, master, settings or {}, log, Path(made), signals)
        try:
            yield spark
            signals.check()
        except (PySparkException, Py4JError) as error:
            signals.check()
            raise SparkFailed(f"{_gist(error)}; see {log}") from error
        except BaseException:
            log.unlink(missing_ok=True)
            signals.check()
            raise
        else:
            log.unlink(missing_ok=True)
        finally:
            _stop(spark)
            if signals.raised is not None:
                log.unlink(missing_ok=True)


@contextmanager
def settled(spark: SparkSession) -> Iterator[None]:
    """If the block fails or is broken off, what it has begun is over before that goes on.

    For those who clear away what jobs were writing: a task that is cancelled takes a while to end.
    """
    try:
        yield
    except BaseException:
        _in_a_thread(lambda: _settle(spark))
        raise


def is_local(master: str) -> bool:
    """Whether threads of the driver do all the work."""
    return master == "local" or master.startswith("local[")


def _start(
    app: str,
    master: str | None,
    settings: Mapping[str, str],
    log: Path,
    made: Path,
    signals: _Signals,
) -> SparkSession:
    is_submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    wanted = {**SETTINGS, **settings, "spark.app.name": app}
    if master is not None or not is_submitted:
        wanted["spark.master"] = master or HERE
        if is_local(wanted["spark.master"]):
            wanted = {**LOCAL_SETTINGS, **wanted}
    try:
        if is_submitted:
            SparkContext._ensure_initialized()
        else:
            _prepare_environment(wanted["spark.master"], made)
            _launch(wanted, log)
        conf = SparkConf()
        for key, value in wanted.items():
            if key in settings or key == "spark.master" or not is_submitted:
                conf.set(key, value)
            else:  # what spark-submit was given goes before what we think is good
                conf.setIfMissing(key, value)
        spark = SparkSession.builder.config(conf=conf).getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        told = log.read_text(encoding="utf-8", errors="replace")  # why a JVM has ended is there
        why = _telling(told) or _gist(error)
        raise UsageError(f"Spark does not start: {why}; see {log}") from None
    context = spark.sparkContext
    _hush(context)
    signals.listen(spark)  # again: the context has put a handler of its own there
    if not is_local(str(context.master)):
        context.addPyFile(str(write_package_zip(made)))
    return spark


def _hush(context: SparkContext) -> None:
    """Let the thread that hears of accumulators say nothing when a signal has ended the JVM too.

    Whoever needs the JVM is told; this thread would print a page of where it was.
    """
    server = context._accumulatorServer
    tell = server.handle_error

    def handle_error(request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError | ConnectionError):
            tell(request, client_address)

    server.handle_error = handle_error  # type: ignore[method-assign]


def _launch(settings: Mapping[str, str], log: Path) -> None:
    """Start the JVM, unless this process has one from an earlier session."""
    if SparkContext._gateway is not None:
        return
    conf = SparkConf(loadDefaults=False)
    for key, value in settings.items():
        conf.set(key, value)
    with log.open("ab") as told:
        quiet = {"stdout": told, "stderr": told}
        gateway = launch_gateway(conf, popen_kwargs=quiet)  # type: ignore[no-untyped-call]
    SparkContext._ensure_initialized(gateway=gateway)


def _prepare_environment(master: str, made: Path) -> None:
    """What the launcher and Spark take from the environment."""
    os.environ["JAVA_HOME"] = str(java_home())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if is_local(master) or master.startswith("local-cluster"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if master.startswith("local-cluster"):
        # Its workers work below SPARK_HOME, which is not ours to write to.
        home = made / "spark-home"
        home.mkdir()
        for entry in Path(pyspark.__file__).parent.iterdir():
            (home / entry.name).symlink_to(entry)
        os.environ["SPARK_HOME"] = str(home)


def _stop(spark: SparkSession) -> None:
    """Cancel what is under way, and stop."""

    def work() -> None:
        spark.sparkContext.cancelAllJobs()
        spark.stop()

    _in_a_thread(work)


def _settle(spark: SparkSession) -> None:
    """Cancel what is under way, and wait until no task is at work; not for ever."""
    spark.sparkContext.cancelAllJobs()
    store = spark.sparkContext._jsc.sc().statusStore()
    for _ in range(int(SETTLE_S_MAX / SETTLE_POLL_S)):
        executors = store.executorList(True)
        if all(executors.apply(at).activeTasks() == 0 for at in range(executors.size())):
            return
        sleep(SETTLE_POLL_S)


def _in_a_thread(work: Callable[[], None]) -> None:
    """Talk to the JVM over a connection of its own, and wait; it may be gone already."""

    def quietly() -> None:
        with suppress(PySparkException, Py4JError, OSError):
            work()

    thread = Thread(target=quietly)
    thread.start()
    thread.join()


class _Signals:
    """SIGINT and SIGTERM end the work alike, as exceptions; the first one is kept."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self._spark: SparkSession | None = None

    def listen(self, spark: SparkSession | None = None) -> None:
        """Take the signals, and cancel the jobs of `spark` when one comes."""
        self._spark = spark
        if current_thread() is main_thread():
            signal.signal(signal.SIGINT, self._on_signal)
            signal.signal(signal.SIGTERM, self._on_signal)

    def check(self) -> None:
        """Raise what a signal asked for, if one has come."""
        if self.raised is not None:
            raise self.raised from None

    def _on_signal(self, number: int, frame: object) -> NoReturn:
        is_interrupt = number == signal.SIGINT
        wanted = KeyboardInterrupt() if is_interrupt else SystemExit(128 + number)
        self.raised = self.raised or wanted
        if self._spark is not None:
            Thread(target=_cancel, args=(self._spark,), daemon=True).start()
        raise wanted


def _cancel(spark: SparkSession) -> None:
    """Until Spark is stopped: a job that was on its way when the signal came begins afterwards."""
    with suppress(PySparkException, Py4JError, OSError):
        while spark.sparkContext._jsc is not None:
            spark.sparkContext.cancelAllJobs()
            sleep(CANCEL_EVERY_S)


@contextmanager
def _signals_raise() -> Iterator[_Signals]:
    """Signals end the block, so that what has to be undone is; then all is as before."""
    signals = _Signals()
    if current_thread() is not main_thread():
        yield signals
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signals.listen()
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _gist(error: BaseException) -> str:
    """The line of an error that says what is wrong: Java's come with a page of where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return _telling(str(error)) or (lines or [type(error).__name__])[0]


def _telling(text: str) -> str:
    """The first line that names what was thrown, from there on; empty if none does."""
    for line in text.splitlines():
        for kind in ("Exception: ", "Error: "):
            if kind in line:
                return line.partition(kind)[2].strip() or line.strip()
    return ""
