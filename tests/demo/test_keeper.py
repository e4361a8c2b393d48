"""Whatever ends a process, what it had not finished is gone; what it had stays."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snowcast.demo.keeper import Keeper, clear

PROGRAM = """
import sys, time
from pathlib import Path
from snowcast.demo.keeper import Keeper
draft = Path(sys.argv[1])
with Keeper(draft):
    (draft / "deep").mkdir(parents=True)
    (draft / "deep" / "file").write_text("half")
    print("made", flush=True)
    time.sleep(600)
"""


def test_what_is_not_released_is_cleared_away_and_the_rest_stays(tmp_path: Path) -> None:
    draft = tmp_path / "draft"
    with Keeper(draft):
        draft.mkdir()
        (draft / "file").touch()
    assert not draft.exists()
    with Keeper(draft) as keeper:
        draft.mkdir()
        keeper.release()
    assert draft.is_dir()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_whoever_is_killed_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    draft = tmp_path / "draft"
    command = [sys.executable, "-c", PROGRAM, str(draft)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made\n"
        process.send_signal(number)
        process.wait()
    while draft.exists():
        time.sleep(0.01)


def test_a_place_that_was_never_made_is_nothing_to_clear(tmp_path: Path) -> None:
    clear(tmp_path / "never")
    assert not list(tmp_path.iterdir())
