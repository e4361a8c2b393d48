"""Which files there are to read, and which of them for what reason not."""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.pipeline.ingest.sources import (
    NothingYet,
    Source,
    find_sources,
    part_number,
    table_of,
)
from snowcast.trace.files import MANIFEST, manifest
from snowcast.trace.parquet import make_dataset


def trace(directory: Path, *names: str, says: str | None = None) -> Path:
    """A directory with a manifest and these files."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MANIFEST).write_text(manifest() if says is None else says)
    for name in names:
        (directory / name).write_bytes(b"{}\n")
    return directory


def test_the_parts_of_all_traces_below_are_found_in_order(tmp_path: Path) -> None:
    one = trace(tmp_path / "host2" / "a", "runs-00000.jsonl", "arrivals-00001.jsonl")
    two = trace(tmp_path / "host1", "arrivals-00000.jsonl")
    (one / "notes.txt").write_text("not ours")
    assert find_sources([tmp_path, two]) == [
        Source(two / "arrivals-00000.jsonl", "arrivals", 3),
        Source(one / "arrivals-00001.jsonl", "arrivals", 3),
        Source(one / "runs-00000.jsonl", "runs", 3),
    ]


def test_lines_that_stand_elsewhere_are_found_with_the_reason_why_not(tmp_path: Path) -> None:
    trace(tmp_path / "good", "runs-00000.jsonl", "strange.jsonl")
    trace(tmp_path / "later", "runs-00000.jsonl", says='{"schema": 99}')
    trace(tmp_path / "torn", "runs-00000.jsonl", says='{"sch')
    (tmp_path / "stray-00000.jsonl").write_text("")
    found = {str(s.path.relative_to(tmp_path)): s.problem for s in find_sources([tmp_path])}
    assert found == {
        "good/runs-00000.jsonl": "",
        "good/strange.jsonl": "no table",
        "later/runs-00000.jsonl": "another version",
        "torn/runs-00000.jsonl": "no trace",
        "stray-00000.jsonl": "no trace",
    }


def test_a_place_without_any_trace_is_a_mistake_that_says_why(tmp_path: Path) -> None:
    for name in ("empty", "lines"):
        (tmp_path / name).mkdir()
    (tmp_path / "lines" / "x.jsonl").write_text("{}\n")
    trace(tmp_path / "later", "runs-00000.jsonl", says='{"schema": 99}')
    make_dataset(tmp_path / "dataset")
    for name, why in (
        ("missing", "no such directory"),
        ("empty", r"is no trace: it has no manifest\.json"),
        ("lines", r"is no trace: it has no manifest\.json"),
        ("later", "schema version 99, not 1"),
        ("dataset", "is a dataset already: `pipeline metrics` reads it"),
    ):
        with pytest.raises(UsageError, match=why):
            find_sources([tmp_path / name])


def test_among_growing_traces_a_dataset_is_passed_over(tmp_path: Path) -> None:
    agent = trace(tmp_path / "agent", "runs-00000.jsonl")
    make_dataset(tmp_path / "dataset")
    with pytest.raises(UsageError, match="is a dataset already"):
        find_sources([tmp_path])
    wanted = [Source(agent / "runs-00000.jsonl", "runs", 3)]
    assert find_sources([tmp_path], are_growing=True) == wanted
    with pytest.raises(UsageError, match="is a dataset already") as mistake:
        find_sources([tmp_path / "dataset"], are_growing=True)
    assert not isinstance(mistake.value, NothingYet)


def test_what_may_yet_become_a_trace_is_told_apart_from_what_will_not(tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "x.jsonl").write_text("{}\n")
    for name in ("missing", "lines"):
        with pytest.raises(NothingYet):
            find_sources([tmp_path / name], are_growing=True)
    later = trace(tmp_path / "later", "runs-00000.jsonl", says='{"schema": 99}')
    (found,) = find_sources([later], are_growing=True)
    assert found.problem == "another version"


def test_a_part_is_told_by_its_name() -> None:
    names = ["arrivals-00012.jsonl", "arrivals-x.jsonl", "others-1.jsonl", "arrivals-00001.json"]
    assert [table_of(name) for name in names] == ["arrivals", None, None, None]
    assert part_number("arrivals-00012.jsonl") == 12
