"""How long things may be, that every module says what it is, and that every module has its test."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from tidy.repository import Problem

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

NOT_ROOMS = {"faults", "known_answers", "paper", "promises", "support", "tidy", "transcripts"}
"""Folders of tests that do not mirror a folder of src/snowcast."""


def long_file(path: str, text: str) -> Iterator[Problem]:
    """A file that should be two."""
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        yield Problem(path, FILE_LINES_MAX + 1, f"{lines} lines, over {FILE_LINES_MAX}: split it")


def long_functions(path: str, text: str) -> Iterator[Problem]:
    """Functions that do not fit a screen, from `def` to the last line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                message = f"{node.name} has {lines} lines, over {FUNCTION_LINES_MAX}: split it"
                yield Problem(path, node.lineno, message)


def long_lines(path: str, text: str) -> Iterator[Problem]:
    """Wide prose. In Markdown, what cannot be broken may be wide: tables, links and code."""
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        opened = re.match(r"\s*(```+|~~~+)", line)
        if path.endswith(".md") and opened:
            fence = "" if fence and opened[1].startswith(fence) else fence or opened[1]
            continue
        free = "://" in line or (path.endswith(".md") and (fence or _cannot_be_broken(line)))
        if len(line) > COLUMNS_MAX and not free:
            yield Problem(path, number, f"{len(line)} columns, over {COLUMNS_MAX}")


def _cannot_be_broken(line: str) -> bool:
    table = line.lstrip().startswith("|")
    code = line.startswith("    ")
    link = re.search(r"\]\(|\]: ", line)
    return bool(table or code or link)


def missing_docstring(path: str, text: str) -> Iterator[Problem]:
    """A module that does not say what it is."""
    if not ast.get_docstring(ast.parse(text)):
        yield Problem(path, 1, "no docstring: say what this module is and what its rules are")


def unmirrored(paths: Iterable[str]) -> Iterator[Problem]:
    """Source files without a test file of their name, and test files without a source.

    src/snowcast/core/ring.py has tests/core/test_ring.py. Where that would grow too long, it may
    have more than one: tests/core/test_ring_order.py belongs to it too.
    """
    paths = set(paths)
    sources = {path for path in paths if _is_source_of_a_room(path)}
    rooms = {PurePosixPath(path).parts[2] for path in sources}
    for source in sources - {path for test in paths for path in _sources_of(test)}:
        wanted = _test_of(source)
        yield Problem(source, 1, f"no test: write {wanted}")
    for test in paths:
        parts = PurePosixPath(test).parts
        mirrors = len(parts) > 2 and parts[0] == "tests" and parts[1] not in NOT_ROOMS
        if not mirrors or not parts[-1].startswith("test_"):
            continue
        if not sources.intersection(_sources_of(test)):
            where = "src/snowcast/" + "/".join(parts[1:-1])
            rename = "name it after one, or add its folder to NOT_ROOMS"
            seen = "no such folder" if parts[1] not in rooms else "no source of this name"
            yield Problem(test, 1, f"{seen} in {where}: {rename}")


def _is_source_of_a_room(path: str) -> bool:
    parts = PurePosixPath(path).parts
    special = parts[-1] in ("__init__.py", "__main__.py")
    inside = parts[:2] == ("src", "snowcast") and len(parts) > 3
    return inside and path.endswith(".py") and not special


def _test_of(source: str) -> str:
    path = PurePosixPath(source)
    return str(PurePosixPath("tests", *path.parts[2:-1], f"test_{path.name}"))


def _sources_of(test: str) -> Iterator[str]:
    """Every source this test may belong to: test_ring_order.py to ring_order.py and to ring.py."""
    path = PurePosixPath(test)
    if path.parts[0] != "tests" or not path.name.startswith("test_"):
        return
    words = path.stem.removeprefix("test_").split("_")
    for count in range(1, len(words) + 1):
        name = "_".join(words[:count]) + ".py"
        yield str(PurePosixPath("src", "snowcast", *path.parts[1:-1], name))
