"""The harness of the benchmarks: limits are held, and a miss is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import bench.__main__ as command
from bench import NAMES
from bench.harness import Row, best_seconds, in_turns, not_measured, table
from bench.pipeline import resident_bytes

NAN = float("nan")


def run(monkeypatch: pytest.MonkeyPatch, argv: list[str], path: Path, *rows: Row) -> int:
    """`python -m bench fake`, where that benchmark yields these rows."""
    module = ModuleType("bench.fake", "Made up.\n\nFor tests.")
    module.rows = lambda: iter(rows)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bench.fake", module)
    monkeypatch.setattr(command, "NAMES", (*NAMES, "fake"))
    return command.main(["fake", *argv], path)


def test_a_ceiling_is_kept_from_below_and_a_floor_from_above() -> None:
    assert [Row("a", measured, 2.0).ok for measured in (1.9, 2.0, 2.1)] == [True, True, False]
    floor = [Row("a", measured, 2.0, at_least=True).ok for measured in (1.9, 2.0, 2.1)]
    assert floor == [False, True, True]
    assert not Row("a", NAN, 2.0).ok
    assert Row("a", 3.0, 2.0).of_limit == 1.5
    assert Row("a", 3.0).ok
    assert not not_measured("a", "no peer").ok


def test_beside_a_rival_the_ratio_has_to_keep_the_limit() -> None:
    faster = Row("a", 30.0, 1.0, "a second", at_least=True, rival="bare", rival_measured=20.0)
    assert (faster.judged, faster.ok, faster.of_limit) == (1.5, True, 1.5)
    assert not Row("a", 30.0, 1.0, rival="bare", rival_measured=20.0).ok


def test_the_table_tells_what_was_measured_against_what() -> None:
    rows = [
        Row("ring", 1_800_000, 2_000_000, "bytes"),
        Row("speed", 10, 1, "ms", at_least=True, rival="peer", rival_measured=20),
        Row("told", 3, unit="MB"),
        not_measured("gone", "no server"),
    ]
    assert table(rows).splitlines() == [
        "what          measured  compared with  ratio               limit  ok",
        "ring   1,800,000 bytes                        <= 2,000,000 bytes  ok",
        "speed            10 ms  peer: 20 ms     0.50              >= 1 x  MISSED",
        "told              3 MB",
        "gone                 -                                            MISSED",
        "gone: not measured: no server",
    ]


def test_a_missed_limit_fails_only_a_strict_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bench.json"
    bad = Row("bad", 3, 2, "us")
    assert run(monkeypatch, ["--strict"], path, Row("good", 1, 2)) == 0
    assert run(monkeypatch, [], path, bad) == 0
    assert run(monkeypatch, ["--strict"], path, bad) == 1
    assert "MISSED" in capsys.readouterr().out


def test_rows_are_written_beside_those_of_other_benchmarks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "build" / "bench.json"
    path.parent.mkdir()
    path.write_text('{"other": {"rows": []}}')
    run(monkeypatch, [], path, Row("good", 1, 2), not_measured("gone", "no server"))
    found = json.loads(path.read_text())
    rows = [(row["what"], row["measured"], row["ok"]) for row in found["fake"]["rows"]]
    assert rows == [("good", 1, True), ("gone", None, False)]
    assert found["other"] == {"rows": []}


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


def test_turns_go_there_and_back_and_tell_the_median() -> None:
    values = {"a": [3.0, 1.0, 2.0], "b": [30.0, 10.0, 50.0]}
    ran: list[str] = []

    def case(name: str) -> Callable[[], float]:
        def take() -> float:
            ran.append(name)
            return values[name].pop()

        return take

    assert in_turns({"a": case("a"), "b": case("b")}, 3) == {"a": 2.0, "b": 30.0}
    assert "".join(ran) == "abbaab"


def test_a_child_that_has_its_parents_memory_is_not_counted_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    opened = f"(os.POSIX_SPAWN_OPEN, 0, {str(gate)!r}, os.O_RDONLY, 0)"  # waits for a writer
    program = f"import os; held = b'x' * (64 << 20); pid = os.posix_spawn('/bin/true', ['true'], \
os.environ, file_actions=[{opened}]); os.waitpid(pid, 0)"
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        try:
            for _ in range(1_000):
                if children.read_text():
                    break
                time.sleep(0.02)
            pids = [parent.pid, int(children.read_text())]
            each = [resident_bytes([pid]) for pid in pids]
            assert min(each) > 64 << 20
            assert resident_bytes(pids) < 1.1 * max(each)
            assert resident_bytes([*pids, os.getpid()]) > max(each) + (8 << 20)
        finally:
            with gate.open("wb"):
                pass
    assert parent.returncode == 0
