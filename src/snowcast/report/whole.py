"""A report's directory: there as a whole or not at all, with one writer at a time.

Rules of this file:
- A draft stands beside its place, and whoever writes it holds a lock on it.
- A report that was there is moved aside only when the next one is whole, and is put back if that
  cannot take its place.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from snowcast.core.errors import UsageError

REPORT = "report.json"
"""What tells a report from any other directory."""


@contextmanager
def whole_report(out: Path) -> Iterator[Path]:
    """A draft to fill; after the block it stands at `out`, or is removed if that failed."""
    place = out.resolve()
    check_free(out)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = _beside(place, "part")
    with _one_writer(draft):
        _recover(place)
        for old in draft.iterdir():  # of a writer that was killed
            old.unlink()
        try:
            yield draft
            _put(draft, place)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def check_free(out: Path) -> None:
    """Only a report may be replaced by a report; UsageError if anything else is there."""
    place = out.resolve()
    if not place.name:
        raise UsageError(f"{out}: give a directory of its own")
    above = next(path for path in place.parents if path.exists())
    if not above.is_dir():
        raise UsageError(f"{above}: a file, where a directory has to be")
    if not place.exists() or (place / REPORT).is_file():
        return
    if not place.is_dir():
        raise UsageError(f"{out}: a file, where a directory has to be")
    if any(place.iterdir()):
        raise UsageError(f"{out}: not empty, and no report: give a directory of its own")


@contextmanager
def _one_writer(draft: Path) -> Iterator[None]:
    """Hold the lock on a draft, which goes where the draft goes; UsageError if somebody has it."""
    draft.mkdir(exist_ok=True)
    taken = UsageError(f"{draft.parent}: somebody is writing there ({draft.name})")
    try:
        handle = os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:  # its owner has just put it in its place
        raise taken from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), draft.stat()):
            raise taken
        yield
    except BlockingIOError:
        raise taken from None
    finally:
        os.close(handle)


def _put(draft: Path, place: Path) -> None:
    """Put a draft in its place, and what was there away."""
    before = _beside(place, "before")
    with suppress(FileNotFoundError):
        place.rename(before)
    try:
        draft.rename(place)
    except BaseException:
        with suppress(FileNotFoundError):
            before.rename(place)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _recover(place: Path) -> None:
    """Put back, or away, what a writer had moved aside that was killed then."""
    before = _beside(place, "before")
    if before.exists() and not place.exists():
        before.rename(place)
    shutil.rmtree(before, ignore_errors=True)


def _beside(place: Path, what: str) -> Path:
    return place.with_name(f".{place.name}.{what}")
