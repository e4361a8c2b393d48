"""The guide to the library: every piece of its code runs, and prints what stands below it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import textwrap
from typing import Any

import pytest

import snowcast
from snowcast.runtime.cluster import Cluster
from snowcast.testing import agreed, eventually
from support.loops import FAST, on_loop
from tidy.repository import ROOT

GUIDE = (ROOT / "docs" / "LIBRARY.md").read_text()
PIECES = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", GUIDE, re.M | re.S)
PROGRAMS = [piece for piece in PIECES if "asyncio.run(" in piece[0]]
BODIES = [piece for piece in PIECES if "asyncio.run(" not in piece[0]]


def first_line(piece: tuple[str, str]) -> str:
    return next(line for line in piece[0].splitlines() if not line.startswith("import"))


@pytest.mark.parametrize("piece", PROGRAMS, ids=first_line)
def test_a_program_of_the_guide_runs(piece: tuple[str, str]) -> None:
    code, expected = piece
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(code, "docs/LIBRARY.md", "exec"), {"__name__": "__main__"})
    assert said.getvalue() == expected


@pytest.mark.parametrize("piece", BODIES, ids=first_line)
@on_loop
async def test_a_piece_of_the_guide_runs_in_a_cluster(piece: tuple[str, str]) -> None:
    code, expected = piece
    async with (
        snowcast.join(name="api-1", config=FAST, linger=0.1) as cluster,
        snowcast.join(name="other", config=FAST, linger=0.1, seeds=[str(cluster.address)]) as other,
        snowcast.join(name="third", config=FAST, linger=0.1, seeds=[str(cluster.address)]) as third,
    ):
        await agreed([cluster, other, third])
        names = {"cluster": cluster, "other": other, "seed": str(other.address)}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            task = asyncio.create_task(_as_function(code, names)())
            await asyncio.gather(task, _life("messages()" in code, "events()" in code, other))
    shown = said.getvalue()
    if expected:
        assert shown.endswith(expected)
        earlier = shown.removesuffix(expected).splitlines()  # of how the cluster came about
        assert all(line.startswith("joined: ") for line in earlier)


def _as_function(code: str, names: dict[str, Any]) -> Any:
    """The piece as the body of an async function."""
    text = f"async def piece():\n{textwrap.indent(code, '    ')}"
    space = {"asyncio": asyncio, "snowcast": snowcast, **names}
    exec(compile(text, "docs/LIBRARY.md", "exec"), space)
    return space["piece"]


async def _life(with_messages: bool, with_events: bool, other: Cluster) -> None:
    """What the others do meanwhile."""
    if with_messages:
        for payload in (b"one", b"two", b"stop"):
            await other.broadcast(payload, reliable=True)
    if with_events:
        seeds = [str(other.address)]
        options: dict[str, Any] = {"config": FAST, "seeds": seeds, "wait": 60, "linger": 0.1}
        async with snowcast.join(name="visitor", **options):
            await eventually(lambda: len(other.members) == 4)


def test_the_guide_names_every_public_thing_that_a_reader_meets() -> None:
    unmentioned = {name for name in snowcast.__all__ if name not in GUIDE}
    assert unmentioned <= {"Address", "Cluster", "Member", "Mode", "Receipt", "State"}
