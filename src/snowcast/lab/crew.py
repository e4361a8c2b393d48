"""Processes that do something together: started, told by lines, heard by lines, and ended.

    async with Crew("snowcast.lab.worker") as crew:
        await crew.start(first_line)
        line = await crew.next(0)

Rules of this file:
- Whatever happens, no process is left when the block is: each is killed if it has not ended. If
  this process is killed itself, they see the end of their standard input, and end.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

from snowcast.core.errors import SnowcastError

END_S = 5.0
LINE_BYTES_MAX = 1 << 20


class LabError(SnowcastError):
    """A process of the lab has failed."""


class Crew:
    """The processes of one run, by their numbers; all run the same module."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._processes: list[asyncio.subprocess.Process] = []
        self._errors = TemporaryFile()  # noqa: SIM115, closed with the block

    def __len__(self) -> int:
        return len(self._processes)

    @property
    def pids(self) -> list[int]:
        """The process ids."""
        return [process.pid for process in self._processes]

    async def start(self, first_line: bytes, pass_fds: Sequence[int] = ()) -> None:
        """Start one more process, and tell it its first line."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self._module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._errors,
            limit=LINE_BYTES_MAX,
            pass_fds=pass_fds,
            start_new_session=True,  # an interrupt is ours to handle: they end as we say
        )
        self._processes.append(process)
        self.tell(len(self) - 1, first_line)

    def tell(self, number: int, line: bytes) -> None:
        """Send a line to one process."""
        stdin = self._processes[number].stdin
        assert stdin is not None
        stdin.write(line + b"\n")

    async def next(self, number: int) -> bytes:
        """The next line of one process; LabError if it has ended."""
        stdout = self._processes[number].stdout
        assert stdout is not None
        line = await stdout.readline()
        if not line.endswith(b"\n"):
            raise LabError(f"process {number} has failed: {self._last_error()}")
        return line

    async def close(self) -> None:
        """End them all, and wait until they have."""
        for process in self._processes:
            if process.stdin is not None:
                process.stdin.close()
        waits = [asyncio.create_task(_ended(process)) for process in self._processes]
        try:
            if waits:
                await asyncio.wait(waits, timeout=END_S)
        finally:
            for process in self._processes:
                with suppress(ProcessLookupError):
                    if process.returncode is None:
                        process.kill()
            await asyncio.gather(*waits)
            self._errors.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.shield(asyncio.ensure_future(self.close()))

    def _last_error(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no word"


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Read what it still has to say, which would keep it from ending, and wait for its end."""
    assert process.stdout is not None
    while await process.stdout.read(LINE_BYTES_MAX):
        pass
    await process.wait()
