"""Growing traces as a streaming source of Spark: what is new since the last batch, landed.

Spark's own source of files takes a file once, as a whole; traces grow. Here the offset is how far
each file has been read, up to the end of its last whole line. Spark keeps it in the checkpoint, so
after a restart each batch has the same lines as before.

Rules of this file:
- Files of lines are found as `ingest` finds them, also those that cannot be taken.
- A file that is there no more keeps its place: should it come back, it is not read again.
- What a batch was to have and is there no more is told: a reject, with the number of bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from snowcast.pipeline.ingest.landing import LANDED_TYPE, RANGE_BYTES, Range, shared_out
from snowcast.pipeline.ingest.lines import last_line_end
from snowcast.pipeline.ingest.parse import gone, landed
from snowcast.pipeline.ingest.sources import NothingYet, Source, find_sources, table_of

Offsets = dict[str, int]
"""How far each file has been read."""


def landed_stream(spark: SparkSession, places: Iterable[Path]) -> DataFrame:
    """What these directories hold and will hold, landed, as a stream."""
    spark.dataSource.register(TraceSource)
    told = json.dumps([str(place.resolve()) for place in places])
    return spark.readStream.format(TraceSource.name()).option("places", told).load()


class TraceSource(DataSource):
    """The format `snowcast_trace`."""

    @classmethod
    def name(cls) -> str:
        """What it is called in `readStream.format`."""
        return "snowcast_trace"

    def schema(self) -> T.StructType:
        """Landed rows."""
        return LANDED_TYPE

    def streamReader(self, schema: T.StructType) -> TraceStreamReader:
        """The reader of a query."""
        return TraceStreamReader([Path(place) for place in json.loads(self.options["places"])])


class LinesPartition(InputPartition):
    """Ranges of files, for one task."""

    def __init__(self, ranges: list[Range]) -> None:
        self.ranges = ranges


class TraceStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Tells what is new, and reads it."""

    def __init__(self, places: list[Path]) -> None:
        self.places = places
        self._sizes: dict[Path, int] | None = None

    def initialOffset(self) -> Offsets:
        """Nothing has been read."""
        return {}

    def prepareForTriggerAvailableNow(self) -> None:
        """What is there now is all that will be read, in however many batches."""
        self._sizes = {source.path: source.size for source in self._sources()}

    def latestOffset(self, start: Offsets, limit: Any = None) -> Offsets:
        """To the end of the last whole line of each file."""
        sources = self._sources()
        if self._sizes is not None:
            sizes = self._sizes
            sources = [replace(one, size=sizes.get(one.path, 0)) for one in sources]
        return ends_of(sources, start)

    def partitions(self, start: Offsets, end: Offsets) -> list[LinesPartition]:
        """What is new, shared out in tasks."""
        ranges = list(new_ranges(self._sources(), start, end))
        return [LinesPartition(some) for some in shared_out(ranges, RANGE_BYTES) if some]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a task."""
        assert isinstance(partition, LinesPartition)
        for path, table, start, end, problem in partition.ranges:
            yield from landed_or_gone(Path(path), table, start, end, problem)

    def _sources(self) -> list[Source]:
        found: dict[Path, Source] = {}
        for place in self.places:
            with suppress(NothingYet):
                sources = find_sources([place], are_growing=True)
                found |= {source.path: source for source in sources}
        return [found[path] for path in sorted(found)]


def ends_of(sources: Iterable[Source], start: Offsets) -> Offsets:
    """How far these files can be read, if they were read so far."""
    ends = dict(start)
    for source in sources:
        begun = start.get(str(source.path), 0)
        if source.size > begun:
            with suppress(FileNotFoundError), source.path.open("rb") as file:
                ends[str(source.path)] = last_line_end(file, begun, source.size)
    return ends


def new_ranges(sources: Iterable[Source], start: Offsets, end: Offsets) -> Iterator[Range]:
    """What is between two offsets, in ranges that a task can read, of files that are gone too."""
    known = {str(source.path): source for source in sources}
    for path, ended in sorted(end.items()):
        source = known.get(path) or Source(Path(path), table_of(Path(path).name) or "", 0)
        for at in range(start.get(path, 0), ended, RANGE_BYTES):
            yield path, source.table, at, min(at + RANGE_BYTES, ended), source.problem


def landed_or_gone(
    path: Path, table: str, start: int, end: int, problem: str
) -> Iterator[pa.RecordBatch]:
    """The lines of a range, and for what is there no more of it, a reject."""
    try:
        size = path.stat().st_size
        if size > start:
            yield from landed(path, table, start, min(size, end), problem)
    except FileNotFoundError:
        size = 0
    if size < end:
        yield gone(str(path), table, max(size, start), end)
