"""Scenarios are found by name or by path."""

from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.library import about, find, scenarios

SHIPPED = {
    "breakdown",
    "churn",
    "churn_random",
    "flipflop",
    "join_storm",
    "lossy_nodes",
    "partition_heal",
    "pauses",
    "quiet",
    "rebroadcast_dead",
    "reliable_dead",
    "silent_crash",
    "smoke",
    "stable",
    "stragglers",
    "sweep_fanout",
    "sweep_nodes",
    "undetected",
}


def test_those_that_come_along_are_found_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert set(scenarios()) >= SHIPPED
    assert list(scenarios()) == sorted(scenarios())


def test_a_file_where_one_stands_goes_before_one_that_came_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "scenarios" / "smoke.toml"
    own.parent.mkdir()
    own.write_text("# Mine.\n", encoding="utf-8")

    assert find("smoke").resolve() == own


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.touch()

    assert find(str(path)) == path


def test_what_is_not_there_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"no scenario 'smoek'; there are: .*smoke"):
        find("smoek")
    with pytest.raises(UsageError, match=r"own\.toml: no such file"):
        find("own.toml")


def test_a_file_says_what_it_is_in_its_first_sentence(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("# One node,\n# no more. And more words.\n\n# Not this.\n", encoding="utf-8")
    assert about(path) == "One node, no more."

    path.write_text("# No full stop\nquiet_s = 3\n", encoding="utf-8")
    assert about(path) == "No full stop"

    path.write_text("quiet_s = 3\n", encoding="utf-8")
    assert about(path) == ""
