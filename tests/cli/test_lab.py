"""`snowcast lab` from the outside: what it prints, what it refuses, and how it is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from snowcast.cli.main import main

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
    line = r"standard, 6 real nodes in 1 processes: 3 messages, \d+ deliveries, 0 steps skipped"
    assert re.match(line, capsys.readouterr().out)


def test_mistakes_are_one_line(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "run", scenario, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("exists already\n")
    out = str(tmp_path / "new")
    assert main(["lab", "run", scenario, "--protocol", "carrier-pigeon", "--out", out]) == 2
    assert "no protocol 'carrier-pigeon'" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_process_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "long.toml"
    path.write_text(SMALL.replace("0.5", "600"))
    out = tmp_path / "out"
    command = ["lab", "run", str(path), "--processes", "2", "--out", str(out)]
    lab = subprocess.Popen([sys.executable, "-m", "snowcast", *command])
    tasks = Path(f"/proc/{lab.pid}/task/{lab.pid}/children")
    while len(workers := tasks.read_text().split()) < 2 or not _parts(tmp_path):
        assert lab.poll() is None
    lab.send_signal(number)
    assert lab.wait() == 130
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert [child.name for child in tmp_path.iterdir()] == ["long.toml"]
    with pytest.raises(ProcessLookupError):
        os.kill(lab.pid, 0)


def _parts(directory: Path) -> list[Path]:
    """What the run has recorded so far."""
    return list(directory.glob("out.part/*/arrivals-*.jsonl"))
