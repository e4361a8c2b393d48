"""The exit statuses: one table, in the help and in the page for operators."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snowcast.cli import statuses
from snowcast.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "OPERATIONS.md"


def test_every_status_has_a_name_and_a_meaning() -> None:
    named = {
        value for name, value in vars(statuses).items() if name.isupper() and isinstance(value, int)
    }
    assert named == set(statuses.STATUSES) == {0, 1, 2, 3, 4, 130}


def test_the_help_has_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for status, meaning in statuses.STATUSES.items():
        assert f"{status} {meaning}" in told


def test_the_page_for_operators_has_it_too() -> None:
    rows = dict(re.findall(r"^\| `(\d+)` \| (.+) \|$", PAGE.read_text(), flags=re.MULTILINE))
    assert {int(status): meaning for status, meaning in rows.items()} == statuses.STATUSES


def test_a_failure_carries_its_status() -> None:
    failure = statuses.Failure(statuses.REFUSED, "not now")
    assert (failure.status, str(failure)) == (4, "not now")
