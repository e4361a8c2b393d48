"""Files that hold secrets: the token of the control API, the keys of datagrams.

Rules of this file:
- What is written here can be read by its owner alone. Who wants a group to read a token says so,
  with chmod.
- Keys are replaced as a whole or not at all.
- What is in such a file is never logged.
"""

from __future__ import annotations

import logging
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from snowcast.core.errors import UsageError

TOKEN_BYTES = 32
TOKEN_CHARACTERS_MIN = 16
TOO_OPEN = stat.S_IRWXO | stat.S_IWGRP

log = logging.getLogger("snowcast")


def token(path: Path) -> str:
    """The token in a file; a new one is put there if there is no such file."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_token(path)
    except OSError as error:
        raise UsageError(f"cannot write a token to {path}: {error.strerror}") from None
    made = secrets.token_urlsafe(TOKEN_BYTES)
    with os.fdopen(descriptor, "w") as file:
        file.write(made + "\n")
    log.info("wrote a new token for the control API to %s", path)
    return made


def read_token(path: Path) -> str:
    """The token in a file that is there, and that none but its owner and its group can read."""
    found = _read(path, "token")
    if path.stat().st_mode & TOO_OPEN:
        raise UsageError(f"others can read or write the token in {path}: chmod 600 {path}")
    if len(found.strip()) < TOKEN_CHARACTERS_MIN:
        raise UsageError(f"the token in {path} is too short: remove the file to get a new one")
    return found.strip()


def read_keys(path: Path) -> list[str]:
    """The keys in a file, the primary first; none if there is no such file."""
    if not path.exists():
        return []
    text = _read(path, "keys")
    if path.stat().st_mode & stat.S_IROTH:
        log.warning("everybody on this machine can read the keys in %s: chmod 600 it", path)
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line]


def write_keys(path: Path, keys: Iterable[str]) -> None:
    """Put the keys there, the primary first; OSError if that is not possible."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    text = "# The keys of this node's datagrams, the primary first. Written by the agent.\n"
    text += "".join(f"{key}\n" for key in keys)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no text"
        raise UsageError(f"cannot read the {what} in {path}: {reason}") from None
