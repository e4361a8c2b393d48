"""The grid: which cells there are, what each is called, and how one is run alone."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

from snowcast.core.errors import UsageError
from snowcast.pipeline import grid as module
from snowcast.pipeline.grid import Cell, file_name, grid
from snowcast.sim.scenario import load

SMALL = """\
protocol = "coloring"
[cluster]
nodes = 10
[workload]
messages = 2
[check.delivered_once]
"""
SWEPT = """\
[sweep]
cluster.nodes = [10, 20]
processing.stragglers = ["aligned", "random"]
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


@pytest.fixture
def swept(tmp_path: Path) -> str:
    path = tmp_path / "swept.toml"
    path.write_text(SMALL + SWEPT)
    return str(path)


def runs(*scenarios: str, **more: Any) -> list[str]:
    return [cell.run for cell in grid(scenarios, more.pop("seeds", [3]), **more)]


def test_a_scenario_alone_is_a_cell_for_each_seed(small: str) -> None:
    assert runs(small, seeds=range(2)) == ["small-coloring-n10-k4-s0", "small-coloring-n10-k4-s1"]


def test_every_combination_is_a_cell(small: str) -> None:
    found = runs(small, protocols=["standard", "gossip"], nodes=[8, 9], fanouts=[2])
    assert found == [
        "small-standard-n8-k2-s3",
        "small-standard-n9-k2-s3",
        "small-gossip-n8-k2-s3",
        "small-gossip-n9-k2-s3",
    ]


def test_what_a_scenario_sweeps_itself_is_in_the_grid(swept: str) -> None:
    assert runs(swept) == [
        f"swept-processing.stragglers={placement}-coloring-n{nodes}-k4-s3"
        for nodes in (10, 20)
        for placement in ("aligned", "random")
    ]


def test_the_callers_values_go_before_those_of_the_scenario(swept: str) -> None:
    assert runs(swept, nodes=[7]) == [
        f"swept-processing.stragglers={placement}-coloring-n7-k4-s3"
        for placement in ("aligned", "random")
    ]


def test_a_variant_is_what_has_no_column_of_its_own(swept: str) -> None:
    cells = grid([swept], [3], protocols=["gossip"])
    assert [cell.variant for cell in cells] == [
        "processing.stragglers=aligned",
        "processing.stragglers=random",
    ] * 2
    assert {(cell.scenario, cell.load().protocol) for cell in cells} == {("swept", "gossip")}


def test_a_cell_holds_the_whole_scenario_but_its_checks(small: str) -> None:
    (cell,) = grid([small], [3], fanouts=[6])
    scenario = cell.load()
    wanted = load(Path(small)).with_values({"cluster.fanout": 6})
    assert scenario == msgspec.structs.replace(wanted, check=scenario.check)
    assert scenario.check.make() == []


def test_the_command_of_a_cell_says_all_that_is_different(small: str) -> None:
    (cell,) = grid([small], [3], protocols=["gossip"], nodes=[8], fanouts=[6])
    assert shlex.split(cell.command) == [
        *("snowcast", "sim", "run", small, "--seed", "3"),
        *("--protocol", "gossip", "--nodes", "8", "--set", "cluster.fanout=6"),
        "--no-kernel",
    ]


def test_large_runs_are_computed_by_kernel(small: str) -> None:
    cells = grid([small], [3], nodes=[9, 10, 11], kernel_from=10)
    assert [cell.by_kernel for cell in cells] == [False, True, True]
    assert [cell.command.split()[-1] for cell in cells] == ["--no-kernel", "--kernel", "--kernel"]


def test_names_change_with_what_a_run_follows_from_and_with_nothing_else(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cell,) = grid([small], [3])
    name = cell.name
    assert name.startswith("small-coloring-n10-k4-s3.")
    assert grid([small], [3], protocols=["coloring"])[0].name == name
    (tmp_path / "elsewhere").mkdir()
    moved = tmp_path / "elsewhere" / "small.toml"
    moved.write_text("# Another comment.\n" + SMALL)
    assert grid([str(moved)], [3])[0].name == name
    moved.write_text(SMALL.replace("messages = 2", "messages = 3"))
    assert grid([str(moved)], [3])[0].name != name
    assert msgspec.structs.replace(cell, by_kernel=True).name != name
    monkeypatch.setattr(module, "digest_of", lambda rooms: f"other {rooms}")
    assert grid([small], [3])[0].name != name


def test_a_scenario_named_twice_counts_once_and_two_of_one_name_are_refused(
    small: str, tmp_path: Path
) -> None:
    assert runs(small, small) == ["small-coloring-n10-k4-s3"]
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "small.toml"
    other.write_text(SMALL)
    with pytest.raises(UsageError, match="two runs would be called small-coloring-n10-k4-s3"):
        runs(small, str(other))


def test_what_makes_no_sense_is_refused_before_anything_runs(small: str) -> None:
    with pytest.raises(UsageError, match="no scenario 'nonsense'"):
        runs("nonsense")
    with pytest.raises(UsageError, match="nonsense"):
        runs(small, protocols=["nonsense"])
    with pytest.raises(UsageError, match="nodes"):
        runs(small, nodes=[0])
    with pytest.raises(UsageError, match="expected between 1 and 100000 runs, not 0"):
        runs(small, seeds=[])


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("plain-k4", "plain-k4"),
        ("a=1,b.c=x y", "a=1,b.c=x y"),
        ("a/b:c*{d}[e]", "a%2Fb%3Ac%2A%7Bd%7D%5Be%5D"),
        (".hidden", "%2Ehidden"),
        ("_SUCCESS", "%5FSUCCESS"),
    ],
)
def test_a_run_may_be_called_anything(run: str, name: str) -> None:
    assert file_name(run) == name


def test_long_names_are_cut_and_stay_apart() -> None:
    names = {file_name("x" * 300 + end) for end in "ab"}
    assert {len(name) for name in names} == {180}
    assert len(names) == 2


def test_a_cell_survives_the_way_to_an_executor(small: str) -> None:
    (cell,) = grid([small], [3])
    assert msgspec.convert(msgspec.to_builtins(cell), Cell) == cell
