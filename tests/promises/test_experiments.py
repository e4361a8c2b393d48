"""The paper's experiments: what has to come out of them, whatever the machine or the seed.

Paper, Evaluation. Stable and churn: those that stay get everything, along one tree or two, and two
cost twice as much. Breakdown: along two trees the living get everything while the dead are not
missed yet. Every protocol runs every scenario, by its name, and meets the same faults.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

import pytest

from promises.figures import Figure
from snowcast.baselines.registry import protocol_names
from snowcast.cli.main import main
from snowcast.sim.check import Case, check
from snowcast.sim.library import find
from snowcast.sim.scenario import load, variants
from support.measured import Run, measured
from support.scenarios import shipped

SCENARIOS = (
    "stable",
    "churn",
    "breakdown",
    "sweep_nodes",
    "sweep_fanout",
    "stragglers",
    "undetected",
    "smoke",
)
FEW = {"messages": 40}
LIVE_MIN = 0.999
OF_ONE_COPY = 1.1

Captured = pytest.CaptureFixture[str]


def held(scenario: str, protocol: str, seed: int, messages: int, figure: Figure) -> Run:
    """A run that its checkers are content with, and its figures."""
    changes = {"protocol": protocol, "workload": {"messages": messages}}
    run = measured(shipped(scenario, **changes), seed)
    assert run.result.is_ok, run.result.outcomes
    live = min(one.delivered_live / one.intended_live for one in run.messages)
    figure(f"{scenario}, {protocol}, seed {seed}: reliability", f"{run.reliability:.6f}")
    figure("of the living, mean and least", f"{run.reliability_live:.6f}, {live:.6f}")
    figure("RMR", f"{run.rmr_bytes:.1f} bytes")
    return run


def everybody_gets_everything(
    scenario: str, seeds: Iterable[int], messages: int, figure: Figure
) -> None:
    """Reliability is 1 and not nearly 1, and two trees cost twice what one does."""
    for seed in seeds:
        standard, coloring = (
            held(scenario, name, seed, messages, figure) for name in ("standard", "coloring")
        )
        for run in (standard, coloring):
            assert {one.intended for one in run.messages} == {499}
            assert sum(one.delivered for one in run.messages) == 499 * messages
        assert coloring.rmr_bytes == pytest.approx(2 * standard.rmr_bytes, rel=0.01)
        assert standard.rmr_bytes <= 122


@pytest.mark.parametrize("scenario", ["stable", "churn"])
def test_those_that_stay_get_everything_and_two_trees_cost_twice_as_much(
    scenario: str, figure: Figure
) -> None:
    everybody_gets_everything(scenario, [1], 30, figure)


@pytest.mark.soak
@pytest.mark.parametrize("scenario", ["stable", "churn"])
def test_those_that_stay_get_everything_in_20_whole_runs(scenario: str, figure: Figure) -> None:
    everybody_gets_everything(scenario, range(20), 100, figure)


def the_living_get_it_along_two_trees(seeds: Iterable[int], messages: int, figure: Figure) -> None:
    """Standard stands beside it: it shows that the dead were in the way."""
    for seed in seeds:
        coloring = held("breakdown", "coloring", seed, messages, figure)
        standard = held("breakdown", "standard", seed, messages, figure)
        assert coloring.reliability_live >= LIVE_MIN
        assert standard.reliability_live < coloring.reliability_live
        assert coloring.reliability < 1


def test_in_breakdown_the_living_get_it_along_two_trees(figure: Figure) -> None:
    the_living_get_it_along_two_trees([0], 40, figure)


@pytest.mark.soak
def test_in_breakdown_the_living_get_it_along_two_trees_in_20_whole_runs(figure: Figure) -> None:
    the_living_get_it_along_two_trees(range(20), 100, figure)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_plumtree_at_the_papers_size_costs_within_a_tenth_of_one_copy(
    seed: int, figure: Figure
) -> None:
    run = held("stable", "plumtree", seed, 100, figure)
    warm = run.messages[20:]
    copies = fmean(one.copies / one.delivered for one in warm)
    figure("copies for each delivery, after 20 messages", f"{copies:.3f}")
    assert copies <= OF_ONE_COPY
    assert run.reliability == 1


@pytest.mark.parametrize("protocol", protocol_names())
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_protocol_runs_every_scenario_from_the_command_line(
    scenario: str, protocol: str, capsys: Captured
) -> None:
    """Few nodes and messages, and of long sweeps not all."""
    changes = ["--set", "workload.messages=3"]
    if scenario == "stragglers":
        changes += ["--set", "processing.straggler_every=20"]
    elif scenario == "undetected":
        changes += ["--set", "event.0.share=0.1"]
    command = ["sim", "run", scenario, "--protocol", protocol, "--nodes", "40", *changes]
    assert main(command) == 0

    out = capsys.readouterr().out
    ran = [line for line in out.splitlines() if line.startswith(f"{protocol}, 40 nodes")]
    wanted = load(find(scenario)).with_(40).with_values(_values(changes))
    assert len(ran) == len(list(variants(wanted)))
    assert all(" 3 messages, " in line and " 0 steps skipped" in line for line in ran)


@pytest.mark.soak
@pytest.mark.parametrize("protocol", protocol_names())
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_protocol_runs_every_scenario_as_it_is_shipped(
    scenario: str, protocol: str, figure: Figure
) -> None:
    cases = [case for case, _, _ in Case(scenario, 0, protocol=protocol).variants()]
    failed = [verdict for verdict in check(cases, jobs=2) if not verdict.is_ok]
    figure(f"{scenario}, {protocol}", f"{len(cases)} runs, {len(failed)} failed")
    assert not failed, [(one.case.command(), one.complaints()) for one in failed]


def test_every_protocol_meets_the_same_faults_stragglers_and_messages() -> None:
    def met(protocol: str) -> tuple[object, ...]:
        run = measured(shipped("breakdown", protocol=protocol, **small), 5)
        nodes = sorted((row.node, row.role, row.crashed_us) for row in run.nodes)
        assert sum(row.crashed_us is not None for row in run.nodes) == 3
        return nodes, [(row.origin, row.at_us, row.payload_bytes) for row in run.sent]

    small = {"cluster": {"nodes": 60}, "workload": FEW, "quiet_s": 1}
    wanted, *others = map(met, protocol_names())
    assert all(other == wanted for other in others)


@pytest.mark.parametrize(
    ("text", "key", "allowed"),
    [
        ("[cluster]\nnods = 3", "cluster.nods", "no such key; allowed: config, fanout, "),
        ("[brakdown]", "brakdown", "no such key; allowed: breakdown, "),
        ("[cluster]\nnodes = 0", "cluster.nodes", "expected `int` >= 1"),
        ("[cluster]\nnodes = 'many'", "cluster.nodes", "expected `int`"),
        ("[cluster]\nfanout = 3", "cluster", "fanout must be even and from 2 to "),
        ("[network]\nloss = 1.5", "network.loss", "expected `float` <= 1.0"),
        ("[processing]\ndelay_ms = [9, 1]", "processing", "delay_ms must be [least, most]"),
        ("[processing]\nstragglers = 'some'", "processing.stragglers", "'none', 'aligned'"),
        ("[workload]\nmode = 'both'", "workload.mode", "'coloring', 'protocol', 'random'"),
        ("[workload]\norigin = 900", "workload.origin", "must be below cluster.nodes, 500"),
        ("[[event]]\ndo = 'explode'", "event[0]", "'crash'"),
        ("[check.all_is_well]", "check.all_is_well", "no such key; allowed: "),
        ("[sweep]\ncluster.nodes = [0]", "sweep: cluster.nodes", "expected `int` >= 1"),
        ("protocol = 'paxos'", "protocol", "no protocol 'paxos'; allowed: standard, coloring, "),
    ],
)
def test_a_mistake_in_a_scenario_is_one_line_with_file_key_and_what_was_allowed(
    text: str, key: str, allowed: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    assert main(["sim", "run", str(path)]) == 2

    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith(f"snowcast sim run: {path}: {key}"), line
    assert allowed in line


def _values(options: list[str]) -> dict[str, object]:
    """What `--set` options say, where all values are numbers."""
    pairs = (text.partition("=") for text in options if text != "--set")
    return {key: float(value) if "." in value else int(value) for key, _, value in pairs}
