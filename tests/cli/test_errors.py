"""How commands end: statuses, and one line for what went wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
import typing
from pathlib import Path

import pytest
import typer

from snowcast.cli import errors
from snowcast.core.errors import FrameError, UsageError


def app_that(raises: BaseException) -> typer.Typer:
    """A program with one group, `outer`, and in it one command, `inner`."""
    app, outer = typer.Typer(), typer.Typer()

    @app.callback()
    def root() -> None:
        pass

    @outer.callback()
    def group() -> None:
        pass

    @outer.command()
    def inner(number: int = 0) -> None:
        raise raises

    app.add_typer(outer, name="outer")
    return app


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (UsageError("too\n  big"), 2, "snowcast outer inner: too big\n"),
        (typer.BadParameter("too big"), 2, "snowcast outer inner: Invalid value: too big\n"),
        (OSError(28, "disk full"), 1, "snowcast outer inner: disk full\n"),
        (OSError(28, "disk full", "a.txt"), 1, "snowcast outer inner: a.txt: disk full\n"),
        (OSError("odd"), 1, "snowcast outer inner: odd\n"),
        (typer.Exit(3), 3, ""),
        (typer.Abort(), 130, ""),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_error_is_a_status_and_at_most_one_line(
    raised: BaseException, status: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert errors.run(app_that(raised), ["outer", "inner"]) == status
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", said)


def test_what_nobody_expects_is_not_hidden() -> None:
    with pytest.raises(FrameError):
        errors.run(app_that(FrameError("a bug of ours")), ["outer", "inner"])


def test_the_line_begins_with_the_command_that_was_called() -> None:
    command = typer.main.get_command(app_that(UsageError()))
    paths = {
        "": "snowcast",
        "--help": "snowcast",
        "outer": "snowcast outer",
        "outer inner --number 3": "snowcast outer inner",
        "nonsense outer": "snowcast",
        "outer nonsense inner": "snowcast outer",
    }
    found = {line: errors.command_path(command, line.split()) for line in paths}
    assert found == paths


def plan(*arguments: str, **options: typing.Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "snowcast", "plan", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


def test_a_reader_that_goes_away_is_no_reason_to_complain() -> None:
    with plan("--nodes", "20000", "--full", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full, plan("--nodes", "9", stdout=full) as process:
        assert process.stderr is not None
        assert process.stderr.read() == b"snowcast plan: No space left on device\n"
    assert process.returncode == 1


def test_a_closed_stdout_is_one_line() -> None:
    shell = 'exec "$0" -m snowcast plan --nodes 9 >&-'
    done = subprocess.run(["sh", "-c", shell, sys.executable], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"snowcast plan: stdout is closed\n")


def test_an_interrupt_from_the_keyboard_ends_it_quietly() -> None:
    slow = "import time, snowcast.cli.plan as p; p.build_plan = lambda *a: time.sleep(60)"
    run = "print(flush=True); from snowcast.cli.main import main; raise SystemExit(main())"
    command = [sys.executable, "-c", f"{slow}; {run}", "plan", "--nodes", "9"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **streams) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        told = process.communicate()
    assert (process.returncode, told) == (130, (b"", b""))
