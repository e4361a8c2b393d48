"""What no file of the repository may be or hold, whatever its kind."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tidy.repository import Problem

FILE_BYTES_MAX = 1_000_000
NOT_WRITTEN_HERE = ("paper/",)
"""Kept as published: only size and name are looked at."""

NEVER_COMMITTED = re.compile(
    r"(^|/)(uv\.lock|pylock.*\.toml|package-lock\.json|\.env)$|\.(pem|key)$"
)

# Spelled so that this file holds none of them itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
MERGE_MARK = re.compile(r"^(<{7}|>{7}|\|{7})( |$)|^={7}$")
REGISTRY = re.compile(r"py" r"pi\.org|python" r"hosted\.org|registry\.npm" r"js\.org")


def unwanted(path: str, content: bytes) -> Iterator[Problem]:
    """Files that are too large, or of a kind that is made or secret."""
    if len(content) > FILE_BYTES_MAX:
        yield Problem(
            path, 1, f"{len(content)} bytes, over {FILE_BYTES_MAX}: make it, or shrink it"
        )
    if NEVER_COMMITTED.search(path):
        yield Problem(path, 1, "a lock file or a secret: never part of the repository")


def untidy(path: str, content: bytes) -> Iterator[Problem]:
    """Lines that an editor or a merge left behind, and the names of package registries."""
    text = _as_text(content)
    if text is None or path.startswith(NOT_WRITTEN_HERE):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line != line.rstrip():
            yield Problem(path, number, "white space at the end of the line")
        if MERGE_MARK.search(line):
            yield Problem(path, number, "a mark left by a merge")
        if host := REGISTRY.search(line):
            yield Problem(path, number, f"names a registry ({host[0]}): people configure theirs")
    if text and not text.endswith("\n"):
        yield Problem(path, text.count("\n") + 1, "no newline at the end of the file")
    elif text.endswith("\n\n"):
        yield Problem(path, text.count("\n"), "an empty line at the end of the file")


def unfinished(path: str, content: bytes) -> Iterator[Problem]:
    """Marks of work put off, where people read: an issue is the place for those."""
    text = _as_text(content)
    if text is None or PurePosixPath(path).parts[0] not in ("src", "tests", "docs"):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if mark := UNFINISHED.search(line):
            yield Problem(path, number, f"{mark[0]}: do it, or open an issue")


def _as_text(content: bytes) -> str | None:
    """The text of a file, or None if it is no text."""
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None
