"""Our package as one file that Spark ships to its executors, and what tells its versions apart.

Executors need what the package needs (msgspec, pyarrow, numpy), but not the package itself, so that
a cluster always runs the code that the driver runs.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

from snowcast import __version__

EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest that a zip can tell: same files, same bytes


PACKAGE = Path(__file__).parents[1]

SIMULATING = ("baselines", "core", "kernels", "sim", "trace")
"""The rooms that a simulated run follows from."""

MEASURING = ("core", "pipeline", "trace")
"""Those that tables of metrics follow from, given the runs."""


@cache
def digest_of(rooms: Sequence[str]) -> str:
    """What changes whenever a source of these rooms does. Only where there are files: on a driver.

    A version number would not do: code changes between two of them.
    """
    digest = blake2b(digest_size=16)
    for room in sorted(rooms):
        for source in sorted((PACKAGE / room).rglob("*.py")):
            for part in (source.relative_to(PACKAGE).as_posix().encode(), source.read_bytes()):
                digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def write_package_zip(directory: Path) -> Path:
    """Write the installed package as a zip into `directory`; return its path."""
    path = directory / f"{PACKAGE.name}-{__version__}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted(PACKAGE.rglob("*.py")):
            name = source.relative_to(PACKAGE.parent).as_posix()
            archive.writestr(zipfile.ZipInfo(name, EPOCH), source.read_bytes())
    return path
