"""The two ways to watch: a picture that moves, on a terminal, and lines, anywhere else."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from snowcast.demo.picture import legend, ring
from snowcast.demo.stage import Stage

FRAME_S = 1 / 12
ROWS = (12, 30)  # of the picture, at the least and at the most
COLUMNS_A_ROW = 2.1  # characters are about twice as high as wide
WORDS_MIN = 34  # columns that the words need
FRAME_ROWS, FRAME_COLUMNS = 4, 8  # what frames, legend and cursor take
STYLES = {"": "", "good": "green", "bad": "bold red"}


class Lines:
    """Plain lines, each with the time since the beginning."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun_s = time.monotonic()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def scene(self, title: str, text: str) -> None:
        """Something new begins."""
        self._console.print(f"\n{title}\n  {text}\n", highlight=False, soft_wrap=True)

    def tell(self, text: str, style: str = "") -> None:
        """Something has happened."""
        at_s = time.monotonic() - self._begun_s
        self._console.print(f"{at_s:6.1f} s  {text}", highlight=False, soft_wrap=True, markup=False)


class Theatre:
    """A picture and the words beside it, drawn anew many times a second; leaves the last one."""

    def __init__(self, console: Console, stage: Stage, slots: int, slow: frozenset[int]) -> None:
        self._console = console
        self._stage = stage
        self._slots = slots
        self._slow = slow
        self._begun_s = time.monotonic()
        self._title = self._text = ""
        self._told: deque[Text] = deque(maxlen=ROWS[1])
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._drawing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._live.start()
        self._drawing = asyncio.create_task(self._draw())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawing is not None:
            self._drawing.cancel()
            with suppress(asyncio.CancelledError):
                await self._drawing
        self._live.update(self.frame(), refresh=True)
        self._live.stop()

    def scene(self, title: str, text: str) -> None:
        """Something new begins."""
        self._title, self._text = title, text
        if self._told:
            self._told.append(Text(f"- {title}", "bold"))

    def tell(self, text: str, style: str = "") -> None:
        """Something has happened."""
        at_s = time.monotonic() - self._begun_s
        line = Text(f"{at_s:5.1f} ", "dim")
        line.append(text, STYLES[style])
        self._told.append(line)

    def frame(self) -> Group:
        """What is to be seen now."""
        width, height = self._console.size
        rows = min(max(height - FRAME_ROWS, ROWS[0]), ROWS[1])
        columns = min(round(rows * COLUMNS_A_ROW), max(20, width - WORDS_MIN))
        picture = ring(self._stage, self._slots, self._slow, columns, rows)
        words = self._words(width - columns - FRAME_COLUMNS, rows)
        grid = Table.grid(expand=True)
        grid.add_column(width=columns + FRAME_COLUMNS // 2)
        grid.add_column(ratio=1)
        grid.add_row(
            Panel(picture, height=rows + 2),
            Panel(words, height=rows + 2, title=f"[bold]{self._title}"),
        )
        return Group(grid, legend())

    def _words(self, width: int, rows: int) -> Group:
        """The text of the scene, and as much of what was told as there is room for."""
        head = Text(self._text, "italic")
        room = rows - len(head.wrap(self._console, width)) - 1
        tail: deque[Text] = deque()
        for line in reversed(self._told):
            room -= len(line.wrap(self._console, width))
            if room < 0:
                break
            tail.appendleft(line)
        return Group(head, Text(), *tail)

    async def _draw(self) -> None:
        while True:
            self._live.update(self.frame(), refresh=True)
            await asyncio.sleep(FRAME_S)


def audience(console: Console, stage: Stage, slots: int, slow: frozenset[int]) -> Lines | Theatre:
    """The way to watch that suits a console."""
    is_terminal = console.is_terminal and not console.is_dumb_terminal
    return Theatre(console, stage, slots, slow) if is_terminal else Lines(console)
