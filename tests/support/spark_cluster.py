"""A Spark cluster on loopback, from the installed wheel: a master and workers as processes."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from snowcast.pipeline.java import java_home

HERE = "127.0.0.1"
DEADLINE_S = 900
"""To give up after, on a machine however busy."""

SETTINGS = {
    "spark.driver.host": HERE,
    "spark.driver.bindAddress": HERE,
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
}
"""For small jobs whose driver is reached on loopback."""


class Daemon:
    """A master or a worker, with all that it starts, in a process group of its own."""

    def __init__(self, directory: Path, name: str, *words: str) -> None:
        self.log = directory / f"{name}.log"
        command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), *words]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                env=environment(),
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def told(self, pattern: str) -> re.Match[str]:
        """What it says, as soon as it does."""
        ends = time.monotonic() + DEADLINE_S
        while time.monotonic() < ends and self.process.poll() is None:
            found = re.search(pattern, self.log.read_text(errors="replace"))
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"no {pattern!r} in:\n{self.log.read_text(errors='replace')}")

    def kill(self) -> None:
        """As if its machine were switched off."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Cluster:
    """The master, and its workers in the order of their start."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.workers: list[Daemon] = []
        ports = ("--host", HERE, "--port", "0", "--webui-port", "0")
        self.master = Daemon(directory, "master", "org.apache.spark.deploy.master.Master", *ports)

    @property
    def url(self) -> str:
        """What `--master` takes."""
        return self.master.told(rf"spark://{HERE}:\d+")[0]

    def add_worker(self) -> Daemon:
        """One more, of one core. It may take a while to be ready."""
        name = f"worker-{len(self.workers)}"
        words = ["--host", HERE, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        words += ["--work-dir", str(self.directory / name), self.url]
        worker = Daemon(self.directory, name, "org.apache.spark.deploy.worker.Worker", *words)
        self.workers.append(worker)
        return worker

    def stop(self) -> None:
        """End all that was started."""
        for one in [*self.workers, self.master]:
            one.kill()


@contextmanager
def spark_cluster(directory: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster whose workers are all ready."""
    cluster = Cluster(directory)
    try:
        for worker in [cluster.add_worker() for _ in range(workers)]:
            worker.told("Successfully registered with master")
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def snowcast(url: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command of the pipeline whose jobs go to a cluster; ended with the block."""
    conf = [word for pair in SETTINGS.items() for word in ("--conf", "=".join(pair))]
    with subprocess.Popen(
        [sys.executable, "-m", "snowcast", "pipeline", *words, "--master", url, *conf],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    ) as command:
        try:
            yield command
        finally:
            command.kill()


def _end_with_parent() -> None:
    """Nothing is left of a cluster whose test was killed."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def environment() -> dict[str, str]:
    """What everybody of the cluster starts with."""
    return {
        **os.environ,
        "JAVA_HOME": str(java_home()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": HERE,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_NO_DAEMONIZE": "1",
    }
