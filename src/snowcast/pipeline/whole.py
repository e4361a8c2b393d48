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
from contextlib import contextmanager
from pathlib import Path

from snowcast.core.errors import UsageError


@contextmanager
def whole_directory(place: Path) -> Iterator[Path]:
    """A draft to fill; it is renamed to `place` after the block, or removed if that failed."""
    place = place.resolve()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place}: there is something already")
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


@contextmanager
def one_writer(lock: Path) -> Iterator[None]:
    """Nobody else is in such a block with this file; UsageError if somebody is."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{lock.parent}: somebody is writing there ({lock.name})") from None
        yield
        lock.unlink(missing_ok=True)
    finally:
        os.close(handle)
