"""Watch as a whole: traces that grow, watches that are killed, and every message once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import monotonic

import msgspec
import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from snowcast.cli.main import main
from snowcast.pipeline.watch.state import Counts, place_of
from snowcast.trace.files import MANIFEST, TraceReader
from snowcast.trace.parquet import make_dataset
from snowcast.trace.schema import ArrivalRow, MessageRow
from support.hostile import hostile_trace

SCENARIO = """\
duration_s = 20
[cluster]
nodes = 12
[processing]
delay_ms = [10, 60]
[workload]
messages = 12
interval_ms = 1500
origin = "random"
[network]
"""
RUN = "wrong-standard-3"
WINDOW_US = 5_000_000
OPTIONS = ("--window-s", "5", "--wait-s", "3", "--band", "ldt_ms=0..55")
DEADLINE_S, POLL_S = 600, 0.02
WITHIN_MS = 2


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run with right clocks and with wrong ones."""
    place = tmp_path_factory.mktemp("traces")
    for name, skew_ms in (("right", 0), ("wrong", 50)):
        scenario = place / f"{name}.toml"
        scenario.write_text(f"{SCENARIO}clock_skew_ms = {skew_ms}\n")
        assert main(["sim", "run", str(scenario), "--seed", "3", "--out", str(place / name)]) == 0
    return place


def truth(trace: Path) -> dict[str, tuple[int, float]]:
    """The twin: of each message when it was sent and its LDT, with right clocks."""
    reader = TraceReader(trace)
    sent = {row.message: row.at_us for row in reader.rows(MessageRow)}
    last = dict(sent)
    for row in reader.rows(ArrivalRow):
        if row.kind == "data" and row.first and row.message is not None:
            last[row.message] = max(last[row.message], row.at_us)
    return {message: (at, (last[message] - at) / 1_000) for message, at in sent.items()}


class Growing:
    """A trace that is fed into a directory, as its agents would write it."""

    def __init__(self, trace: Path, place: Path, parts: int) -> None:
        self.place = place
        self._parts = parts
        self._files = {path.name: path.read_bytes() for path in trace.glob("*.jsonl")}
        place.mkdir()
        (place / MANIFEST).write_bytes((trace / MANIFEST).read_bytes())

    def grow(self, part: int) -> None:
        """One part more; the lines of runs and nodes come first, and some are cut in two."""
        for name, content in self._files.items():
            is_first = name.startswith(("runs", "nodes"))
            ends = [len(content) * n // self._parts for n in (part, part + 1)]
            if is_first:
                ends = [0, len(content)] if part == 0 else [0, 0]
            with (self.place / name).open("ab") as file:
                file.write(content[slice(*ends)])

    def end(self) -> None:
        """Somebody tells of a time long after: all windows are over."""
        late = ArrivalRow(run=RUN, node="a", sender="b", kind="x", at_us=90_000_000, bytes=1)
        with (self.place / "arrivals-00000.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(late) + b"\n")


def rows(out: Path, table: str) -> list[dict[str, object]]:
    """What a watch has written."""
    if not (out / table).exists():
        return []
    found = ds.dataset(out / table, format="parquet", partitioning="hive").to_table().to_pylist()
    return sorted(found, key=lambda row: (row["starts_us"], row["run"]))


def counts(out: Path) -> Counts:
    """What has been counted after the last batch."""
    last = max(path for path in (out / "state").iterdir() if path.name.isdecimal())
    return msgspec.json.decode((last / "counts.json").read_bytes(), type=Counts)


def check_all_is_counted_once(out: Path, traces: Path) -> None:
    wanted = truth(traces / "right")
    windows = [row for row in rows(out, "windows") if row["messages"]]
    assert len({(row["run"], row["starts_us"]) for row in windows}) == len(windows)
    told = {row["starts_us"]: row["messages"] for row in windows}
    # The offset of the clock in the middle is not known: no message is near the end of a window.
    assert told == Counter(at // WINDOW_US * WINDOW_US for at, _ in wanted.values())
    for row in windows:
        ldt = [ms for at, ms in wanted.values() if at // WINDOW_US * WINDOW_US == row["starts_us"]]
        assert row["ldt_ms"] == pytest.approx(sum(ldt) / len(ldt), abs=WITHIN_MS)
        assert row["ldt_max_ms"] == pytest.approx(max(ldt), abs=WITHIN_MS)
        assert (row["reliability"], row["intended"]) == (1.0, 11 * len(ldt))
    alerts = {row["starts_us"] for row in rows(out, "alerts")}
    assert 0 < len(alerts) < len(windows)
    assert alerts == {row["starts_us"] for row in windows if row["ldt_ms"] > 55}
    lines = [path.read_bytes().count(b"\n") for path in (traces / "wrong").glob("*.jsonl")]
    found = counts(out)
    assert found.rows == sum(lines) + 1
    assert (found.messages, found.late, found.rejects) == (12, 0, 0)


class Command:
    """`snowcast pipeline watch` as a process of its own."""

    def __init__(self, place: Path, out: Path) -> None:
        self.out = out
        words = ["pipeline", "watch", str(place), "--out", str(out), *OPTIONS]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "snowcast", *words, "--master", "local[2]", "--every-s", "0.1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_batch(self, number: int) -> None:
        begun = monotonic()
        while not place_of(self.out / "state", number).is_dir():
            assert self.process.poll() is None, self.process.communicate()
            assert monotonic() - begun < DEADLINE_S
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(POLL_S)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send it a signal; its status, and what it complained of."""
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, complaints


def test_a_watch_that_is_killed_and_started_again_counts_every_message_once(
    spark: SparkSession, traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, out = Growing(traces / "wrong", tmp_path / "live", parts=3), tmp_path / "out"
    live.grow(0)
    killed = Command(live.place, out)
    killed.wait_for_batch(0)  # its state is there, and Spark has not heard of that yet
    assert killed.end(signal.SIGKILL)[0] == -signal.SIGKILL
    live.grow(1)
    stopped = Command(live.place, out)
    stopped.wait_for_batch(1)
    assert stopped.end(signal.SIGINT) == (130, "")
    live.grow(2)
    live.end()
    words = ["pipeline", "watch", str(live.place), "--out", str(out), *OPTIONS, "--once"]
    capsys.readouterr()
    assert main(words) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("12 messages in ")
    check_all_is_counted_once(out, traces)

    assert main(words) == 0  # there is nothing new
    assert capsys.readouterr().out == ""
    assert main([*words[:-1], "--window-s", "4"]) == 2
    assert "is of a watch of other directories, windows or bands" in capsys.readouterr().err


def test_rows_that_come_after_their_window_was_closed_are_counted_as_late(
    spark: SparkSession, traces: Path, tmp_path: Path
) -> None:
    live, out = Growing(traces / "wrong", tmp_path / "live", parts=1), tmp_path / "out"
    names = ["messages-00000.jsonl", "arrivals-00000.jsonl"]
    kept = {name: live._files[name].splitlines(keepends=True) for name in names}
    message = next(line for line in kept[names[0]] if b'"at_us":4' in line)
    id = msgspec.json.decode(message)["message"].encode()
    late = [line for line in kept[names[1]] if b'"' + id + b'"' in line]
    live._files[names[0]] = b"".join(line for line in kept[names[0]] if line != message)
    live._files[names[1]] = b"".join(line for line in kept[names[1]] if line not in late)
    live.grow(0)
    live.end()
    words = ["pipeline", "watch", str(live.place), "--out", str(out), *OPTIONS, "--once"]
    assert main(words) == 0
    before = counts(out)
    assert (before.messages, before.late) == (11, 0)
    with (live.place / names[0]).open("ab") as file:
        file.write(message + b"garbage\n")
    with (live.place / names[1]).open("ab") as file:
        file.write(b"".join(late))
    assert main(words) == 0
    after = counts(out)
    assert (after.messages, after.late, after.rejects) == (11, 1 + len(late), 1)
    assert after.windows == before.windows
    (reject,) = ds.dataset(out / "rejects", format="parquet").to_table().to_pylist()
    assert (reject["reason"], reject["line"]) == ("not JSON", "garbage")


def test_no_line_whatever_is_in_it_stops_a_watch_nor_does_a_dataset_below(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = hostile_trace(tmp_path / "live" / "agent", seed=2, lines=60)
    make_dataset(tmp_path / "live" / "ingested")
    out = tmp_path / "out"
    words = ["pipeline", "watch", str(tmp_path / "live"), "--out", str(out), *OPTIONS, "--once"]
    assert main(words) == 0
    found = counts(out)
    assert found.rows + found.rejects == lines
    assert min(found.rows, found.rejects) > 0
