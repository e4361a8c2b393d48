"""How every command ends: a status, and for a mistake one line on stderr.

The table is in `statuses`. There is no traceback for any of them. Where whoever read the output has
gone, that is said to nobody.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import typer
import typer.main

from snowcast.cli.statuses import INTERRUPTED, MACHINE, USAGE, Failure
from snowcast.core.errors import UsageError

PROGRAM = "snowcast"

# Newer typers bring their own click along, older ones import the package.
_ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def run(app: typer.Typer, argv: Sequence[str]) -> int:
    """Run the command that `argv` asks for and return its exit status."""
    command = typer.main.get_command(app)
    name = command_path(command, argv)
    try:
        result = command.main(list(argv) or ["--help"], PROGRAM, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (UsageError, _ClickException) as error:
        return complain(name, error, USAGE)
    except Failure as error:
        return complain(name, error, error.status)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return MACHINE
    except OSError as error:
        _let_go_of_stdout()
        return complain(name, error, MACHINE)
    return result if isinstance(result, int) else 0


def complain(name: str, error: Exception, status: int) -> int:
    """Say what is wrong, in one line; return `status`."""
    if isinstance(error, _ClickException):
        text = error.format_message()  # type: ignore[attr-defined]
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    print(f"{name}: {' '.join(text.split())}", file=sys.stderr)
    return status


def command_path(command: object, argv: Sequence[str]) -> str:
    """`snowcast plan` for `plan --nodes x`: what the line of a mistake begins with."""
    path = [PROGRAM]
    for word in argv:
        commands = getattr(command, "commands", {})
        if word in commands:
            path.append(word)
            command = commands[word]
        elif not word.startswith("-"):
            break
    return " ".join(path)


def _let_go_of_stdout() -> None:
    """Keep the interpreter from failing once more when it flushes on the way out."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
