"""Lines as rows or as rejects: literal lines in, literal rows out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.pipeline.ingest.lines import Block
from snowcast.pipeline.ingest.parse import (
    CUT,
    GONE,
    LANDED,
    NOT_JSON,
    OTHER_SHAPE,
    SIZES,
    TIMES_US,
    TOO_LONG,
    gone,
    landed,
    landed_block,
)
from snowcast.trace.schema import TABLES, ArrivalRow, MessageRow, ProbeRow, columns
from support.hostile import deep, hostile_line

PROBE = ProbeRow(run="r", node="a", peer="b", at_us=5, rtt_us=2, offset_us=-1)
LINE = msgspec.json.encode(PROBE)
MESSAGE = MessageRow(
    run="r", message="a/1/1", origin="a", at_us=1, payload_bytes=9, mode="standard", reliable=True
)


def rows(block: Block, table: str = "probes", problem: str = "") -> list[dict[str, Any]]:
    """What is there of each landed row."""
    batches = list(landed_block("f", table, block, problem))
    assert all(batch.schema.equals(LANDED) for batch in batches)
    found = pa.Table.from_batches(batches, LANDED).to_pylist()
    return [{name: value for name, value in row.items() if value is not None} for row in found]


def as_dict(row: Any) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in columns(type(row))}


def reject(line: bytes, **changes: Any) -> dict[str, Any]:
    """The reason and the detail of a line that is rejected."""
    (row,) = rows(Block(10, line, **changes))
    assert row["table"] == "rejects"
    told = row["reject"]
    assert (told["table"], told["file"], told["offset"]) == ("probes", "f", 10)
    return told


def test_good_lines_are_rows_of_their_table() -> None:
    assert (
        rows(Block(0, LINE + b"\n" + LINE + b"\n"))
        == [{"table": "probes", "probes": as_dict(PROBE)}] * 2
    )


def test_a_message_remembers_where_it_stood() -> None:
    line = msgspec.json.encode(MESSAGE)
    assert rows(Block(3, b"\n" + line + b"\n"), "messages") == [
        {"table": "messages", "messages": as_dict(MESSAGE), "file": "f", "offset": 4}
    ]


def test_a_bad_line_among_good_ones_is_told_and_the_others_are_taken() -> None:
    good, bad = rows(Block(7, LINE + b"\nnonsense\n" + LINE + b"\n"))[::2]
    found = rows(Block(7, LINE + b"\nnonsense\n" + LINE + b"\n"))
    assert [row["table"] for row in found] == ["probes", "probes", "rejects"]
    assert good["probes"] == as_dict(PROBE)
    assert bad["reject"] == {
        "table": "probes",
        "reason": NOT_JSON,
        "detail": bad["reject"]["detail"],
        "file": "f",
        "offset": 7 + len(LINE) + 1,
        "bytes": 8,
        "line": "nonsense",
    }


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        (LINE.replace(b'"peer":"b",', b""), OTHER_SHAPE, "missing required field `peer`"),
        (LINE.replace(b"5", b'"5"'), OTHER_SHAPE, "at `$.at_us`"),
        (LINE.replace(b'"r"', b'""'), OTHER_SHAPE, "the run has no name"),
        (LINE.replace(b"5", b"9223372036854775808"), OTHER_SHAPE, "at_us is out of range"),
        (LINE.replace(b"5", b"%d" % -(1 << 63)), OTHER_SHAPE, "at_us is out of range"),
        (LINE.replace(b"-1", b"%d" % TIMES_US.stop), OTHER_SHAPE, "offset_us is out of range"),
        (LINE.replace(b'"r"', b'"%s"' % (201 * b"x")), OTHER_SHAPE, "the run is too long"),
        (LINE.replace(b'"r"', b'"%s"' % (67 * b"%")), OTHER_SHAPE, "the run is too long"),
        (LINE.replace(b'"r"', b'"\\u0000"'), OTHER_SHAPE, "no folder can have"),
        (LINE[:-1] + b',"z":%s}' % deep(100_000).encode(), OTHER_SHAPE, "nested too deep"),
        (b"[1]", OTHER_SHAPE, "Expected `object`"),
        (LINE[:-3], NOT_JSON, "truncated"),
        (LINE.replace(b'"b"', b'"\xff"'), NOT_JSON, "utf-8"),
    ],
)
def test_what_the_schema_does_not_allow_is_a_reject(line: bytes, reason: str, detail: str) -> None:
    told = reject(line + b"\n")
    assert told["reason"] == reason
    assert detail.lower() in told["detail"].lower()
    assert told["bytes"] == len(line)


def test_a_frame_has_no_size_that_cannot_be_added_up() -> None:
    arrival = ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=5, bytes=SIZES.stop)
    for size, table in ((SIZES.stop, "rejects"), (SIZES.stop - 1, "arrivals"), (-1, "rejects")):
        line = msgspec.json.encode(msgspec.structs.replace(arrival, bytes=size))
        assert [row["table"] for row in rows(Block(0, line + b"\n"), "arrivals")] == [table]


@given(st.sampled_from(sorted(TABLES)), st.integers(0, 10_000), st.booleans())
def test_whatever_is_in_a_line_it_is_a_row_or_a_reject(table: str, seed: int, is_cut: bool) -> None:
    random = Random(seed)
    lines = [hostile_line(random, table) for _ in range(12)]
    one_by_one = [row for line in lines for row in rows(Block(0, line + b"\n"), table)]
    together = rows(Block(0, b"\n".join(lines), is_cut=is_cut), table)
    assert len(together) == len(one_by_one) == sum(line != b"" for line in lines)
    assert sorted([row["table"] for row in together]) == sorted([r["table"] for r in one_by_one])
    for row in together:
        for name, value in row.get(table, {}).items():
            assert not name.endswith("_us") or value is None or value in TIMES_US


def test_a_range_that_is_gone_is_a_reject_of_so_many_bytes() -> None:
    (row,) = gone("f", "probes", 7, 40).to_pylist()
    assert row["reject"] == {
        "table": "probes",
        "reason": GONE,
        "detail": "33 bytes that were there are not",
        "file": "f",
        "offset": 7,
        "bytes": 33,
        "line": "",
    }


def test_bytes_that_are_no_text_are_written_out() -> None:
    assert reject(b"\xff{\n")["line"] == "\\xff{"


def test_columns_that_the_schema_does_not_know_are_left_out() -> None:
    line = LINE.replace(b'"peer"', b'"later":[1],"peer"')
    assert rows(Block(0, line + b"\n")) == [{"table": "probes", "probes": as_dict(PROBE)}]


def test_a_last_line_without_an_end_is_taken_if_it_is_whole_and_else_cut_off() -> None:
    assert rows(Block(0, LINE, is_cut=True)) == [{"table": "probes", "probes": as_dict(PROBE)}]
    assert reject(LINE[:-1], is_cut=True)["reason"] == CUT


def test_a_line_that_is_too_long_tells_how_long_it_is() -> None:
    told = reject(b"beginning", long_bytes=9_000_000)
    assert (told["reason"], told["bytes"], told["line"]) == (TOO_LONG, 9_000_000, "beginning")


def test_with_a_problem_all_lines_are_rejects_also_good_ones() -> None:
    (row,) = rows(Block(0, LINE + b"\n"), "probes", "another version")
    assert (row["reject"]["reason"], row["reject"]["line"]) == ("another version", LINE.decode())


def test_a_range_of_a_file_is_landed(tmp_path: Path) -> None:
    path = tmp_path / "arrivals-00000.jsonl"
    arrival = ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=5, bytes=4)
    path.write_bytes(b"".join(msgspec.json.encode(arrival) + b"\n" for _ in range(3)))
    (batch,) = landed(path, "arrivals", 1, path.stat().st_size, "")
    assert batch.num_rows == 2
