"""Directories that are there as a whole or not at all, with one writer at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.pipeline.whole import check_free, one_writer, whole_directory


def names(directory: Path) -> list[str]:
    return sorted([path.name for path in directory.iterdir()])


def test_a_directory_is_there_after_the_block_and_nothing_else(tmp_path: Path) -> None:
    with whole_directory(tmp_path / "a" / "out") as draft:
        (draft / "x").touch()
        assert not (tmp_path / "a" / "out").exists()
    assert names(tmp_path / "a") == ["out"]
    assert names(tmp_path / "a" / "out") == ["x"]


def test_after_a_failure_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_directory(tmp_path / "out") as draft:
        ((draft / "x").touch(), (draft / "y").unlink())
    assert names(tmp_path) == []


def test_an_empty_directory_may_be_there_and_anything_else_may_not(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    check_free(tmp_path / "out")
    with whole_directory(tmp_path / "out") as draft:
        (draft / "x").touch()
    for place in (tmp_path / "out", tmp_path / "out" / "x"):
        with pytest.raises(UsageError, match="there is something already"), whole_directory(place):
            pass
    assert names(tmp_path / "out") == ["x"]


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    with whole_directory(tmp_path / "out"):
        again = whole_directory(tmp_path / "out")
        with pytest.raises(UsageError, match="somebody is writing there"), again:
            pass
        with whole_directory(tmp_path / "other"):
            pass
    assert names(tmp_path) == ["other", "out"]


def test_what_a_killed_writer_has_left_is_cleared_away(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from snowcast.pipeline.whole import whole_directory\n"
        "with whole_directory(Path(sys.argv[1])) as draft:\n"
        "    (draft / 'left').touch(); os._exit(9)\n"
    )
    place = str(tmp_path / "out")
    assert subprocess.run([sys.executable, "-c", code, place], check=False).returncode == 9
    assert names(tmp_path) == [".out.draft", ".out.lock"]
    with whole_directory(tmp_path / "out"):
        pass
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == []


def test_a_lock_is_gone_with_the_block(tmp_path: Path) -> None:
    for _ in range(2):
        with one_writer(tmp_path / "lock"):
            assert names(tmp_path) == ["lock"]
        assert names(tmp_path) == []
