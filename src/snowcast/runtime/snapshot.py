"""What a node remembers across restarts: which life it had, and whom it knew.

A small JSON file, replaced whole. Whom it knew are only places to ask: what they say now counts, so
that an old file brings nobody back who is long gone.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from snowcast.core.address import Address
from snowcast.core.errors import SnowcastError, UsageError

CONTACTS_MAX = 16
TICKS_PER_S = 16  # the most with which a life of the next years still takes five bytes in a frame

log = logging.getLogger("snowcast")

_begun: dict[Address, int] = {}
"""By address, the last life that this process has begun."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file."""

    version: int = 1
    cluster: str
    life: int
    members: tuple[str, ...] = ()

    def contacts(self) -> tuple[Address, ...]:
        """Some of those it knew."""
        found = []
        for text in self.members[:CONTACTS_MAX]:
            try:
                found.append(Address.parse(text))
            except SnowcastError:
                log.warning("not an address in the snapshot, passed over: %r", text)
        return tuple(found)


def load(path: Path, cluster: str) -> Snapshot | None:
    """The snapshot at `path`; None if there is none that is of use."""
    try:
        snapshot = msgspec.json.decode(path.read_bytes(), type=Snapshot)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read the snapshot {path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        log.warning("the snapshot %s is damaged and passed over: %s", path, error)
        return None
    if snapshot.cluster != cluster:
        log.warning("the snapshot %s is of cluster %r: passed over", path, snapshot.cluster)
        return None
    return snapshot


def save(path: Path, snapshot: Snapshot) -> None:
    """Put `snapshot` in the place of what is there, as a whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(msgspec.json.encode(snapshot))
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def save_if_new(path: Path, snapshot: Snapshot) -> None:
    """The same, unless it is there already; nothing depends on it, so failing is only a warning."""
    try:
        if load(path, snapshot.cluster) != snapshot:
            save(path, snapshot)
    except (OSError, UsageError) as error:
        log.warning("cannot write the snapshot %s: %s", path, error)


def begin_life(address: Address, last: Snapshot | None) -> int:
    """The life that a node begins at `address` now: later than those before it.

    The clock makes it so, and where there is no snapshot it may err: it can be set back. The core
    begins a later life yet when it is told of one that it did not live.
    """
    remembered = max(_begun.get(address, -1), -1 if last is None else last.life)
    life = max(int(time.time() * TICKS_PER_S), remembered + 1)
    _begun[address] = life
    return life


def of_members(cluster: str, life: int, members: Sequence[Address]) -> Snapshot:
    """What to remember."""
    return Snapshot(cluster=cluster, life=life, members=tuple(map(str, members[:CONTACTS_MAX])))
