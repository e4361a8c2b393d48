"""The `snowcast` command as a whole: what it answers, and how it ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

from snowcast import __version__
from snowcast.cli.main import main


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"snowcast {__version__}\n"


def test_it_runs_as_a_module() -> None:
    done = python("-m", "snowcast", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"snowcast {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_without_a_command_it_tells_which_there_are(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "plan" in told.out
    assert told.err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "snowcast: "),
        (["--nonsense"], "snowcast: "),
        (["plan", "--nonsense"], "snowcast plan: "),
        (["plan", "nonsense", "--nodes", "3"], "snowcast plan: "),
    ],
)
def test_what_it_does_not_know_is_one_line_and_status_two(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(said)
    assert "nonsense" in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    hide = f"import sys; sys.modules[{missing!r}] = None; import snowcast.cli.main as m; m.main()"
    done = python("-c", hide)
    if done.returncode == 0:
        pytest.skip(f"this typer does without {missing}")
    assert done.returncode == 2
    assert done.stderr == ("snowcast: the command line is an extra: pip install 'snowcast[cli]'\n")


def test_a_module_of_ours_that_is_missing_is_not_taken_for_the_extra() -> None:
    call = "import snowcast.cli.main as m; m.main(['plan', '--nodes', '3'])"
    done = python("-c", f"import sys; sys.modules['msgspec'] = None; {call}")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr
