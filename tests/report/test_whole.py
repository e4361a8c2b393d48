"""A report's directory: what may be replaced, by whom, and what is left when it goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.report.whole import REPORT, check_free, whole_report


def write(out: Path, text: str = "{}") -> None:
    with whole_report(out) as draft:
        (draft / REPORT).write_text(text)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_the_directory_one_stands_in_can_be_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report"
    out.mkdir()
    monkeypatch.chdir(out)
    write(Path())
    assert names(out) == [REPORT]
    assert names(tmp_path) == ["report"]


def test_where_no_directory_can_be_is_told_and_left_alone(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for out in (taken, taken / "below", taken / "far" / "below"):
        with pytest.raises(UsageError, match="a file, where a directory has to be"):
            write(out)
    assert taken.read_text() == "mine"
    with pytest.raises(UsageError, match="a directory of its own"):
        check_free(Path("/"))


def test_two_do_not_write_at_once(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with whole_report(out) as draft:
        (draft / REPORT).write_text("first")
        with pytest.raises(UsageError, match="somebody is writing there"):
            write(out, "second")
        assert not out.exists()
    assert (out / REPORT).read_text() == "first"
    write(out, "third")
    assert (out / REPORT).read_text() == "third"
    assert names(tmp_path) == ["report"]


def test_what_a_killed_writer_left_goes_into_no_report(tmp_path: Path) -> None:
    left = tmp_path / ".report.part"
    left.mkdir()
    (left / "half.svg").touch()
    write(tmp_path / "report")
    assert names(tmp_path / "report") == [REPORT]


def test_a_report_is_back_if_the_next_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report"
    write(out, "old")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == ".report.part":
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="no"):
        write(out, "new")
    assert (out / REPORT).read_text() == "old"
    assert names(tmp_path) == ["report"]


def test_a_report_is_found_again_that_was_moved_aside_when_its_writer_was_killed(
    tmp_path: Path,
) -> None:
    out = tmp_path / "report"
    write(out, "old")
    out.rename(tmp_path / ".report.before")
    with pytest.raises(KeyError), whole_report(out):
        raise KeyError
    assert (out / REPORT).read_text() == "old"
    assert names(tmp_path) == ["report"]
