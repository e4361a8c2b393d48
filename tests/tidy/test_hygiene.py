"""The rules on all files can fail; the bad words are put together so that this file is clean."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tidy.hygiene import FILE_BYTES_MAX, unfinished, untidy, unwanted
from tidy.repository import ROOT, Problem, complain, files


def test_a_large_file_is_found() -> None:
    assert list(unwanted("a.svg", b"x" * FILE_BYTES_MAX)) == []
    assert list(unwanted("a.svg", b"x" * (FILE_BYTES_MAX + 1)))


@pytest.mark.parametrize("path", ["uv.lock", "web/package-lock.json", "deploy/tls.key", ".env"])
def test_lock_files_and_secrets_are_found(path: str) -> None:
    assert list(unwanted(path, b""))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("fine\nnot fine \n", 2),
        ("fine\r\n", 1),
        ("tab at the end\t\n", 1),
        ("a\n" + "<" * 7 + " ours\n", 2),
        ("a\n" + "=" * 7 + "\nb\n", 2),
        ("a\n" + ">" * 7 + " theirs\n", 2),
        ("a\nb", 2),
        ("a\n\n", 2),
        ("see https://py" + "pi.org/simple\n", 1),
    ],
)
def test_what_an_editor_or_a_merge_left_behind_is_found(text: str, line: int) -> None:
    assert [problem.line for problem in untidy("a.txt", text.encode())] == [line]


@pytest.mark.parametrize("content", [b"", b"a\n", b"\x89PNG\0 \n\n", b"\xff \n"])
def test_clean_text_and_what_is_no_text_are_fine(content: bytes) -> None:
    assert list(untidy("a", content)) == []


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_work_put_off_is_found_where_people_read(mark: str) -> None:
    text = f"x = 1\n# {mark}: later\n".encode()
    assert [problem.line for problem in unfinished("src/snowcast/core/ring.py", text)] == [2]
    assert list(unfinished("paper/snow.tex", text)) == []
    assert list(unfinished("docs/A.md", b"TODOS, XXXL")) == []


def test_without_git_the_folder_itself_is_read(tmp_path: Path) -> None:
    for name in (".ci/run", ".venv/x.py", "build/x.svg", "src/a.py", "src/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert files(tmp_path) == [".ci/run", "src/a.py"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_with_git_a_new_file_is_looked_at_before_it_is_committed(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in ("new.py", "ignored.log", ".gitignore"):
        (tmp_path / name).write_text("*.log\n")
    assert files(tmp_path) == [".gitignore", "new.py"]


def test_the_files_of_this_repository_are_found() -> None:
    assert {"Makefile", "pyproject.toml", "tests/tidy/test_hygiene.py"} <= set(files(ROOT))


def test_a_failure_names_the_file_and_the_line() -> None:
    complain([])
    with pytest.raises(pytest.fail.Exception, match=r"\na\.py:1: one\nb\.py:2: two"):
        complain([Problem("b.py", 2, "two"), Problem("a.py", 1, "one")])
