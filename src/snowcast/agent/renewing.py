"""Certificates in use: when they expire, and that new files are taken up without being told.

Who renews certificates (cert-manager, a cron job) replaces files and cannot send a signal to a
container. So once a minute the agent looks whether they have changed.

Rules of this file:
- What is told of a certificate is told of the one in use, not of the one in the file.
- Files that are no good are said to be, once, and looked at again when they change.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from pathlib import Path
from typing import NamedTuple

from snowcast.agent.certificates import Renewable
from snowcast.core.errors import UsageError

LOOK_S = 60.0
DAY_S = 86_400.0
SOON_S = 14 * DAY_S
SOON_PART = 6  # of its time: short-lived ones are renewed late

log = logging.getLogger("snowcast")

_Stamp = tuple[tuple[int, int, int] | None, ...]


class Validity(NamedTuple):
    """From when to when a certificate holds, in seconds of Unix time."""

    begin: float
    end: float

    def is_near_its_end(self, now: float) -> bool:
        """Whether it should have been renewed by now."""
        return self.end - now < min(SOON_S, (self.end - self.begin) / SOON_PART)


class Certificates:
    """All that an agent shows, each by the setting that names its file."""

    def __init__(self) -> None:
        self._all: dict[str, _InUse] = {}
        self._warned: set[str] = set()

    def __len__(self) -> int:
        return len(self._all)

    def add(self, setting: str, renewable: Renewable) -> None:
        """From now on this one too."""
        self._all[setting] = _InUse(renewable)

    def renew(self) -> None:
        """Read all of them anew; UsageError at the first that is no good."""
        for one in self._all.values():
            one.renew()

    def expire_in_s(self) -> dict[str, float]:
        """How long each still holds, by its setting; below 0 if it does not any more."""
        now = time.time()
        return {setting: one.validity.end - now for setting, one in self._all.items()}

    def warnings(self) -> list[str]:
        """Which are about to expire, or have."""
        now = time.time()
        ends = {
            setting: one.validity.end - now
            for setting, one in self._all.items()
            if one.validity.is_near_its_end(now)
        }
        return [
            f"the certificate of {setting} {_when(left_s)}: replace its files, they are read "
            "within a minute"
            for setting, left_s in ends.items()
        ]

    async def watch(self) -> None:
        """Take up what changes, and say what is about to expire, for ever."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Take up files that have changed, and say what is about to expire."""
        for setting, one in self._all.items():
            if not one.has_changed():
                continue
            try:
                one.renew()
            except (UsageError, OSError) as error:
                log.warning("the certificate in use stays, new files are no good: %s", error)
            else:
                log.info("certificate renewed", extra={"fields": {"setting": setting}})
                self._warned.discard(setting)
        now = time.time()
        for setting, one in self._all.items():
            if setting not in self._warned and one.validity.is_near_its_end(now):
                self._warned.add(setting)
                when = _when(one.validity.end - now)
                log.warning("the certificate of %s %s and its files are the same", setting, when)


class _InUse:
    """One of them, as its files were when they were read last."""

    def __init__(self, renewable: Renewable) -> None:
        self._renewable = renewable
        self._stamp = _stamp(renewable.files)
        self.validity = validity(renewable.files[0])

    def has_changed(self) -> bool:
        """Whether its files are others than those looked at last."""
        return _stamp(self._renewable.files) != self._stamp

    def renew(self) -> None:
        """Read the files anew; UsageError if they are no good."""
        self._stamp = _stamp(self._renewable.files)
        self._renewable.renew()
        self.validity = validity(self._renewable.files[0])


def validity(path: str | Path) -> Validity:
    """From when to when the first certificate in a file holds."""
    from cryptography.x509 import load_pem_x509_certificate

    try:
        found = load_pem_x509_certificate(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the certificate in {path}: {error}") from None
    return Validity(found.not_valid_before_utc.timestamp(), found.not_valid_after_utc.timestamp())


def _stamp(files: tuple[str | Path, ...]) -> _Stamp:
    """What changes when one of these files does, a link to it included."""
    return tuple(map(_stamp_of, files))


def _stamp_of(file: str | Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116, of a path as it was given
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _when(left_s: float) -> str:
    if left_s <= 0:
        return "has expired"
    if left_s < DAY_S:
        return f"expires in {left_s / 3600:.1f} hours"
    return f"expires in {left_s / DAY_S:.0f} days"
