"""Many runs: what fails is named by the case that shows it again."""

from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.check import Case, Verdict, check, judge, parse_seeds

FAILING = """
quiet_s = 1
[cluster]
nodes = 5
[[event]]
at_s = 1
do = "crash"
count = 1
[check.views_converge]
"""


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A scenario that no seed can pass: views are compared before the crash can be noticed."""
    path = tmp_path / "failing.toml"
    path.write_text(FAILING, encoding="utf-8")
    return str(path)


def test_a_case_is_a_command_that_shows_the_same() -> None:
    assert Case("smoke", 7).command() == "snowcast sim run smoke --seed 7"
    assert Case("my file.toml", 7, nodes=9, protocol="coloring").command() == (
        "snowcast sim run 'my file.toml' --seed 7 --nodes 9 --protocol coloring"
    )


def test_a_case_has_other_values_and_its_command_says_them() -> None:
    case = Case("smoke", 7, settings=("cluster.fanout=8", "workload.mode=coloring"))

    assert case.load().cluster.fanout == 8
    assert case.load().workload.mode == "coloring"
    assert case.command() == (
        "snowcast sim run smoke --seed 7 --set cluster.fanout=8 --set workload.mode=coloring"
    )


def test_a_sweep_makes_a_case_of_each_variant_which_loads_as_that_variant(tmp_path: Path) -> None:
    path = tmp_path / "swept.toml"
    path.write_text("[sweep]\ncluster.nodes = [3, 4]\nprotocol = ['gossip']\n", encoding="utf-8")

    found = list(Case(str(path), 7, settings=("quiet_s=1",)).variants())

    assert [variant for _, variant, _ in found] == [
        "cluster.nodes=3,protocol=gossip",
        "cluster.nodes=4,protocol=gossip",
    ]
    for case, _, scenario in found:
        assert case.load() == scenario
        assert case.settings[0] == "quiet_s=1"


def test_without_a_sweep_the_case_is_its_only_variant() -> None:
    case = Case("smoke", 7, nodes=9)

    assert list(case.variants()) == [(case, "", case.load())]


def test_a_run_that_holds_is_ok() -> None:
    verdict = judge(Case("smoke", 1, nodes=10))

    assert verdict.is_ok
    assert verdict.complaints() == []


def test_a_run_that_breaks_an_invariant_complains_by_its_checker(failing: str) -> None:
    verdict = judge(Case(failing, 1))

    assert not verdict.is_ok
    assert len(verdict.complaints()) == 4
    assert verdict.complaints()[0].startswith("views_converge: node 0 holds 5 members and not 4")


def test_a_run_that_breaks_down_is_a_verdict_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: object, **options: object) -> None:
        raise AssertionError("no such region")

    monkeypatch.setattr("snowcast.sim.check.run", breaks)
    verdict = judge(Case("smoke", 1))

    assert not verdict.is_ok
    (complaint,) = verdict.complaints()
    assert complaint.startswith("AssertionError: no such region (test_check.py:")


def test_a_mistake_of_the_caller_is_no_verdict() -> None:
    with pytest.raises(UsageError, match="no scenario"):
        judge(Case("smoek", 1))


def test_two_processes_say_the_same_as_one_in_the_same_order(failing: str) -> None:
    cases = [Case(name, seed, nodes=8) for seed in range(3) for name in ("smoke", failing)]

    assert list(check(cases, jobs=2)) == list(check(cases, jobs=1))


def test_a_check_can_be_left_before_its_end() -> None:
    verdicts = check((Case("smoke", seed, nodes=5) for seed in range(100)), jobs=2)

    assert isinstance(next(iter(verdicts)), Verdict)
    verdicts.close()  # type: ignore[attr-defined]


def test_at_least_one_run_goes_on_at_a_time() -> None:
    with pytest.raises(UsageError, match="jobs must be at least 1, not 0"):
        list(check([], jobs=0))


def test_seeds_are_one_or_a_range_without_its_end() -> None:
    assert parse_seeds("7") == range(7, 8)
    assert parse_seeds("0..2000") == range(2000)


@pytest.mark.parametrize("text", ["", "a", "5..5", "9..3", "-1..3", "1...3", "1..b"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"seeds: expected 7 or 0\.\.2000"):
        parse_seeds(text)
