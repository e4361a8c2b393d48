"""A trace as a directory: a manifest, and JSON lines in numbered parts for each table.

    manifest.json             schema version, version of snowcast, columns
    arrivals-00000.jsonl      one row a line, columns in the order of the schema, nulls left out
    arrivals-00001.jsonl      begun when the one before it is large enough

Rules of this file:
- Parts only grow, by whole lines: a crash can tear nothing but the last line of a part, and a
  writer that comes back begins new parts.
- Same rows, same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import msgspec

from snowcast import __version__
from snowcast.core.errors import SnowcastError
from snowcast.trace.schema import SCHEMA_VERSION, TABLES, Row, columns

MANIFEST = "manifest.json"
PART_BYTES_MAX = 64 << 20
BUFFER_BYTES = 64 << 10

R = TypeVar("R", bound=Row)
_NAME_OF = {row: name for name, row in TABLES.items()}


class TraceError(SnowcastError):
    """What should be a trace is none, or is of a version that this code does not know."""


class TraceWriter:
    """Appends rows to a directory. Close it, or flush it, for all of them to be on disk."""

    def __init__(self, directory: Path, part_bytes_max: int = PART_BYTES_MAX) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        if (directory / MANIFEST).exists():
            check_manifest(directory)
        else:
            write_whole(directory / MANIFEST, manifest())
        self._tables = {
            row: _TableWriter(directory, name, part_bytes_max) for name, row in TABLES.items()
        }
        self._encode = msgspec.json.Encoder().encode

    def write(self, row: Row) -> None:
        """Append one row to its table."""
        self._tables[type(row)].append(self._encode(row))

    def flush(self) -> None:
        """Hand all rows to the operating system."""
        for table in self._tables.values():
            table.flush()

    def close(self) -> None:
        """Flush and close the files. More rows may follow: they go to new parts."""
        for table in self._tables.values():
            table.close()

    def abandon(self) -> None:
        """Close the files as they are: rows that have not been written are lost."""
        for table in self._tables.values():
            table.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class TraceReader:
    """Reads a directory that a `TraceWriter` has written, or is writing."""

    def __init__(self, directory: Path) -> None:
        check_manifest(directory)
        self.directory = directory
        self.torn = 0
        """How many parts read so far ended in the middle of a line."""

    def rows(self, row: type[R]) -> Iterator[R]:
        """The rows of a table, in the order they were written."""
        decoder = msgspec.json.Decoder(row)
        for path in parts(self.directory, _NAME_OF[row]):
            with path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if not line.endswith(b"\n"):
                        self.torn += 1
                        break
                    try:
                        yield decoder.decode(line)
                    except (msgspec.MsgspecError, RecursionError) as error:
                        raise TraceError(f"{path}:{number}: {error}") from None


def parts(directory: Path, table: str) -> list[Path]:
    """The files of one table, oldest first."""
    return sorted(directory.glob(f"{table}-*.jsonl"), key=_part_number)


def check_manifest(directory: Path) -> None:
    """TraceError if a directory is no trace, or of a version that this code does not know."""
    path = directory / MANIFEST
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        version = content["schema"]
    except (FileNotFoundError, NotADirectoryError):
        raise TraceError(f"{directory} is no trace: it has no {MANIFEST}") from None
    except (ValueError, KeyError, TypeError, RecursionError, IsADirectoryError):
        raise TraceError(f"{path} is not the manifest of a trace") from None
    if version != SCHEMA_VERSION:
        raise TraceError(f"{path}: schema version {version}, not {SCHEMA_VERSION}")


def manifest() -> str:
    """What a directory says of itself."""
    tables = {name: [column.name for column in columns(row)] for name, row in TABLES.items()}
    content = {"schema": SCHEMA_VERSION, "snowcast": __version__, "tables": tables}
    return json.dumps(content, indent=2) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def fingerprint(directory: Path) -> str:
    """A hash of all that is in a trace, to tell whether two runs were the same."""
    digest = blake2b(digest_size=16)
    for name in TABLES:
        for path in parts(directory, name):
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class _TableWriter:
    """The parts of one table. No file is there before the first row."""

    def __init__(self, directory: Path, name: str, part_bytes_max: int) -> None:
        self._directory = directory
        self._name = name
        self._part_bytes_max = part_bytes_max
        self._part_bytes = 0
        self._buffer = bytearray()
        self._file: IO[bytes] | None = None
        old = parts(directory, name)
        self._next = _part_number(old[-1]) + 1 if old else 0

    def append(self, line: bytes) -> None:
        size = len(line) + 1
        if self._part_bytes and self._part_bytes + size > self._part_bytes_max:
            self.close()
        self._buffer += line
        self._buffer += b"\n"
        self._part_bytes += size
        if len(self._buffer) >= BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        if not self._buffer:
            return
        if self._file is None:
            path = self._directory / f"{self._name}-{self._next:05}.jsonl"
            self._next += 1
            self._file = path.open("xb", buffering=0)
        while self._buffer:  # what has been written is not written again, should the rest fail
            del self._buffer[: self._file.write(self._buffer)]

    def close(self) -> None:
        try:
            self.flush()
        finally:
            self.abandon()

    def abandon(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
        self._part_bytes = 0
        self._buffer.clear()


def _part_number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])
