"""The two ways to watch, seen by a console that keeps what it is given."""

from __future__ import annotations

import asyncio
import io

import pytest
from rich.console import Console

from snowcast.demo import cues
from snowcast.demo.show import Lines, Theatre, audience
from snowcast.demo.stage import Stage
from support.loops import on_loop


def console(is_terminal: bool, width: int = 100, height: int = 30) -> Console:
    return Console(
        file=io.StringIO(),
        force_terminal=is_terminal,
        width=width,
        height=height,
        color_system=None,
        legacy_windows=False,
        _environ={"TERM": "xterm"},
    )


def written(to: Console) -> str:
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@on_loop
async def test_where_there_is_no_terminal_lines_are_written_as_things_happen() -> None:
    to = console(is_terminal=False)
    watching = audience(to, Stage(), 60, frozenset())
    assert isinstance(watching, Lines)
    async with watching:
        watching.scene("Title", "What it is about.")
        watching.tell("n08 [is] silent.", "bad")
    title, text, line = [line for line in written(to).splitlines() if line.strip()]
    assert (title, text) == ("Title", "  What it is about.")
    assert line.endswith(" s  n08 [is] silent.")
    assert "\x1b" not in written(to)


@on_loop
async def test_on_a_terminal_the_picture_moves_and_the_last_one_stays() -> None:
    to, stage = console(is_terminal=True), Stage()
    stage.enter(0)
    stage.take(cues.Counted(0, 0, 1))
    watching = audience(to, stage, 60, frozenset())
    assert isinstance(watching, Theatre)
    async with watching:
        watching.scene("First", "Something.")
        before = len(written(to))
        while len(written(to)) == before:
            await asyncio.sleep(0.01)
        assert "First" in written(to)
        watching.tell("It is done.", "good")
    assert "It is done." in written(to)
    assert written(to).endswith("\x1b[?25h")  # the cursor is back


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60), (60, 16)])
def test_a_frame_fits_and_the_latest_words_are_in_it(width: int, height: int) -> None:
    to = console(is_terminal=True, width=width, height=height)
    theatre = Theatre(to, Stage(), 60, frozenset())
    theatre.scene("Title", "A text that is long enough to be broken into several lines. " * 2)
    for number in range(50):
        theatre.tell(f"Line number {number}, which may be broken as well.")
    to.print(theatre.frame())
    lines = written(to).splitlines()
    assert len(lines) <= max(height, 16)
    assert all(len(line) <= width for line in lines)
    assert "number 49" in " ".join(written(to).split())
    assert "number 0," not in written(to)
