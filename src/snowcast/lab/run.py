"""A scenario on real nodes: processes started, told when to begin, watched, and ended.

Rules of this file:
- Whatever happens, no process is left: each is killed if it has not ended, and ends by itself
  when its standard input does.
- A run that is cut off leaves nothing: traces become `out` when all processes are done.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import IO

import msgspec

from snowcast.core.errors import SnowcastError, UsageError
from snowcast.lab.job import Job, Status, check
from snowcast.lab.places import free_port
from snowcast.sim.scenario import Scenario

NODES_PER_PROCESS = 125
START_IN_US = 500_000
END_S = 5.0

Progress = Callable[[int, int], None]
"""Told how much time has passed, and how much there is."""


class LabError(SnowcastError):
    """A process of the lab has failed."""


class LabResult(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say about a run; its metrics are for the pipeline to compute."""

    run: str
    protocol: str
    seed: int
    nodes: int
    processes: int
    messages: int
    deliveries: int
    skipped: int
    """Steps that had become impossible when their time came."""
    lag_ms: float
    """By how much an event loop was late at the worst: work the machine did not keep up with."""


async def run(
    scenario: Scenario,
    seed: int,
    out: Path,
    *,
    name: str,
    processes: int | None = None,
    progress: Progress = lambda passed_us, all_us: None,
) -> LabResult:
    """Run `scenario` under `seed` on real nodes; write their traces to `out`."""
    if out.exists():
        raise UsageError(f"{out}: exists already")
    count = processes or max(1, -(-scenario.cluster.nodes // NODES_PER_PROCESS))
    draft = out.with_name(f"{out.name}.part")
    job = Job(
        name=f"{name}-{scenario.protocol}-{seed}-lab",
        scenario_name=name,
        scenario=msgspec.to_builtins(scenario),
        seed=seed,
        port=free_port(Random(time.time_ns())),
        out=str(draft),
        processes=count,
    )
    drawn, plan = job.load()
    check(drawn, plan)
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        statuses = await _Crew(job).go(plan.ends_us, progress)
        draft.rename(out)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return LabResult(
        run=job.name,
        protocol=drawn.protocol,
        seed=seed,
        nodes=plan.booted,
        processes=count,
        messages=sum(status.messages for status in statuses),
        deliveries=sum(status.deliveries for status in statuses),
        skipped=sum(status.skipped for status in statuses),
        lag_ms=max(status.lag_us for status in statuses) / 1_000,
    )


class _Crew:
    """The processes of one run."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._processes: list[asyncio.subprocess.Process] = []
        self._last: list[Status] = []

    async def go(self, ends_us: int, progress: Progress) -> Sequence[Status]:
        """Start them all, let them run, and return the last word of each."""
        with TemporaryFile() as errors:
            try:
                for number in range(self._job.processes):
                    self._processes.append(await self._start(number, errors))
                for number in range(self._job.processes):
                    self._last.append(await self._next(number, errors))
                start_us = time.time_ns() // 1_000 + START_IN_US
                for process in self._processes:
                    assert process.stdin is not None
                    process.stdin.write(f"{start_us}\n".encode())
                async with asyncio.TaskGroup() as group:
                    for number in range(self._job.processes):
                        group.create_task(self._follow(number, errors))
                    group.create_task(self._show(ends_us, progress))
            except* LabError as failures:
                raise failures.exceptions[0] from None
            finally:
                await self._end()
        return self._last

    async def _start(self, number: int, errors: IO[bytes]) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "snowcast.lab.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # an interrupt is ours to handle: they end as we say
        )
        assert process.stdin is not None
        job = msgspec.structs.replace(self._job, process=number)
        process.stdin.write(msgspec.json.encode(job) + b"\n")
        return process

    async def _next(self, number: int, errors: IO[bytes]) -> Status:
        stdout = self._processes[number].stdout
        assert stdout is not None
        line = await stdout.readline()
        if not line:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise LabError(f"process {number} has failed: {lines[-1] if lines else 'no word'}")
        status = msgspec.json.decode(line, type=Status)
        if status.state == "failed":
            raise LabError(f"process {number} has failed: {status.reason}")
        return status

    async def _follow(self, number: int, errors: IO[bytes]) -> None:
        while self._last[number].state != "done":
            self._last[number] = await self._next(number, errors)

    async def _show(self, ends_us: int, progress: Progress) -> None:
        while any(status.state != "done" for status in self._last):
            progress(min(status.passed_us for status in self._last), ends_us)
            await asyncio.sleep(0.25)
        progress(ends_us, ends_us)

    async def _end(self) -> None:
        """No process is left, however we got here."""
        for process in self._processes:
            if process.stdin is not None:
                process.stdin.close()
        waits = [asyncio.create_task(process.wait()) for process in self._processes]
        if waits:
            await asyncio.shield(asyncio.wait(waits, timeout=END_S))
            for process in self._processes:
                if process.returncode is None:
                    process.kill()
            await asyncio.gather(*waits)
