"""The rules of this repository, held against every file of it.

The rules themselves are in tests/tidy/, each beside a test that shows it can fail.
"""

from typing import Any

import pytest

import write_cli_docs
from tidy import commands, hygiene, imports, shape
from tidy.repository import (
    ROOT,
    Problem,
    Rule,
    check,
    complain,
    files,
    python_files,
    read,
    source_files,
)

CLI = ROOT / "src/snowcast/cli/main.py"


@pytest.mark.parametrize(
    "rule",
    [imports.wrong_rooms, imports.banned_modules, imports.global_random, imports.prints],
)
def test_rooms_import_only_along_the_arrows_and_the_core_touches_nothing_outside(
    rule: Rule,
) -> None:
    check(rule, source_files())


@pytest.mark.parametrize("rule", [shape.long_file, shape.long_functions])
def test_files_and_functions_are_short_enough_to_read(rule: Rule) -> None:
    check(rule, python_files())


def test_no_line_is_wider_than_a_hundred_columns() -> None:
    check(shape.long_lines, [*python_files(), *(path for path in files() if path.endswith(".md"))])


def test_every_module_says_what_it_is() -> None:
    check(shape.missing_docstring, source_files())


def test_every_source_file_has_its_test_file_and_every_test_file_its_source() -> None:
    complain(shape.unmirrored(python_files()))


@pytest.mark.parametrize("rule", [hygiene.unwanted, hygiene.untidy, hygiene.unfinished])
def test_files_are_small_clean_and_finished(rule: Any) -> None:
    complain(problem for path in files() for problem in rule(path, (ROOT / path).read_bytes()))


def test_every_command_shown_to_readers_exists() -> None:
    pages = [path for path in files() if path == "README.md" or _is_page(path)]
    if "README.md" not in pages:
        pytest.skip("there is no README.md yet")
    root = write_cli_docs.root_command() if CLI.exists() else None
    targets = commands.make_targets(read("Makefile"))
    complain(
        problem
        for path in pages
        for problem in commands.wrong_commands(path, read(path), targets, root)
    )


def test_the_page_of_the_command_line_is_current() -> None:
    if not CLI.exists() and not write_cli_docs.PAGE.exists():
        pytest.skip("there is no command line yet")
    wanted = write_cli_docs.page(write_cli_docs.root_command())
    current = write_cli_docs.PAGE.read_text() if write_cli_docs.PAGE.exists() else ""
    if wanted != current:
        complain([Problem("docs/CLI.md", 1, "not what the commands say: run `make docs`")])


def _is_page(path: str) -> bool:
    return path == "CONTRIBUTING.md" or (path.startswith("docs/") and path.endswith(".md"))
