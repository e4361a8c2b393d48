"""The pipeline: metrics of 100 million arrivals beside DuckDB, and a sweep on one core and on two.

The arrivals are those of the paper's stable scenario under many seeds, by kernel. They are kept in
build/, so that only the first time takes long. `SNOWCAST_BENCH_MARRIVALS=5` measures with 5
million.
DuckDB computes the tables that cost most, from the same files, with two threads; what it finds has
to be what we found. Time is that of a process from its start to its end, memory the most that it
and its JVM were seen to hold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb

from bench.harness import Row, in_turns
from bench.queries import QUERIES, differences
from snowcast.pipeline.grid import grid
from snowcast.pipeline.metric_tables import METRIC_TABLES

ROOT = Path(__file__).resolve().parent.parent
MILLIONS = float(os.environ.get("SNOWCAST_BENCH_MARRIVALS", "100"))
A_RUN = 99_800  # 100 messages, two frames each to all nodes but the origin
RUNS = max(1, round(MILLIONS * 1e6 / A_RUN))
MEMORY_MIB_MAX = 2_048
ROUNDS = 3
CELLS = 24
SPEED_UP_MIN = 1.7
POLL_S = 0.05
PROGRAM_ADDRESSES = slice(23, 26)
"""Where its code begins and ends and its stack begins, in /proc/PID/stat after the name."""

SWEEP_SECONDS = """
import sys, tempfile, time
from pathlib import Path
from snowcast.pipeline.grid import grid
from snowcast.pipeline.session import open_session
from snowcast.pipeline.sweep import sweep
cores, cells = int(sys.argv[1]), int(sys.argv[2])
with open_session(master=f"local[{cores}]") as spark, tempfile.TemporaryDirectory() as out:
    sweep(spark, grid(["stable"], range(cores), nodes=[50]), Path(out))  # Python starts
    begun = time.perf_counter()
    swept = sweep(spark, grid(["stable"], range(cells), nodes=[200]), Path(out))
    assert swept.computed == cells, swept.failures
    print(time.perf_counter() - begun)
"""


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    yield from _metrics_rows()
    yield _speed_up_row()


def resident_bytes(pids: Iterable[int]) -> int:
    """What they hold together; pages that several processes share are shared out among them.

    A child that is about to become another program has its parent's memory for its own until then,
    and is told all of it again: it is known by the addresses, which differ between programs.
    """
    found: dict[tuple[str, ...], int] = {}
    for pid in pids:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        held = sum([int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")])
        addresses = tuple(stat[PROGRAM_ADDRESSES])
        found[addresses] = max(held, found.get(addresses, 0))
    return sum(found.values())


def _metrics_rows() -> Iterator[Row]:
    data = _arrivals()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as made:
        ours, theirs = Path(made) / "ours", Path(made) / "duckdb"
        words = ["-m", "snowcast", "pipeline", "metrics", str(data), "--out", str(ours)]
        seconds, mib = _measured([*words, "--master", "local[2]"])
        their_seconds, their_mib = _measured(["-m", "bench.pipeline", str(data), str(theirs)])
        wrong = differences(ours, theirs)
        assert not wrong, f"the tables differ: {wrong}"
    what = f"metrics of {RUNS * A_RUN / 1e6:.3g} million arrivals, 2 cores"
    rival = f"DuckDB, {len(QUERIES)} tables of {len(METRIC_TABLES)}"
    yield Row(what, seconds, unit="s", rival=rival, rival_measured=their_seconds)
    yield Row(f"{what}: memory of the driver", mib, MEMORY_MIB_MAX, "MiB")
    yield Row("the same, DuckDB: memory", their_mib, unit="MiB")


def _speed_up_row() -> Row:
    def seconds(cores: int) -> float:
        command = [sys.executable, "-c", SWEEP_SECONDS, str(cores), str(CELLS)]
        return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    found = in_turns({"1": lambda: seconds(1), "2": lambda: seconds(2)}, ROUNDS)
    what = f"sweep of {CELLS} runs, n=200: from 1 core to 2"
    return Row(what, found["1"] / found["2"], SPEED_UP_MIN, "x", at_least=True)


def _arrivals() -> Path:
    """A dataset of so many runs, made once, and again when the scenario or snowcast changes."""
    (cell,) = grid(["stable"], [0], protocols=["coloring"], kernel_from=0)
    out = ROOT / "build" / f"bench-{RUNS}-runs-{cell.name.rpartition('.')[2]}"
    words = ["-m", "snowcast", "pipeline", "sweep", "stable", "--protocols", "coloring"]
    more = ["--kernel", "--seeds", f"0..{RUNS}", "--out", str(out)]
    subprocess.run([sys.executable, *words, *more], check=True, stdout=sys.stderr)
    return out


def _measured(words: Sequence[str]) -> tuple[float, float]:
    """Run Python with these words; how many seconds it takes, and MiB at the most."""
    begun, most = time.perf_counter(), 0
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=told, stderr=told)
        while process.poll() is None:
            most = max(most, resident_bytes(_family(process.pid)))
            time.sleep(POLL_S)
        seconds = time.perf_counter() - begun
        told.seek(0)
        assert process.returncode == 0, told.read().decode()
    return seconds, most / (1 << 20)


def _family(pid: int) -> Iterator[int]:
    """A process and all below it, but Spark's workers in Python: they are not the driver's."""
    try:
        if b"pyspark.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return
        yield pid
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))
    except OSError:  # it has ended
        return


def _query(data: Path, out: Path) -> None:
    """DuckDB's share: a process of its own."""
    with duckdb.connect() as database:
        database.execute("SET threads = 2")
        database.execute(f"SET temp_directory = '{out}.spill'")
        for table in ("runs", "nodes", "messages", "arrivals"):
            files = str(data / table / "*.parquet")
            database.execute(f"CREATE VIEW {table} AS FROM read_parquet('{files}')")
        for name, query in QUERIES.items():
            (out / name).mkdir(parents=True)
            place = out / name / "0.parquet"
            database.execute(f"COPY ({query}) TO '{place}' (FORMAT parquet, COMPRESSION zstd)")
    shutil.rmtree(f"{out}.spill", ignore_errors=True)


if __name__ == "__main__":
    _query(Path(sys.argv[1]), Path(sys.argv[2]))
