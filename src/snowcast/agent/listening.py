"""A Unix socket to listen on, for those on this machine who may.

Rules of this file:
- There is no moment at which more may open the socket than in the end.
- A socket that nobody listens on is in the way of nobody; one that somebody does is left alone.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BindError

BACKLOG = 128
PATH_BYTES_MAX = 107
PROBE_S = 1.0


@contextmanager
def unix_socket(path: Path, mode: str = "0600") -> Iterator[socket.socket]:
    """A socket at this path, for the length of a block."""
    rights = _rights(mode)
    if len(os.fsencode(path)) > PATH_BYTES_MAX:
        raise UsageError(f"control.socket: a path of {PATH_BYTES_MAX} bytes at most, not {path}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_way(path)
        sock = _bound(path, rights)
    except BindError:
        raise
    except OSError as error:
        raise BindError(f"cannot listen on {path}: {error.strerror}") from None
    inode = path.stat().st_ino
    try:
        yield sock
    finally:
        sock.close()
        if path.exists() and path.stat().st_ino == inode:
            path.unlink()


def _bound(path: Path, rights: int) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        sock.bind(str(path))
        path.chmod(rights)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    finally:
        os.umask(mask)
    sock.setblocking(False)
    return sock


def _make_way(path: Path) -> None:
    """Remove a socket that an agent has left behind."""
    try:
        found = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found):
        raise UsageError(f"control.socket: {path} is there and is no socket: take another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except TimeoutError:
            pass  # somebody is there, and busy
    raise BindError(
        f"another agent listens on {path}: stop it, or give this one another control.socket"
    )


def _rights(mode: str) -> int:
    try:
        rights = int(mode, 8)
    except ValueError:
        rights = -1
    if not 0 <= rights <= 0o777:
        raise UsageError(f"control.socket_mode: octal, as 0600 or 0660, not {mode!r}")
    return rights
