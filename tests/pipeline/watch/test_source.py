"""Growing files as a stream: each whole line once, in whichever batches it comes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snowcast.core.errors import UsageError
from snowcast.pipeline.ingest.parse import GONE
from snowcast.pipeline.watch.source import Offsets, TraceStreamReader
from snowcast.trace.files import MANIFEST, manifest
from snowcast.trace.parquet import make_dataset
from snowcast.trace.schema import ArrivalRow


def line(number: int) -> bytes:
    row = ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=number, bytes=4)
    return msgspec.json.encode(row) + b"\n"


def read(reader: TraceStreamReader, start: Offsets, end: Offsets) -> list[int]:
    """The times of the arrivals between two offsets."""
    found = []
    for partition in reader.partitions(start, end):
        for batch in reader.read(partition):
            rows = batch.to_pylist()
            found += [row["arrivals"]["at_us"] for row in rows if row["arrivals"]]
    return found


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40), st.integers(0, 200)), max_size=12))
def test_whatever_is_written_between_batches_each_whole_line_comes_once(
    steps: list[tuple[int, int, int]],
) -> None:
    with TemporaryDirectory() as made:
        place = Path(made)
        (place / MANIFEST).write_text(manifest())
        paths = [place / f"arrivals-{number:05}.jsonl" for number in range(2)]
        waiting = [b"", b""]
        reader, start, number, found = TraceStreamReader([place]), {}, 0, []
        for which, count, held_back in steps:
            data = waiting[which] + b"".join(line(number + n) for n in range(count))
            number += count
            cut = max(len(data) - held_back, 0)  # the writer is in the middle of a line
            append(paths[which], data[:cut])
            waiting[which] = data[cut:]
            end = reader.latestOffset(start)
            again = read(reader, start, end)
            assert read(reader, start, end) == again  # a batch that is done again is the same
            found += again
            start = end
        for which, rest in enumerate(waiting):
            append(paths[which], rest)
        found += read(reader, start, reader.latestOffset(start))
        assert sorted(found) == list(range(number))


def test_before_there_is_a_trace_there_is_nothing_and_then_all_of_it(tmp_path: Path) -> None:
    reader = TraceStreamReader([tmp_path, tmp_path / "later"])
    assert reader.latestOffset(reader.initialOffset()) == {}
    agent = tmp_path / "later" / "agent"
    agent.mkdir(parents=True)
    (agent / MANIFEST).write_text(manifest())
    append(agent / "arrivals-00000.jsonl", line(1) + line(2))
    end = reader.latestOffset({})
    assert end == {str(agent / "arrivals-00000.jsonl"): len(line(1) + line(2))}
    assert read(reader, {}, end) == [1, 2]
    assert reader.latestOffset(end) == end
    assert reader.partitions(end, end) == []


def test_a_file_that_has_gone_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(manifest())
    path = tmp_path / "arrivals-00000.jsonl"
    append(path, line(1))
    reader = TraceStreamReader([tmp_path])
    end = reader.latestOffset({})
    path.unlink()
    assert reader.latestOffset(end) == end
    append(path, line(1) + line(2))
    assert read(reader, end, reader.latestOffset(end)) == [2]


def rejects(reader: TraceStreamReader, start: Offsets, end: Offsets) -> list[dict[str, Any]]:
    """What was not taken between two offsets."""
    batches = [batch for one in reader.partitions(start, end) for batch in reader.read(one)]
    found = [row["reject"] for batch in batches for row in batch.to_pylist() if row["reject"]]
    return sorted(found, key=lambda reject: str(reject["file"]))


def test_what_was_there_and_is_gone_is_told_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(manifest())
    paths = [tmp_path / f"arrivals-{number:05}.jsonl" for number in range(3)]
    for path in paths:
        append(path, line(1) + line(2))
    size = len(line(1))
    reader = TraceStreamReader([tmp_path])
    end = reader.latestOffset({})
    paths[0].unlink()
    paths[1].write_bytes(line(1))
    told = [
        (Path(one["file"]).name, one["table"], one["reason"], one["offset"], one["bytes"])
        for one in rejects(reader, {}, end)
    ]
    assert told == [
        ("arrivals-00000.jsonl", "arrivals", GONE, 0, 2 * size),
        ("arrivals-00001.jsonl", "arrivals", GONE, size, size),
    ]
    assert read(reader, {}, end) == [1, 1, 2]


def test_a_file_that_goes_between_plan_and_task_is_told_too(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(manifest())
    path = tmp_path / "arrivals-00000.jsonl"
    append(path, line(1))
    reader = TraceStreamReader([tmp_path])
    (partition,) = reader.partitions({}, reader.latestOffset({}))
    path.unlink()
    (batch,) = reader.read(partition)
    (row,) = batch.to_pylist()
    assert (row["reject"]["reason"], row["reject"]["bytes"]) == (GONE, len(line(1)))


def test_a_dataset_among_the_traces_blinds_nobody(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / MANIFEST).write_text(manifest())
    append(agent / "arrivals-00000.jsonl", line(1))
    reader = TraceStreamReader([tmp_path])
    end = reader.latestOffset({})
    make_dataset(tmp_path / "ingested")
    append(agent / "arrivals-00000.jsonl", line(2))
    assert read(reader, end, reader.latestOffset(end)) == [2]


def test_a_watched_place_that_becomes_a_dataset_is_a_mistake_that_is_told(tmp_path: Path) -> None:
    reader = TraceStreamReader([tmp_path / "later"])
    assert reader.latestOffset({}) == {}
    make_dataset(tmp_path / "later")
    with pytest.raises(UsageError, match="is a dataset already"):
        reader.latestOffset({})


def test_lines_that_cannot_be_taken_come_too_as_rejects(tmp_path: Path) -> None:
    for name, says in (("good", manifest()), ("later", '{"schema": 9}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).write_text(says)
        append(tmp_path / name / "arrivals-00000.jsonl", line(1) + b"nonsense\n")
    reader = TraceStreamReader([tmp_path])
    end = reader.latestOffset({})
    rows = [
        row
        for partition in reader.partitions({}, end)
        for batch in reader.read(partition)
        for row in batch.to_pylist()
    ]
    told = sorted(row["reject"]["reason"] for row in rows if row["reject"])
    assert told == ["another version", "another version", "not JSON"]
    assert len(rows) == 4


def test_with_once_nothing_is_read_that_comes_later(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(manifest())
    path = tmp_path / "arrivals-00000.jsonl"
    append(path, line(1))
    reader = TraceStreamReader([tmp_path])
    reader.prepareForTriggerAvailableNow()
    append(path, line(2))
    append(tmp_path / "arrivals-00001.jsonl", line(3))
    end = reader.latestOffset({})
    assert read(reader, {}, end) == [1]
    assert reader.latestOffset(end) == end
