"""Reading and writing what the caller names."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from snowcast.cli.files import read_in, write_out
from snowcast.core.errors import UsageError


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    write_out("├─ 3\n", tmp_path / "plan.txt")
    assert read_in(tmp_path / "plan.txt").decode() == "├─ 3\n"


def test_stdout_is_utf_8(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_out("├─ 3\n")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == "├─ 3\n".encode()


def test_a_file_that_cannot_be_used_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_in(tmp_path / "absent")
    with pytest.raises(UsageError, match=r"plan\.txt: cannot be written: No such file"):
        write_out("", tmp_path / "absent" / "plan.txt")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_in(tmp_path)


def test_a_closed_stdout_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="stdout is closed"):
        write_out("")


def test_a_stdout_that_takes_only_a_part_at_a_time_gets_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow:
        def __init__(self) -> None:
            self.got = b""

        def write(self, data: memoryview) -> int:
            self.got += data[:3]
            return min(len(data), 3)

    slow = Slow()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=slow))
    write_out("all of it")
    assert slow.got == b"all of it"
