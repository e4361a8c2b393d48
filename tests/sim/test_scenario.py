"""Scenario files: what they say is what is run, and what is wrong with one is said in a line."""

import re
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.incidents import Crash
from snowcast.sim.library import scenarios
from snowcast.sim.scenario import Scenario, load, parse

FILE = """
protocol = "coloring"
duration_s = 60

[cluster]
nodes = 40

[workload]
messages = 3
origin = 7

[[event]]
at_s = 10
do = "crash"
share = 0.05

[check.delivered_once]
[check.views_converge]
within_s = 4
"""


def written(tmp_path: Path, text: str) -> Path:
    """A scenario file."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_as_it_reads(tmp_path: Path) -> None:
    scenario = load(written(tmp_path, FILE))

    assert scenario.protocol == "coloring"
    assert scenario.cluster.nodes == 40
    assert scenario.workload.origin == 7
    assert scenario.event == (Crash(at_s=10, share=0.05),)
    assert [checker.name for checker in scenario.check.make()] == [
        "delivered_once",
        "views_converge",
    ]


def test_an_empty_file_is_the_papers_cluster_doing_nothing(tmp_path: Path) -> None:
    scenario = load(written(tmp_path, ""))

    assert scenario == Scenario()
    assert scenario.cluster.nodes == 500
    assert scenario.check.make() == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nodes = 5", "nodes: no such key; allowed: breakdown, "),
        ("[cluster]\nnodes = 0", "cluster.nodes: expected `int` >= 1"),
        ("protocol = 'paxos'", "protocol: no protocol 'paxos'; allowed: standard, coloring"),
        ("[cluster", "not TOML: "),
        ("[draw]\ncluster.nodes = { low = 0, high = 5 }", "draw: cluster.nodes: expected `int`"),
        ("[draw]\ncluster.nods = [3]", "draw: cluster.nods: no such key; allowed: "),
        ("[draw]\ncluster.nodes = 3", "draw.cluster.nodes: expected a list"),
        ("quiet_s = inf", "quiet_s: expected `float` <= 1000000000.0"),
        ("quiet_s = nan", "quiet_s: expected `float` >= 0.0"),
        ("duration_s = 1e300", "duration_s: expected `float` <= "),
        ("[network]\nlatency_ms = [0, inf]", "network.latency_ms[1]: expected `float` <= "),
        ("[network]\nclock_drift_ppm = 1000000", "network.clock_drift_ppm: expected `int` <= "),
        ("[draw]\nquiet_s = { low = 1, high = inf }", "draw: quiet_s: expected `float` <= "),
    ],
)
def test_what_is_wrong_is_one_line_with_the_file(tmp_path: Path, text: str, complaint: str) -> None:
    path = written(tmp_path, text)

    with pytest.raises(UsageError) as caught:
        load(path)

    assert str(caught.value).startswith(f"{path}: {complaint}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml: No such file"):
        load(tmp_path / "none.toml")


def test_a_seed_draws_its_own_scenario_and_leaves_the_rest() -> None:
    scenario = parse({"draw": {"cluster": {"nodes": {"low": 20, "high": 200}}}, "quiet_s": 3})

    drawn = [scenario.drawn(seed) for seed in range(20)]

    assert scenario.drawn(3) == drawn[3]
    assert len({one.cluster.nodes for one in drawn}) > 10
    assert all(one.quiet_s == 3 and not one.draw for one in drawn)


def test_a_scenario_without_draws_is_the_same_under_every_seed() -> None:
    assert Scenario().drawn(5) is not None
    assert Scenario().drawn(5) == Scenario()


def test_nodes_and_protocol_can_be_others() -> None:
    scenario = parse({"draw": {"cluster": {"nodes": [7, 8], "fanout": [2, 8]}}})

    other = scenario.with_(nodes=30, protocol="coloring")

    assert other.drawn(1).cluster.nodes == 30
    assert other.protocol == "coloring"
    assert other.draw == {"cluster": {"fanout": [2, 8]}}
    assert scenario.with_() == scenario


def test_other_nodes_and_protocols_are_held_to_the_same_rules() -> None:
    with pytest.raises(UsageError, match=r"cluster\.nodes: expected `int` >= 1"):
        Scenario().with_(nodes=0)
    with pytest.raises(UsageError, match="no protocol 'paxos'"):
        Scenario().with_(protocol="paxos")


def test_a_scenario_survives_being_read_again() -> None:
    scenario = parse({"event": [{"do": "pause", "at_s": 1, "count": 1, "for_s": 2}]})

    assert scenario.with_(nodes=500) == scenario


@pytest.mark.parametrize("name", scenarios())
def test_every_file_that_comes_along_can_be_read_and_says_what_it_expects(name: str) -> None:
    path = scenarios()[name]
    head = path.read_text(encoding="utf-8").split("\n\n")[0]

    assert load(path).check.make()
    assert "# Expected: " in head


PROFILE = """\
[network]
latency = "measured"
latency_quantiles = [[0, 1.5], [1, 3.5]]
loss = 0.25
"""


def test_a_network_may_come_from_a_profile_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(PROFILE)
    path = tmp_path / "scenario.toml"
    path.write_text('[network]\nprofile = "ours.toml"\nloss = 0.5\n')

    network = load(path).network

    assert (network.latency, network.loss) == ("measured", 0.5)
    assert network.latency_quantiles == ((0, 1.5), (1, 3.5))


@pytest.mark.parametrize(
    ("profile", "complaint"),
    [
        (None, "ours.toml: No such file"),
        ("[network", "ours.toml: not TOML"),
        ("[cluster]\n", "ours.toml: a profile has"),
        ("[network]\nlos = 1\n", "ours.toml: network.los: no such key"),
    ],
)
def test_a_profile_that_is_none_is_an_error_that_names_it(
    profile: str | None, complaint: str, tmp_path: Path
) -> None:
    if profile is not None:
        (tmp_path / "ours.toml").write_text(profile)
    path = tmp_path / "scenario.toml"
    path.write_text('[network]\nprofile = "ours.toml"\n')

    with pytest.raises(UsageError, match=re.escape(complaint)):
        load(path)
