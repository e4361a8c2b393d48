"""The bar that shows how far something is, on a terminal and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[int, int], None]
"""Told how much is done, and how much there is."""


@contextmanager
def bar(title: str) -> Iterator[Advance]:
    """A bar on stderr while something goes on; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as it:
        task = it.add_task(title, total=None)
        yield lambda done, total: it.update(task, completed=done, total=total)
