"""A run as Parquet: a file for each table, in a folder of the table's name.

    manifest.json             as of a trace in lines: schema version, version of snowcast, columns
    arrivals/NAME.parquet     the rows of one run, with the columns of the schema
    runs/NAME.parquet         moved to its place last: the run counts once this is there

pyarrow is loaded when the first row is written, so whoever only reads this file needs none.

Rules of this file:
- A file has its name when it is whole. What is being written is kept in a draft folder, whose name
  no reader of Parquet looks at.
- Same rows, same tables.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from snowcast.trace.files import MANIFEST, check_manifest, manifest, write_whole
from snowcast.trace.schema import TABLES, Row, columns

SUFFIX = ".parquet"
DRAFTS = ".drafts"
LAST = "runs"
"""The table whose file says that a run is whole."""

ROWS_A_GROUP = 1 << 17
_NAME_OF = {row: name for name, row in TABLES.items()}


class RunWriter:
    """Takes the rows of one run. `writing` makes one, and puts its files in their places."""

    def __init__(self, draft: Path) -> None:
        self._draft = draft
        self._rows: dict[type[Row], list[Row]] = {row: [] for row in TABLES.values()}
        self._files: dict[str, Any] = {}
        self.counts = dict.fromkeys(TABLES, 0)
        """How many rows each table has got."""

    def write(self, row: Row) -> None:
        """Append one row to its table."""
        rows = self._rows[type(row)]
        rows.append(row)
        if len(rows) >= ROWS_A_GROUP:
            self._flush(type(row))

    def write_columns(self, row: type[Row], content: Mapping[str, Any]) -> None:
        """Append many rows at once: an array for each column, or nothing where all is null."""
        self._flush(row)
        arrays = {name: values for name, values in content.items() if values is not None}
        length = len(next(iter(arrays.values())))
        self._append(row, [arrays.get(column.name, [None] * length) for column in columns(row)])

    def close(self) -> None:
        """Nothing more comes: all rows are in the drafts."""
        for row in TABLES.values():
            self._flush(row)
        for file in self._files.values():
            file.close()

    def _flush(self, row: type[Row]) -> None:
        rows, self._rows[row] = self._rows[row], []
        if rows:
            names = [column.name for column in columns(row)]
            self._append(row, [[getattr(one, name) for one in rows] for name in names])

    def _append(self, row: type[Row], content: list[Any]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = arrow_schema(row)
        arrays = [_array(values, field.type) for values, field in zip(content, schema, strict=True)]
        batch = pa.record_batch(arrays, schema=schema)
        table = _NAME_OF[row]
        file = self._files.get(table)
        if file is None:
            path = self._draft / (table + SUFFIX)
            file = self._files[table] = pq.ParquetWriter(path, schema, compression="zstd")
        file.write_batch(batch)
        self.counts[table] += len(batch)


@contextmanager
def writing(directory: Path, name: str) -> Iterator[RunWriter]:
    """A writer for the run `name`: its files are in `directory` after the block, or none of them.

    Exactly one row of `runs` is expected. A run of this name that is there already is replaced.
    """
    drafts = directory / DRAFTS
    drafts.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(dir=drafts, prefix=f"{name}."))
    try:
        writer = RunWriter(draft)
        yield writer
        writer.close()
        assert writer.counts[LAST] == 1, f"{writer.counts[LAST]} rows of runs for {name}"
        for table in [*(table for table in TABLES if table != LAST), LAST]:
            file = draft / (table + SUFFIX)
            place = directory / table / (name + SUFFIX)
            place.parent.mkdir(exist_ok=True)
            if file.exists():
                file.replace(place)
            else:
                place.unlink(missing_ok=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def make_dataset(directory: Path) -> None:
    """A directory for runs: a manifest, and a folder for each table. One that is there may stay."""
    if (directory / MANIFEST).exists():
        check_manifest(directory)
    for table in TABLES:
        (directory / table).mkdir(parents=True, exist_ok=True)
    if not (directory / MANIFEST).exists():
        write_whole(directory / MANIFEST, manifest())


def names_of_runs(directory: Path, table: str = LAST) -> set[str]:
    """The names under which runs are there as a whole; for another table, those with a file."""
    with os.scandir(directory / table) as entries:
        names = [entry.name for entry in entries]
    return {
        name.removesuffix(SUFFIX)
        for name in names
        if name.endswith(SUFFIX) and not name.startswith((".", "_"))
    }


def arrow_schema(row: type[Row]) -> Any:
    """The columns of a table, for Arrow."""
    import pyarrow as pa

    types = {"string": pa.string(), "int64": pa.int64(), "bool": pa.bool_()}
    return pa.schema(
        [pa.field(column.name, types[column.type], column.is_nullable) for column in columns(row)]
    )


def _array(values: Any, kind: Any) -> Any:
    """One column. A dictionary of Arrow's, as kernels give, is written out."""
    import pyarrow as pa

    if isinstance(values, pa.Array):
        return values.cast(kind)
    return pa.array(values, kind)
