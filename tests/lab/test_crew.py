"""Processes told and heard by lines; none is left, whatever happens in the block."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from snowcast.lab import crew as crews
from snowcast.lab.crew import Crew, LabError
from support.loops import on_loop

ECHO = """
import sys
for line in sys.stdin:
    print(line.strip().upper(), flush=True)
"""
STUBBORN = "import sys, time\nprint('here', flush=True)\ntime.sleep(600)\n"
CHATTY = "import sys\nsys.stdin.readline()\nwhile True: print('x' * 1000)\n"
BROKEN = "import sys\nsys.stdin.readline()\nsys.exit('no luck today')\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a module for a crew can be written."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path / "crew_of_a_test.py"


def gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@on_loop
async def test_each_is_told_and_heard_by_its_number(module: Path) -> None:
    module.write_text(ECHO)
    async with Crew(module.stem) as crew:
        for word in (b"one", b"two"):
            await crew.start(word)
        crew.tell(1, b"three")
        assert [await crew.next(1), await crew.next(0)] == [b"TWO\n", b"ONE\n"]
        assert await crew.next(1) == b"THREE\n"
        pids = crew.pids
    assert gone(pids)


@on_loop
async def test_one_that_fails_is_named_with_its_last_word(module: Path) -> None:
    module.write_text(BROKEN)
    async with Crew(module.stem) as crew:
        await crew.start(b"")
        with pytest.raises(LabError, match="process 0 has failed: no luck today"):
            await crew.next(0)


@on_loop
@pytest.mark.parametrize("text", [STUBBORN, CHATTY], ids=["stubborn", "chatty"])
async def test_those_that_do_not_end_are_killed(
    module: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crews, "END_S", 0.1)
    module.write_text(text)
    async with Crew(module.stem) as crew:
        await crew.start(b"")
        await crew.next(0)
        pids = crew.pids
    assert gone(pids)


@on_loop
async def test_a_block_that_is_cut_off_ends_them_too(module: Path) -> None:
    module.write_text(ECHO)
    pids: list[int] = []

    async def work() -> None:
        async with Crew(module.stem) as crew:
            await crew.start(b"x")
            await crew.next(0)
            pids.extend(crew.pids)
            await crew.next(0)

    task = asyncio.create_task(work())
    while not pids:
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(pids)
