"""A trace on disk: whole lines, numbered parts, and readers that survive a cut anywhere."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from snowcast.trace.files import TraceError, TraceReader, TraceWriter, fingerprint, parts
from snowcast.trace.schema import TABLES, ArrivalRow, ProbeRow


def arrival(number: int) -> ArrivalRow:
    return ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=number, bytes=4)


def probe(number: int) -> ProbeRow:
    return ProbeRow(run="r", node="a", peer="b", at_us=number, rtt_us=1, offset_us=-1)


def written(directory: Path, count: int, part_bytes_max: int = 1 << 20) -> Path:
    with TraceWriter(directory, part_bytes_max) as writer:
        for number in range(count):
            writer.write(arrival(number))
    return directory


def numbers(reader: TraceReader) -> list[int]:
    return [row.at_us for row in reader.rows(ArrivalRow)]


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [arrival(1), probe(2), arrival(3)]
    with TraceWriter(tmp_path / "deep" / "trace") as writer:
        for row in rows:
            writer.write(row)
    reader = TraceReader(tmp_path / "deep" / "trace")
    assert list(reader.rows(ArrivalRow)) == [arrival(1), arrival(3)]
    assert list(reader.rows(ProbeRow)) == [probe(2)]
    assert reader.torn == 0


def test_a_table_without_rows_has_no_file(tmp_path: Path) -> None:
    assert names(written(tmp_path, 1)) == ["arrivals-00000.jsonl", "manifest.json"]
    assert list(TraceReader(tmp_path).rows(ProbeRow)) == []


def test_a_part_that_is_large_enough_is_followed_by_the_next(tmp_path: Path) -> None:
    line_bytes = 70
    written(tmp_path, 10, part_bytes_max=3 * line_bytes)
    found = parts(tmp_path, "arrivals")
    assert [path.name for path in found] == [f"arrivals-{n:05}.jsonl" for n in range(4)]
    assert [path.read_bytes().count(b"\n") for path in found] == [3, 3, 3, 1]
    assert numbers(TraceReader(tmp_path)) == list(range(10))


def test_a_row_larger_than_a_part_still_fits_one(tmp_path: Path) -> None:
    written(tmp_path, 3, part_bytes_max=1)
    assert len(parts(tmp_path, "arrivals")) == 3
    assert numbers(TraceReader(tmp_path)) == [0, 1, 2]


def test_parts_are_read_in_order_beyond_a_hundred_thousand(tmp_path: Path) -> None:
    written(tmp_path, 1)
    line = (tmp_path / "arrivals-00000.jsonl").read_bytes()
    for number in (99_999, 100_000):
        path = tmp_path / f"arrivals-{number}.jsonl"
        path.write_bytes(line.replace(b'"at_us":0', b'"at_us":%d' % number))
    assert numbers(TraceReader(tmp_path)) == [0, 99_999, 100_000]


def test_a_writer_that_comes_back_begins_new_parts(tmp_path: Path) -> None:
    written(tmp_path, 2)
    written(tmp_path, 2)
    assert len(parts(tmp_path, "arrivals")) == 2
    assert numbers(TraceReader(tmp_path)) == [0, 1, 0, 1]


def test_nothing_is_on_disk_before_a_flush_and_whole_lines_after_it(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(arrival(1))
    assert names(tmp_path) == ["manifest.json"]
    writer.flush()
    writer.write(arrival(2))
    assert numbers(TraceReader(tmp_path)) == [1]
    writer.close()
    assert numbers(TraceReader(tmp_path)) == [1, 2]


def test_rows_after_a_close_go_to_a_new_part(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    for number in range(3):
        writer.write(arrival(number))
        writer.close()
    assert len(parts(tmp_path, "arrivals")) == 3


def test_much_is_written_without_a_flush(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    for number in range(2_000):
        writer.write(arrival(number))
    read = numbers(TraceReader(tmp_path))
    assert 900 < len(read) < 2_000
    assert read == list(range(len(read)))
    writer.close()
    assert numbers(TraceReader(tmp_path)) == list(range(2_000))


def test_a_disk_that_is_full_for_a_while_tears_no_line(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    for number in range(300):
        writer.write(arrival(number))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))  # of each file: a disk of its own
    try:
        for _ in range(2):
            with pytest.raises(OSError, match="too large"):
                writer.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "arrivals-00000.jsonl").stat().st_size == 1_000
    writer.close()
    reader = TraceReader(tmp_path)
    assert (numbers(reader), reader.torn) == (list(range(300)), 0)


def test_a_writer_that_is_abandoned_writes_nothing_more(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(arrival(1))
    writer.flush()
    writer.write(arrival(2))
    writer.abandon()
    writer.close()
    assert numbers(TraceReader(tmp_path)) == [1]


def test_a_trace_cut_anywhere_gives_all_its_whole_lines(tmp_path: Path) -> None:
    written(tmp_path, 3)
    path = tmp_path / "arrivals-00000.jsonl"
    content = path.read_bytes()
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        reader = TraceReader(tmp_path)
        whole = content[:size].count(b"\n")
        assert numbers(reader) == list(range(whole))
        assert reader.torn == (size > 0 and not content[:size].endswith(b"\n"))


def test_what_follows_a_torn_part_is_read(tmp_path: Path) -> None:
    written(tmp_path, 2)
    path = tmp_path / "arrivals-00000.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    written(tmp_path, 2)
    reader = TraceReader(tmp_path)
    assert numbers(reader) == [0, 0, 1]
    assert reader.torn == 1


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    written(tmp_path, 1)
    path = tmp_path / "arrivals-00000.jsonl"
    path.write_bytes(path.read_bytes() + b'{"run":"r"}\n')
    with pytest.raises(TraceError, match=r"arrivals-00000\.jsonl:2: .*missing required"):
        numbers(TraceReader(tmp_path))


def test_columns_that_a_later_version_has_added_are_passed_over(tmp_path: Path) -> None:
    written(tmp_path, 1)
    path = tmp_path / "arrivals-00000.jsonl"
    path.write_bytes(path.read_bytes().replace(b"{", b'{"novelty":1,'))
    assert numbers(TraceReader(tmp_path)) == [0]


def test_the_manifest_names_the_version_and_the_columns(tmp_path: Path) -> None:
    written(tmp_path, 0)
    content = json.loads((tmp_path / "manifest.json").read_text())
    assert content["schema"] == 1
    assert list(content["tables"]) == list(TABLES)
    assert content["tables"]["probes"][:3] == ["run", "node", "peer"]


def test_what_is_no_trace_of_this_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"is no trace: it has no manifest\.json"):
        TraceReader(tmp_path)
    manifest = tmp_path / "manifest.json"
    for text, complaint in (
        ('{"schema": 2}', "schema version 2, not 1"),
        ("[]", "is not the manifest"),
        ("{", "is not the manifest"),
        (100_000 * "[", "is not the manifest"),
    ):
        manifest.write_text(text)
        with pytest.raises(TraceError, match=complaint):
            TraceReader(tmp_path)
        with pytest.raises(TraceError, match=complaint):
            TraceWriter(tmp_path)


def test_equal_traces_have_equal_fingerprints_and_others_do_not(tmp_path: Path) -> None:
    prints = [fingerprint(written(tmp_path / str(n), n)) for n in range(4)]
    assert fingerprint(written(tmp_path / "again", 3)) == prints[3]
    assert len(set(prints)) == 4
    assert fingerprint(written(tmp_path / "parts", 3, part_bytes_max=1)) != prints[3]
