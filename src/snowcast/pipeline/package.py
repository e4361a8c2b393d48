"""Our package as one file that Spark ships to its executors.

They need what the package needs (msgspec, pyarrow, numpy), but not the package itself, so that a
cluster always runs the code that the driver runs.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from snowcast import __version__

EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest that a zip can tell: same files, same bytes


def write_package_zip(directory: Path) -> Path:
    """Write the installed package as a zip into `directory`; return its path."""
    package = Path(__file__).parents[1]
    path = directory / f"{package.name}-{__version__}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted(package.rglob("*.py")):
            name = source.relative_to(package.parent).as_posix()
            archive.writestr(zipfile.ZipInfo(name, EPOCH), source.read_bytes())
    return path
