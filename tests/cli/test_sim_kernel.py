"""`snowcast sim run --kernel`: the same scenarios compiled, unasked where there are many nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, RunRow

WHY = "needs the extra: pip install 'snowcast[kernels]'"
pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)

FEW = ["--nodes", "200", "--set", "workload.messages=4"]

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("protocol", ["standard", "coloring", "gossip"])
def test_a_run_by_kernel_delivers_what_one_with_full_nodes_does(
    protocol: str, capsys: Captured
) -> None:
    command = ["sim", "run", "stable", "--protocol", protocol, *FEW, "--json"]
    assert main([*command, "--no-kernel"]) == 0
    full = json.loads(capsys.readouterr().out)
    assert main([*command, "--kernel"]) == 0
    compiled = json.loads(capsys.readouterr().out)

    assert (compiled["nodes"], compiled["messages"]) == (200, 4)
    if protocol == "gossip":  # it draws its targets elsewhere
        assert compiled["deliveries"] == pytest.approx(full["deliveries"], rel=0.03)
    else:
        assert compiled["deliveries"] == full["deliveries"] == 4 * 199
        assert compiled["frames"] == full["frames"]["Data"]
        assert compiled["missed"] == compiled["lost"] == 0


def test_many_nodes_go_by_kernel_with_nobody_asking(capsys: Captured) -> None:
    command = ["sim", "run", "stable", "--nodes", "5000", "--set", "workload.messages=1"]
    assert main(command) == 0

    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == f"seed 0: snowcast {' '.join([*command[:3], '--seed', '0', *command[3:]])}"
    assert second == "standard by kernel, 5000 nodes: 1 messages, 4999 deliveries, 0 missed by " + (
        "the living"
    )


def test_a_run_by_kernel_writes_a_trace_too(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "trace"
    assert main(["sim", "run", "stable", *FEW, "--kernel", "--out", str(out)]) == 0

    assert (
        "stable --seed 0 --nodes 200 --set workload.messages=4 --kernel" in capsys.readouterr().out
    )
    (row,) = TraceReader(out).rows(RunRow)
    assert (row.scenario, row.nodes) == ("stable", 200)
    assert len(list(TraceReader(out).rows(ArrivalRow))) == 4 * 199


@pytest.mark.parametrize(
    ("scenario", "complaint"),
    [
        (["stable", "--protocol", "plumtree"], "protocol: no kernel for 'plumtree'; allowed: "),
        (["churn"], "no kernel for nodes that join"),
        (["breakdown"], "no kernel for dead nodes that are detected; cluster.config.probe_"),
    ],
)
def test_what_no_kernel_does_is_one_line_that_says_what_does(
    scenario: list[str], complaint: str, capsys: Captured
) -> None:
    assert main(["sim", "run", *scenario, "--kernel"]) == 2

    told = capsys.readouterr().err
    assert told.startswith("snowcast sim run: ")
    assert complaint in told
    assert told.endswith("(--no-kernel runs a node each)\n")
    assert told.count("\n") == 1
