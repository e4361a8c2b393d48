"""The examples run, and say what they should."""

import subprocess
import sys

import pytest

from tidy.repository import ROOT

EXAMPLES = ROOT / "examples"

SAID = {
    "three_nodes.py": "bob heard 'hello' from ada",
    "watch_members.py": "visitor has left",
    "drive_by_hand.py": "10.0.0.6:7946",
    "configuration.py": "worker runs with {'level': 'debug'}",
}


def test_every_example_is_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", sorted(SAID))
def test_an_example_runs_and_says_what_it_should(name: str) -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert SAID[name] in run.stdout
    assert not run.stderr


@pytest.mark.parametrize("name", sorted(SAID))
def test_an_example_is_short_and_says_what_it_shows(name: str) -> None:
    lines = (EXAMPLES / name).read_text().splitlines()
    assert 15 <= len(lines) <= 40
    assert lines[0].startswith('"""')
