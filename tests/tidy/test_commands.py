"""The rule on commands shown to readers can fail, and the page of the command line is complete."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
import typer.main

import write_cli_docs
from tidy.commands import make_targets, shown_commands, wrong_commands

TARGETS = {"setup", "test"}


class Mode(StrEnum):
    STANDARD = "standard"
    COLORING = "coloring"


def sample() -> Any:
    """A small command tree: `snowcast plan`, `snowcast trace show`, and a hidden one."""
    app = typer.Typer(help="The top.")
    trace = typer.Typer(help="Traces.")
    app.add_typer(trace, name="trace")

    @app.callback()
    def top(version: Annotated[bool, typer.Option("--version")] = False) -> None: ...

    @app.command()
    def plan(
        nodes: Annotated[int, typer.Option("--nodes", "-n", min=1, help="How many.")] = 40,
        mode: Mode = Mode.STANDARD,
        wide: bool = False,
    ) -> None:
        """Plan one broadcast."""

    @app.command(hidden=True)
    def secret() -> None: ...

    @trace.command()
    def show(file: Annotated[Path, typer.Argument(help="What to show.")]) -> None:
        """Show a trace."""

    return typer.main.get_command(app)


def problems_of(commands: str, root: Any = None) -> list[str]:
    page = f"Some words.\n\n```sh\n{commands}\n```\n"
    found = wrong_commands("README.md", page, TARGETS, root or sample())
    return [str(problem).removeprefix("README.md:") for problem in found]


def test_targets_are_read_from_a_makefile() -> None:
    makefile = ".PHONY: a\nX := 1\nsetup: ## make it\n\techo a: b\ntest-all: setup\n"
    assert make_targets(makefile) == {"setup", "test-all"}


def test_a_target_that_does_not_exist_is_found() -> None:
    assert problems_of("make setup test EXTRAS=cli -j 4 | tail") == []
    [problem] = problems_of("make setup\nmake deploy")
    assert problem == "5: `make deploy`: the Makefile has no such target"


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("snowcast plot", "snowcast has no command `plot`"),
        ("snowcast trace list", "snowcast trace has no command `list`"),
        ("snowcast plan --edges 3", "snowcast plan has no option `--edges`"),
        ("snowcast plan --nodes 3 --edges=3", "snowcast plan has no option `--edges`"),
        ("snowcast --nodes 3 plan", "snowcast has no option `--nodes`"),
        ("cd x && .venv/bin/snowcast plan -z", "snowcast plan has no option `-z`"),
        ("for i in 1 2; do A=b python3 -m snowcast plan --far & done", "no option `--far`"),
        ("snowcast plan \\\n  --nodes 3 \\\n  --edges 3", "no option `--edges`"),
    ],
)
def test_a_command_or_an_option_that_does_not_exist_is_found(command: str, complaint: str) -> None:
    [problem] = problems_of(command)
    assert problem.startswith("4: ")
    assert complaint in problem


@pytest.mark.parametrize(
    "command",
    [
        "snowcast --version",
        "snowcast plan --help",
        "snowcast plan -n 5 --mode coloring --wide > plan.txt  # --what",
        "snowcast plan --nodes=5 | tee --append plan.txt",
        "snowcast trace show -- --odd-name",
        "grep -r snowcast --include x",
    ],
)
def test_commands_that_would_run_are_fine(command: str) -> None:
    assert problems_of(command) == []


def test_a_command_shown_before_there_is_any_is_found() -> None:
    page = "```sh\nsnowcast plan\n```\n"
    [problem] = wrong_commands("README.md", page, TARGETS, None)
    assert "there is no such command yet" in problem.text


def test_a_quote_left_open_is_found() -> None:
    assert problems_of("echo 'snowcast") == [
        "4: no shell would read this command: a quote is left open"
    ]


def test_only_prompts_of_console_blocks_and_nothing_of_other_blocks_is_read() -> None:
    page = (
        "```console\n$ make a\nmake: output\n$ make \\\n  b\n```\n```python\nmake c\n```\nmake d\n"
    )
    assert list(shown_commands(page)) == [(2, ["make", "a"]), (4, ["make", "b"])]


def test_the_page_of_the_command_line_holds_every_command_option_and_default() -> None:
    page = write_cli_docs.page(sample())
    assert "## `snowcast trace show`\n\nShow a trace.\n" in page
    assert "| `-n, --nodes <int range>` | How many. [default: 40; x>=1] |" in page
    assert "| [`snowcast plan`](#snowcast-plan) | Plan one broadcast. |" in page
    assert "standard\\|coloring" in page
    assert "secret" not in page
    assert "completion" not in page


def test_the_page_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    page = write_cli_docs.page(sample())
    monkeypatch.setenv("COLUMNS", "30")
    assert write_cli_docs.page(sample()) == page
