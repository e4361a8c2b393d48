"""Which files there are to read: the parts of all traces in and below some directories.

Agents write a directory each below one that they share, and whoever collects traces from many
machines has directories in directories. All of them are found.

Rules of this file:
- Every file of lines is found, also where it stands in no trace, or in one of a version that this
  code does not know. Then it says why its lines cannot be taken, and they are set aside.
- The same places give the same sources, in the same order.
- Where traces grow, files come and go, and somebody may ingest into a folder among them. Datasets
  are passed over there, and what has gone while it was looked at is not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from snowcast.core.errors import UsageError
from snowcast.trace.files import MANIFEST, TraceError, check_manifest
from snowcast.trace.schema import TABLES

SUFFIX = ".jsonl"
NO_TRACE, OTHER_VERSION, NO_TABLE = "no trace", "another version", "no table"
"""Why the lines of a file are not taken: its directory, its version or its name."""


@dataclass(frozen=True)
class Source:
    """A file of lines, with its size when it was looked at."""

    path: Path
    table: str
    size: int
    problem: str = ""
    """Why its lines cannot be taken; empty if they can."""


class NothingYet(UsageError):
    """There is no directory, or no trace in it. There may be one later."""


def find_sources(places: Iterable[Path], *, are_growing: bool = False) -> list[Source]:
    """The files of all traces in these directories; UsageError if one of these has none."""
    found: dict[Path, Source] = {}
    for place in dict.fromkeys(path.resolve() for path in places):
        sources = _of(place, are_growing)
        found |= {source.path: source for source in sources}
    return [found[path] for path in sorted(found)]


def table_of(name: str) -> str | None:
    """The table that a file of this name is a part of; None if it is none."""
    stem, _, number = name.removesuffix(SUFFIX).rpartition("-")
    is_part = name.endswith(SUFFIX) and stem in TABLES and number.isdecimal()
    return stem if is_part else None


def part_number(name: str) -> int:
    """The place of a part among those of its table."""
    return int(name.removesuffix(SUFFIX).rpartition("-")[2])


def _of(place: Path, is_growing: bool) -> list[Source]:
    if not place.is_dir():
        raise NothingYet(f"{place}: no such directory")
    found: list[Source] = []
    problems, is_readable = [], False
    for root, folders, names in os.walk(place, followlinks=False):
        folders.sort()
        directory = Path(root)
        lines = sorted(name for name in names if name.endswith(SUFFIX))
        if not lines and MANIFEST not in names:
            continue
        problem = _problem_of(directory)
        if _is_dataset(directory, problem):
            if is_growing and directory != place:
                folders.clear()
                continue
            raise UsageError(f"{directory} is a dataset already: `pipeline metrics` reads it")
        if problem is not None:
            problems.append(str(problem[1]))
        # Lines of another version stay that, so a watch tells of them; a manifest may yet come.
        is_readable |= problem is None or (is_growing and problem[0] == OTHER_VERSION)
        for name in lines:
            with suppress(*([FileNotFoundError] if is_growing else [])):
                found.append(_source(directory / name, problem and problem[0]))
    if not is_readable:
        raise NothingYet(problems[0] if problems else f"{place} is no trace: it has no {MANIFEST}")
    return found


def _problem_of(directory: Path) -> tuple[str, TraceError] | None:
    """Why a directory with lines in it is no trace that can be read, and in how many words."""
    try:
        check_manifest(directory)
    except TraceError as error:
        is_version = "schema version" in str(error)
        return (OTHER_VERSION if is_version else NO_TRACE), error
    return None


def _is_dataset(directory: Path, problem: object) -> bool:
    return problem is None and all((directory / table).is_dir() for table in TABLES)


def _source(path: Path, problem: str | None) -> Source:
    table = table_of(path.name)
    if problem is None and table is None:
        problem = NO_TABLE
    return Source(path, table or "", path.stat().st_size, problem or "")
