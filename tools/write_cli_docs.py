"""Write docs/CLI.md: every command of `snowcast`, with its help, options and defaults.

Run it through `make docs`. With --check nothing is written, and the exit status says whether the
page is current. The page follows from the commands alone: not from the width of the terminal, the
environment or the day.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "CLI.md"
HEADING = """\
# The `snowcast` command

<!-- Written by `make docs` from the commands themselves: change those, not this page. -->
"""
NOT_OURS = {"install_completion", "show_completion"}
"""What typer adds by itself, differently from one shell to the next."""


def main() -> None:
    """Write the page, or say that it is out of date."""
    parser = argparse.ArgumentParser(description="Write docs/CLI.md from the commands.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    checking = parser.parse_args().check
    wanted = page(root_command())
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if wanted == current:
        return
    if checking:
        sys.exit("docs/CLI.md is out of date: run `make docs`")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(wanted, encoding="utf-8")
    print("wrote docs/CLI.md")


def root_command() -> Any:
    """The click command that `snowcast` is."""
    import typer.main

    from snowcast.cli.main import app

    return typer.main.get_command(app)


def page(root: Any) -> str:
    """The whole page, as Markdown."""
    parts = [HEADING]
    for title, command, context in _walk(root, "snowcast", None):
        parts.append("\n".join(_section(title, command, context)) + "\n")
    return "\n".join(parts)


def _walk(command: Any, name: str, parent: Any) -> Iterator[tuple[str, Any, Any]]:
    """Every visible command, a group before what is in it."""
    context = command.context_class(command, info_name=name, parent=parent)
    yield context.command_path, command, context
    for child in sorted(getattr(command, "commands", {})):
        if not command.commands[child].hidden:
            yield from _walk(command.commands[child], child, context)


def _section(title: str, command: Any, context: Any) -> Iterator[str]:
    yield f"## `{title}`"
    yield ""
    if command.help:
        yield from (line.rstrip() for line in command.help.strip().splitlines())
        yield ""
    yield "```text"
    yield " ".join([title, *command.collect_usage_pieces(context)])
    yield "```"
    children = getattr(command, "commands", {})
    rows = [
        (f"[`{title} {name}`](#{_anchor(f'{title} {name}')})", _summary(children[name]))
        for name in sorted(children)
        if not children[name].hidden
    ]
    yield from _table("command", rows)
    yield from _table("argument", _records(command, context, "argument"))
    yield from _table("option", _records(command, context, "option"))


def _records(command: Any, context: Any, kind: str) -> list[tuple[str, str]]:
    """(names, help) of each parameter of one kind, as the command's own --help words them."""
    records = []
    for parameter in command.params:
        if parameter.param_type_name == kind and parameter.name not in NOT_OURS:
            record = parameter.get_help_record(context)
            if record:
                records.append((f"`{record[0]}`", record[1].strip()))
    return records


def _table(what: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    if rows:
        yield ""
        yield f"| {what} | |"
        yield "|---|---|"
        for name, text in rows:
            yield f"| {_cell(name)} | {_cell(text)} |".replace("|  |", "| |")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _summary(command: Any) -> str:
    return (command.help or "").strip().split("\n\n")[0]


def _anchor(title: str) -> str:
    return title.replace(" ", "-")


if __name__ == "__main__":
    main()
