"""The repository as the rules see it: its files, and what is wrong at which line."""

import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FOLDERS = ("src", "tests", "bench", "tools", "examples")
NEVER_OURS = {"build", "dist", "__pycache__"}


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that a rule objects to. `path` is relative to the root, `line` starts at 1."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


Rule = Callable[[str, str], Iterable[Problem]]
"""A rule takes a path and the text of the file, so that a test can hand it a bad snippet."""


def complain(problems: Iterable[Problem]) -> None:
    """Fail with one line a problem; do nothing if there is none."""
    found = sorted(problems)
    if found:
        heading = f"{len(found)} against the rules of this repository (CONTRIBUTING.md):"
        pytest.fail("\n".join([heading, *map(str, found)]), pytrace=False)


def files(root: Path = ROOT) -> list[str]:
    """Every file that is, or could be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True)
        paths: Iterable[str] = filter(None, listed.stdout.split("\0"))
    except (OSError, subprocess.CalledProcessError):
        paths = _walk(root)
    return sorted({path for path in paths if (root / path).is_file()})


def python_files() -> list[str]:
    """Our Python, wherever it stands."""
    return [path for path in files() if path.endswith(".py") and _folder(path) in PYTHON_FOLDERS]


def source_files() -> list[str]:
    """The package."""
    return [path for path in python_files() if path.startswith("src/snowcast/")]


def check(rule: Rule, paths: Iterable[str]) -> None:
    """Hold `rule` against each of the files."""
    complain(problem for path in paths for problem in rule(path, read(path)))


def read(path: str) -> str:
    """The text of a file of ours."""
    return (ROOT / path).read_text(encoding="utf-8")


def _folder(path: str) -> str:
    return path.split("/", 1)[0]


def _walk(root: Path) -> Iterator[str]:
    """Without git: everything but hidden folders and what is known to be made."""
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in parts[:-1])
        if not hidden and not NEVER_OURS.intersection(parts) and path.suffix != ".pyc":
            yield path.relative_to(root).as_posix()
