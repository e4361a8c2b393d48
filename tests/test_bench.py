"""The harness of the benchmarks: limits are held, and a miss is told and fails the run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import bench.__main__ as command
from bench import NAMES
from bench.harness import Row, best_seconds, table


def run(monkeypatch: pytest.MonkeyPatch, path: Path, *rows: Row) -> int:
    """`python -m bench fake`, where that benchmark yields these rows."""
    module = ModuleType("bench.fake", "Made up.\n\nFor tests.")
    module.rows = lambda: iter(rows)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bench.fake", module)
    monkeypatch.setattr(command, "NAMES", (*NAMES, "fake"))
    return command.main(["fake"], path)


def test_a_ceiling_is_kept_from_below_and_a_floor_from_above() -> None:
    assert [Row("a", measured, 2.0).ok for measured in (1.9, 2.0, 2.1)] == [True, True, False]
    floor = [Row("a", measured, 2.0, at_least=True).ok for measured in (1.9, 2.0, 2.1)]
    assert floor == [False, True, True]
    assert not Row("a", float("nan"), 2.0).ok
    assert Row("a", 3.0, 2.0).of_limit == 1.5


def test_the_table_tells_what_was_measured_against_what() -> None:
    rows = [Row("ring", 1_800_000, 2_000_000, "bytes"), Row("speed", 0.5, 1, "x", at_least=True)]
    assert table(rows).splitlines() == [
        "what          measured               limit  of limit  ok",
        "ring   1,800,000 bytes  <= 2,000,000 bytes      0.90  ok",
        "speed           0.50 x              >= 1 x      0.50  NO",
    ]


def test_a_missed_limit_fails_the_run_and_all_rows_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "build" / "bench.json"
    assert run(monkeypatch, path, Row("good", 1, 2)) == 0
    assert run(monkeypatch, path, Row("good", 1, 2), Row("bad", 3, 2, "us")) == 1
    assert "bad" in capsys.readouterr().out
    written = json.loads(path.read_text())["rows"]
    assert [(row["what"], row["ok"]) for row in written] == [("good", True), ("bad", False)]


def test_every_benchmark_is_listed_with_what_it_measures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert all(len(line.split()) > 3 for line in lines)


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["nonsense"])
    assert caught.value.code == 2
    assert "no benchmark 'nonsense'" in capsys.readouterr().err


def test_rounds_run_every_case_in_turn() -> None:
    ran: list[str] = []
    steps = {
        "a": [lambda: ran.append("a1"), lambda: ran.append("a2")],
        "b": [lambda: ran.append("b")],
    }
    found = best_seconds(steps, rounds=2)
    assert ran == ["a1", "a2", "b"] * 2
    assert set(found) == {"a", "b"}
    assert all(0 <= seconds < float("inf") for seconds in found.values())
