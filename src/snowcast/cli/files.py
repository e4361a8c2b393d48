"""What commands read and write: files that the caller names, and stdout.

A file that cannot be opened is the caller's mistake; a stdout that cannot be written is not.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from snowcast.core.errors import UsageError


def read_in(path: Path) -> bytes:
    """The content of a file that the caller named."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}") from None


def write_out(text: str, path: Path | None = None) -> None:
    """Write to the file that the caller named, or to stdout, as UTF-8 whatever the locale."""
    data = text.encode()
    if path is None:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "stdout is closed")
        rest = memoryview(data)
        while rest:  # an unbuffered stdout (python -u) may take only a part
            rest = rest[sys.stdout.buffer.write(rest) :]
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
