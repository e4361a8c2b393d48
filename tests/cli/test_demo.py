"""`snowcast demo` from the outside: what it refuses, and what is left of it when it is stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snowcast.cli.main import main


def test_a_directory_with_something_else_in_it_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").touch()
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"snowcast demo: {tmp_path}: not empty, and no demo: give a directory of its own\n"
    )


def test_without_the_pipeline_it_plays_and_leaves_traces_in_place_of_older_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "demo"
    (out / "traces" / "process-0").mkdir(parents=True)
    (out / "report").mkdir()
    assert main(["demo", "--no-pipeline", "--pace", "0.1", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "The end" in told
    assert f"Traces in {out}/traces" in told
    assert [path.name for path in out.iterdir()] == ["traces"]
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("moment", ["begun", "started", "under way"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whenever_it_is_stopped_it_leaves_no_process_and_no_file(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    _stopped_leaves_nothing(tmp_path, number, moment, [])


@pytest.mark.soak
@pytest.mark.parametrize("moment", ["ingest", "metrics", "report"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whenever_the_pipeline_is_stopped_it_leaves_no_process_and_no_file(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    _stopped_leaves_nothing(tmp_path, number, moment, ["--pace", "0.1"])


SEEN = {
    "begun": "",
    "started": ".demo.*/traces/process-*",
    "under way": ".demo.*/traces/process-*/nodes-*.jsonl",
    "ingest": ".demo.*/runs/.real.draft",
    "metrics": ".demo.*/metrics/.real.draft",
    "report": ".demo.*/.report.part",
}
"""By what one can see that the moment has come."""


def _stopped_leaves_nothing(
    folder: Path, number: signal.Signals, moment: str, options: list[str]
) -> None:
    command = [sys.executable, "-m", "snowcast", "demo", "--out", str(folder / "demo"), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as demo:
        while SEEN[moment] and not list(folder.glob(SEEN[moment])):
            assert demo.poll() is None
            time.sleep(0.005)
        begun = _descendants(demo.pid)
        demo.send_signal(number)
        status = demo.wait()
    while any(map(_runs, begun)):  # what is told to nobody ends by itself
        time.sleep(0.01)
    while list(folder.iterdir()):
        time.sleep(0.01)
    assert status in (130, 128 + number, -number)


def _descendants(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    own = [int(child) for child in text.split()]
    return own + [below for child in own for below in _descendants(child)]


def _runs(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False
