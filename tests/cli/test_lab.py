"""`snowcast lab` from the outside: what it prints, what it refuses, and how it is stopped."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import RunRow
from support.lab import needs_namespaces

SMALL = """
quiet_s = 0.5
[cluster]
nodes = 6
[workload]
messages = 3
interval_ms = 100
start_s = 0.2
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def test_a_run_says_what_happened_and_where_the_traces_are(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["lab", "run", scenario, "--messages", "2", "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["messages"], told["skipped"], told["nodes"]) == (2, 0, 6)
    assert [path.name for path in out.iterdir()] == ["process-0"]

    assert main(["lab", "run", scenario, "--out", str(tmp_path / "again")]) == 0
    line = r"standard, 6 real nodes in 1 process: 3 messages, \d+ deliveries, 0 steps skipped"
    assert re.match(line, capsys.readouterr().out)


def test_mistakes_are_one_line(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "run", scenario, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("exists already\n")
    out = str(tmp_path / "new")
    assert main(["lab", "run", scenario, "--protocol", "carrier-pigeon", "--out", out]) == 2
    assert "no protocol 'carrier-pigeon'" in capsys.readouterr().err


def test_a_sweep_is_run_variant_by_variant_and_other_values_are_taken(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(scenario)
    path.write_text(path.read_text() + "[sweep]\ncluster.fanout = [2, 4]\n")
    out = tmp_path / "out"
    command = ["lab", "run", scenario, "--set", "cluster.nodes=3", "--out", str(out), "--json"]
    assert main(command) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["nodes"] for one in told] == [3, 3]
    assert sorted(path.name for path in out.iterdir()) == ["cluster.fanout=2", "cluster.fanout=4"]
    (row,) = TraceReader(out / "cluster.fanout=2" / "process-0").rows(RunRow)
    assert (row.variant, row.fanout) == ("cluster.fanout=2", 2)


def test_a_process_that_fails_is_one_line(
    scenario: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "uvloop.py").write_text("raise SystemExit('not today')")
    assert main(["lab", "run", scenario, "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == "snowcast lab run: process 0 has failed: not today\n"


MOMENTS = ("begun", "started", "under way")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whenever_a_run_is_stopped_it_leaves_no_process_and_no_trace(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    lab, workers = _stop(tmp_path, number, ["--processes", "2"], moment)
    # Before it has begun to listen for signals, a process ends of them in the way of all.
    ends = {-number} if number == signal.SIGKILL else {130}
    assert lab.returncode in (ends | {-number} if moment == "begun" else ends)
    assert _gone(workers)
    assert [child.name for child in tmp_path.iterdir()] == ["long.toml"]


@needs_namespaces
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_whenever_a_run_in_namespaces_is_stopped_it_leaves_none(
    tmp_path: Path, number: signal.Signals
) -> None:
    _, workers = _stop(tmp_path, number, ["--namespaces"], "under way")
    assert _gone(workers)
    assert [child.name for child in tmp_path.iterdir()] == ["long.toml"]


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_can_be_stopped_at_any_of_many_moments(
    tmp_path: Path, number: signal.Signals
) -> None:
    for step in range(40):
        folder = tmp_path / str(step)
        folder.mkdir()
        _, workers = _stop(folder, number, ["--processes", "2"], 0.05 * step)
        assert _gone(workers)
        assert [child.name for child in folder.iterdir()] == ["long.toml"], step


def _stop(
    folder: Path, number: signal.Signals, options: list[str], moment: str | float
) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a long run, stop it at a moment, and wait for its end; the processes it had."""
    path = folder / "long.toml"
    path.write_text(SMALL.replace("0.5", "600"))
    command = ["lab", "run", str(path), *options, "--out", str(folder / "out")]
    lab = subprocess.Popen([sys.executable, "-m", "snowcast", *command])
    tasks = Path(f"/proc/{lab.pid}/task/{lab.pid}/children")
    if isinstance(moment, float):
        time.sleep(moment)
    while moment in ("started", "under way") and len(tasks.read_text().split()) < 2:
        assert lab.poll() is None
    while moment == "under way" and not list(folder.glob("out.part/*/arrivals-*.jsonl")):
        assert lab.poll() is None
    workers = [int(pid) for pid in tasks.read_text().split()] if lab.poll() is None else []
    lab.send_signal(number)
    lab.wait()
    return lab, workers


def _gone(pids: list[int]) -> bool:
    """Wait until these processes have ended; what is told to nobody ends by itself."""
    while any(map(_runs, pids)):
        time.sleep(0.01)
    return True


def _runs(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False
