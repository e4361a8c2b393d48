"""Commands that are loaded when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
import typer.main

from snowcast.cli.lazy import Commands, group
from snowcast.cli.main import COMMANDS

HOMES = {"plan": "snowcast.cli.plan:plan", "keys": "snowcast.cli.keys:app", "lost": "nowhere:x"}


def test_a_command_is_loaded_when_it_is_looked_at() -> None:
    commands = Commands(dict(HOMES))
    assert list(commands) == list(HOMES)
    assert len(commands) == 3
    assert "lost" in commands
    assert "other" not in commands
    assert commands["plan"].name == "plan"
    assert commands["plan"] is commands["plan"]
    assert "install" in commands["keys"].commands
    with pytest.raises(ModuleNotFoundError):
        commands["lost"]


def test_commands_can_be_put_there_and_taken_away() -> None:
    commands = Commands(dict(HOMES))
    commands["new"] = "a command"
    assert commands["new"] == "a command"
    del commands["new"]
    del commands["plan"]
    assert list(commands) == ["keys", "lost"]


def test_a_group_tells_them_in_the_order_they_were_given() -> None:
    app = typer.Typer(cls=group({"keys": HOMES["keys"], "plan": HOMES["plan"]}))
    app.callback()(lambda: None)
    command = typer.main.get_command(app)
    assert command.list_commands(None) == ["keys", "plan"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_ours_is_where_it_is_said_to_be(name: str) -> None:
    commands = Commands(dict(COMMANDS))
    assert commands[name].name == name
    assert commands[name].help


HEAVY = ("aiohttp", "cryptography", "matplotlib", "numba", "numpy", "pandas", "prometheus_client",
         "pyarrow", "pyspark", "uvloop")  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        *([*name, "--help"] for name in (["agent"], ["members"], ["keys"], ["listen"], ["sim"])),
        ["status", "--agent", "/nothing"],
    ],
    ids=" ".join,
)
def test_help_and_questions_start_without_what_they_do_not_need(words: list[str]) -> None:
    script = (
        "import sys; from snowcast.cli.main import main; main(sys.argv[1:]); "
        f"sys.stderr.write('loaded:' + ','.join(n for n in {HEAVY!r} if n in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
    )
    assert done.stderr.endswith("loaded:")
