"""Lines as typed rows, and those that are none as rejects: one layout for all tables.

A landed row has `table`, and what it says in a struct of that name; the structs of other tables are
null. A reject has the struct `reject` instead. So all that a trace has lands in one pass.

Rules of this file:
- A line is taken as a whole or not at all: what the schema does not allow is a reject, with the
  place where it stands and the reason. Columns that the schema does not know are left out.
- Whatever is in a line, nothing that works on landed rows fails because of it: runs have names that
  a folder can have, and numbers are so small that sums and differences of them are numbers too.
- It runs on executors, where there may be nothing of ours but this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from snowcast.pipeline.ingest.lines import TOLD_BYTES_MAX, Block, blocks, lines_of
from snowcast.trace.parquet import arrow_schema
from snowcast.trace.schema import TABLES, Row, columns

CUT, NOT_JSON, OTHER_SHAPE, TOO_LONG = "cut off", "not JSON", "another shape", "too long"
GONE = "file gone"
"""What `landed` was not asked for in time: see `gone`."""

PLACED = ("runs", "messages")
"""Tables whose rows remember where they stood: of these there may be one too many for a key."""

TIMES_US = range(-(1 << 55), (1 << 55) + 1)
"""A thousand years before and after 1970, by the microsecond."""

SIZES = range(1 << 32)
RUN_BYTES_MAX = 200
"""Of the name of a run as the name of a folder: file systems take 255, with what is before it."""

REJECT = pa.struct(
    [
        pa.field("table", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("detail", pa.string()),
        pa.field("file", pa.string()),
        pa.field("offset", pa.int64()),
        pa.field("bytes", pa.int64()),
        pa.field("line", pa.string()),
    ]
)
_STRUCTS = {name: pa.struct(list(arrow_schema(row))) for name, row in TABLES.items()}
LANDED = pa.schema(
    [
        pa.field("table", pa.string()),
        *[pa.field(name, struct) for name, struct in _STRUCTS.items()],
        pa.field("reject", REJECT),
        pa.field("file", pa.string()),
        pa.field("offset", pa.int64()),
    ]
)
"""What `landed` gives: one of the structs is there in each row."""

_DECODERS = {name: msgspec.json.Decoder(row) for name, row in TABLES.items()}
_INT64 = range(-(1 << 63), 1 << 63)
_ALLOWED = {
    name: {
        column.name: TIMES_US if column.name.endswith("_us") else SIZES
        for column in columns(row)
        if column.name.endswith(("_us", "bytes"))
    }
    for name, row in TABLES.items()
}
"""Of each table the columns that are added up or taken from one another."""

_ESCAPED_IN_FOLDERS = frozenset("\"#%'*/:=?\\{[]^")
"""What Spark writes as three bytes."""

_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
"""What Spark takes for the folder of those without a name."""


def landed(path: Path, table: str, start: int, end: int, problem: str) -> Iterator[pa.RecordBatch]:
    """The lines of a file that begin in a range. With a problem all of them are rejects."""
    with path.open("rb") as file:
        for block in blocks(file, start, end):
            yield from landed_block(str(path), table, block, problem)


def landed_block(
    file: str, table: str, block: Block, problem: str = ""
) -> Iterator[pa.RecordBatch]:
    """The lines of a block."""
    if not problem and not block.long_bytes and not block.is_cut and table not in PLACED:
        try:
            rows: list[Any] = _DECODERS[table].decode_lines(block.data)
            _check_runs(rows)
            batch = _good(table, rows)
            _check_numbers(table, batch)
        except (
            msgspec.MsgspecError,
            ValueError,
            OverflowError,
            RecursionError,
            pa.ArrowException,
        ):
            pass  # one of them at least is bad: look at each
        else:
            if rows:
                yield batch
            return
    good, places, bad = [], [], []
    for offset, line in lines_of(block):
        found = _reject_of(table, line, block, problem) or _decoded(table, line, block.is_cut)
        if isinstance(found, Row):
            good.append(found)
            places.append((file, offset))
        else:
            bad.append((table, *found, file, offset, block.long_bytes or len(line), _text(line)))
    if good:
        yield _good(table, good, places if table in PLACED else None)
    if bad:
        yield _bad(bad)


def gone(file: str, table: str, start: int, end: int) -> pa.RecordBatch:
    """A reject for a range that was there once. How many lines it had, nobody can tell."""
    told = f"{end - start} bytes that were there are not"
    return _bad([(table, GONE, told, file, start, end - start, "")])


def _reject_of(table: str, line: bytes, block: Block, problem: str) -> tuple[str, str] | None:
    if problem:
        return problem, ""
    if block.long_bytes:
        return TOO_LONG, f"{block.long_bytes} bytes"
    return None


def _decoded(table: str, line: bytes, is_cut: bool) -> Row | tuple[str, str]:
    """The row of a line, or the reason why it is none, with what is wrong in detail."""
    try:
        row: Row = _DECODERS[table].decode(line)
        _check_runs([row])
    except RecursionError:
        return OTHER_SHAPE, "it is nested too deep"
    except msgspec.ValidationError as error:
        return OTHER_SHAPE, str(error)
    except (msgspec.MsgspecError, ValueError) as error:
        return (CUT if is_cut else NOT_JSON), str(error)
    allowed = _ALLOWED[table]
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if type(value) is int and value not in allowed.get(name, _INT64):
            return OTHER_SHAPE, f"{name} is out of range"
    return row


def _check_runs(rows: Iterable[Row]) -> None:
    """ValidationError if the name of a run cannot be that of a folder."""
    for run in {row.run for row in rows}:
        if not run:
            raise msgspec.ValidationError("the run has no name")
        if run == _NULL_FOLDER or any(char < " " or char == "\x7f" for char in run):
            raise msgspec.ValidationError("the run has a name that no folder can have")
        if len(run.encode()) + 2 * sum(map(run.count, _ESCAPED_IN_FOLDERS)) > RUN_BYTES_MAX:
            raise msgspec.ValidationError("the name of the run is too long")


def _check_numbers(table: str, batch: pa.RecordBatch) -> None:
    """ValidationError if a number in a column that is reckoned with is out of range."""
    for name, allowed in _ALLOWED[table].items():
        ends = pc.min_max(batch.column(table).field(name)).as_py()
        if any(value is not None and value not in allowed for value in ends.values()):
            raise msgspec.ValidationError(f"{name} is out of range")


def _good(
    table: str, rows: list[Any], places: list[tuple[str, int]] | None = None
) -> pa.RecordBatch:
    arrays = [
        pa.array([getattr(row, column.name) for row in rows], field.type)
        for column, field in zip(columns(TABLES[table]), _STRUCTS[table], strict=True)
    ]
    struct = pa.StructArray.from_arrays(arrays, fields=list(_STRUCTS[table]))
    return _batch(len(rows), table, table, struct, places)


def _bad(rejects: list[tuple[Any, ...]]) -> pa.RecordBatch:
    values = [dict(zip([f.name for f in REJECT], reject, strict=True)) for reject in rejects]
    return _batch(len(rejects), "rejects", "reject", pa.array(values, REJECT), None)


def _batch(
    count: int,
    table: str,
    column: str,
    struct: pa.StructArray,
    places: list[tuple[str, int]] | None,
) -> pa.RecordBatch:
    known = {"table": pa.array([table] * count, pa.string()), column: struct}
    if places is not None:
        known["file"] = pa.array([file for file, _ in places], pa.string())
        known["offset"] = pa.array([offset for _, offset in places], pa.int64())
    arrays = [known.get(field.name, pa.nulls(count, field.type)) for field in LANDED]
    return pa.RecordBatch.from_arrays(arrays, schema=LANDED)


def _text(line: bytes) -> str:
    """The text of a line, or of its beginning; bytes that are no text are written out."""
    return line[:TOLD_BYTES_MAX].decode("utf-8", "backslashreplace")
