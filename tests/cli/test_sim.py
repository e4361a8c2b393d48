"""`snowcast sim`: seed first, one line for a mistake, status 1 when an invariant did not hold."""

import json
from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import RunRow

FAILING = """\
# Cannot hold.
quiet_s = 1
[cluster]
nodes = 5
[[event]]
at_s = 1
do = "crash"
count = 1
[check.views_converge]
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A scenario that no seed can pass."""
    path = tmp_path / "failing.toml"
    path.write_text(FAILING, encoding="utf-8")
    return str(path)


def test_a_run_says_its_seed_first_and_then_what_happened(capsys: Captured) -> None:
    assert main(["sim", "run", "smoke", "--seed", "3", "--nodes", "12"]) == 0

    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "seed 3: snowcast sim run smoke --seed 3 --nodes 12"
    assert rest[0].startswith("standard, 12 nodes and 1 that joined: 25 s, 12 messages")
    assert "views_converge: ok (converged_after_s 0)" in rest


def test_the_protocol_can_be_another(capsys: Captured) -> None:
    assert main(["sim", "run", "smoke", "--nodes", "8", "--protocol", "coloring"]) == 0

    assert "coloring, 8 nodes" in capsys.readouterr().out


SWEPT = """\
# Twice.
quiet_s = 1
[sweep]
cluster.nodes = [5, 6]
[workload]
messages = 1
[check.stable_covered]
"""


@pytest.fixture
def swept(tmp_path: Path) -> str:
    """A scenario of two runs."""
    path = tmp_path / "swept.toml"
    path.write_text(SWEPT, encoding="utf-8")
    return str(path)


def test_a_sweep_is_run_once_for_each_variant_with_the_command_that_makes_it_alone(
    swept: str, capsys: Captured
) -> None:
    assert main(["sim", "run", swept]) == 0
    out = capsys.readouterr().out
    for nodes in (5, 6):
        command = f"snowcast sim run {swept} --seed 0 --set cluster.nodes={nodes}"
        assert f"seed 0: {command}\nstandard, {nodes} nodes" in out

    assert main(["sim", "run", swept, "--set", "cluster.nodes=6"]) == 0
    assert capsys.readouterr().out in out


def test_each_variant_has_a_trace_of_its_own(swept: str, tmp_path: Path) -> None:
    assert main(["sim", "run", swept, "--out", str(tmp_path / "out")]) == 0

    rows = [
        next(iter(TraceReader(tmp_path / "out" / f"cluster.nodes={n}").rows(RunRow)))
        for n in (5, 6)
    ]
    assert [row.run for row in rows] == [f"swept-cluster.nodes={n}-standard-0" for n in (5, 6)]
    assert {(row.scenario, row.variant) for row in rows} == {
        ("swept", "cluster.nodes=5"),
        ("swept", "cluster.nodes=6"),
    }


def test_a_check_goes_through_every_variant(swept: str, capsys: Captured) -> None:
    assert main(["sim", "check", swept, "--seeds", "0..3", "--jobs", "1"]) == 0

    assert capsys.readouterr().out.splitlines()[-1] == "6 runs, 0 failed"


def test_what_a_baseline_does_not_promise_is_told_and_is_no_failure(capsys: Captured) -> None:
    assert main(["sim", "run", "smoke", "--protocol", "gossip"]) == 0

    out = capsys.readouterr().out
    assert "receipts_truthful: 6 findings, but gossip does not promise it (" in out
    assert "no receipt" not in out


def test_a_run_as_json_is_json_and_nothing_else(capsys: Captured) -> None:
    assert main(["sim", "run", "smoke", "--seed", "3", "--nodes", "12", "--json"]) == 0

    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert captured.err == "seed 3: snowcast sim run smoke --seed 3 --nodes 12\n"
    assert (result["seed"], result["nodes"]) == (3, 12)
    assert result["outcomes"][0]["name"] == "delivered_once"


def test_a_run_writes_a_trace_where_it_is_told(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "trace"

    assert main(["sim", "run", "smoke", "--nodes", "8", "--out", str(out)]) == 0

    (row,) = TraceReader(out).rows(RunRow)
    assert (row.scenario, row.seed) == ("smoke", 0)
    assert main(["sim", "run", "smoke", "--nodes", "8", "--out", str(out)]) == 2
    assert "there is a trace already" in capsys.readouterr().err


def test_a_run_that_breaks_an_invariant_says_how_and_has_status_1(
    failing: str, capsys: Captured
) -> None:
    assert main(["sim", "run", failing]) == 1

    out = capsys.readouterr().out
    assert "views_converge: FAILED, 4 findings" in out
    assert "  node 0 holds 5 members and not 4: lacks none, keeps " in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "smoek"], "no scenario 'smoek'; there are: "),
        (["run", "none.toml"], "none.toml: no such file"),
        (["run", "smoke", "--nodes", "0"], "cluster.nodes: expected `int` >= 1"),
        (["run", "smoke", "--protocol", "x"], "no protocol 'x'; allowed: standard, coloring"),
        (["run", "smoke", "--set", "nodes"], "expected a key and its value"),
        (["run", "smoke", "--set", "cluster.x=1"], "cluster.x: no such key; allowed: config, "),
        (["check", "smoke", "--set", "cluster.fanout=3"], "fanout must be even"),
        (["run", "smoke", "--seed", "-1"], "Invalid value for '--seed'"),
        (["check", "--seeds", "9..3"], "seeds: expected 7 or 0..2000, not '9..3'"),
        (["check", "smoke", "smoek"], "no scenario 'smoek'"),
        (["check", "smoke", "--jobs", "0"], "jobs must be at least 1, not 0"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    arguments: list[str], complaint: str, capsys: Captured
) -> None:
    assert main(["sim", *arguments]) == 2

    captured = capsys.readouterr()
    assert captured.err.startswith(f"snowcast sim {arguments[0]}: ")
    assert complaint in captured.err
    assert captured.err.count("\n") == 1


def test_a_mistake_in_a_file_names_the_file_and_the_key(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[cluster]\nnods = 3\n", encoding="utf-8")

    assert main(["sim", "run", str(path)]) == 2
    assert f"{path}: cluster.nods: no such key; allowed: config, fanout" in capsys.readouterr().err


def test_a_check_of_seeds_that_hold_says_so(capsys: Captured) -> None:
    assert main(["sim", "check", "smoke", "--seeds", "0..3", "--nodes", "8", "--jobs", "1"]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "seeds 0..3 of smoke: 3 runs, 1 at a time",
        "3 runs, 0 failed",
    ]


def test_a_check_names_the_seed_that_fails_and_the_command_that_shows_it(
    failing: str, capsys: Captured
) -> None:
    assert main(["sim", "check", "smoke", failing, "--seeds", "4", "--nodes", "8"]) == 1

    out = capsys.readouterr().out.splitlines()
    assert out[1] == f"FAILED under seed 4: snowcast sim run {failing} --seed 4 --nodes 8"
    assert out[2].startswith("  views_converge: node ")
    assert out[-1] == "2 runs, 1 failed"


def test_the_list_tells_each_scenario_in_a_sentence(capsys: Captured) -> None:
    assert main(["sim", "list"]) == 0

    out = capsys.readouterr().out
    assert "smoke" in out
    assert "Seconds, not minutes" in out


def test_where_there_are_no_scenarios_the_list_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("snowcast.sim.library.scenarios", dict)

    assert main(["sim", "list"]) == 2
    assert "no scenarios here" in capsys.readouterr().err
