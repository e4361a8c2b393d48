"""Files as landed rows, read by tasks: the same rows however the files are cut."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from snowcast.pipeline.ingest.landing import land, rejects_of, rows_of
from snowcast.pipeline.ingest.sources import find_sources
from snowcast.pipeline.schemas import schema_of
from snowcast.trace.files import TraceWriter
from snowcast.trace.schema import ArrivalRow, MessageRow


def arrival(number: int) -> ArrivalRow:
    return ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=number, bytes=4)


def message(number: int) -> MessageRow:
    return MessageRow(
        run="r",
        message=f"a/1/{number}",
        origin="a",
        at_us=number,
        payload_bytes=9,
        mode="standard",
        reliable=True,
    )


def trace(directory: Path) -> Path:
    """Two agents, with one bad line."""
    for agent in range(2):
        with TraceWriter(directory / str(agent), part_bytes_max=500) as writer:
            for number in range(12):
                writer.write(arrival(100 * agent + number))
            writer.write(message(agent))
    with (directory / "1" / "arrivals-00001.jsonl").open("ab") as lines:
        lines.write(b'{"run":')
    return directory


def test_all_lines_land_however_files_are_cut_and_shared_out(
    spark: SparkSession, tmp_path: Path
) -> None:
    sources = find_sources([trace(tmp_path)])
    for range_bytes in (64, 1 << 20):
        landed = land(spark, sources, range_bytes).persist()
        arrivals = rows_of(landed, "arrivals")
        assert arrivals.columns == schema_of("arrivals").names
        assert sorted(row.at_us for row in arrivals.collect()) == [*range(12), *range(100, 112)]
        assert rows_of(landed, "probes").collect() == []
        messages = sorted(
            (row.message, Path(row.file).parent.name, row.offset)
            for row in rows_of(landed, "messages").collect()
        )
        assert messages == [("a/1/0", "0", 0), ("a/1/1", "1", 0)]
        (bad,) = rejects_of(landed).collect()
        assert (bad.reason, bad.line, Path(bad.file).name) == (
            "cut off",
            '{"run":',
            "arrivals-00001.jsonl",
        )
        landed.unpersist()


def test_no_files_are_no_rows(spark: SparkSession) -> None:
    assert rows_of(land(spark, []), "arrivals").collect() == []
