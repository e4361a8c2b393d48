"""Directories that are there as a whole or not at all, with one writer at a time.

Rules of this file:
- A draft stands beside its place, so that it can be renamed, and its name begins with a dot.
- A writer that was killed leaves a draft and no lock; the next one clears it away.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from snowcast.core.errors import UsageError


@contextmanager
def whole_directory(place: Path) -> Iterator[Path]:
    """A draft to fill; it is renamed to `place` after the block, or removed if that failed."""
    place = place.resolve()
    check_free(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.draft")
    with one_writer(place.with_name(f".{place.name}.lock")):
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        try:
            yield draft
            draft.rename(place)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def check_free(place: Path) -> None:
    """UsageError if there is anything at a place but an empty directory."""
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place}: there is something already")


@contextmanager
def one_writer(lock: Path) -> Iterator[None]:
    """Nobody else is in such a block with this file; UsageError if somebody is."""
    handle = _locked(lock)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def _locked(lock: Path) -> int:
    """The file, opened and locked. It may be removed by its last owner before it is ours."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise UsageError(f"{lock.parent}: somebody is writing there ({lock.name})") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), lock.stat()):
                return handle
        os.close(handle)
