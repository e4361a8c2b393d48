"""One process of the lab from the outside: what it says, and when it ends."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from snowcast.lab.job import Job, Status
from snowcast.lab.places import free_port
from snowcast.sim.scenario import parse
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, RunRow
from support.loops import on_loop

TABLES: dict[str, Any] = {
    "quiet_s": 0.5,
    "cluster": {"nodes": 5},
    "workload": {"messages": 2, "interval_ms": 50, "start_s": 0.1},
    "event": [{"at_s": 0.3, "do": "crash", "count": 1}],
}


async def started(out: Path, **changes: Any) -> tuple[asyncio.subprocess.Process, Job]:
    job = Job(
        name="r",
        scenario_name="s",
        scenario=msgspec.to_builtins(parse(TABLES)),
        seed=0,
        port=free_port(Random(time.time_ns())),
        out=str(out),
        processes=1,
    )
    job = msgspec.structs.replace(job, **changes)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "snowcast.lab.worker", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(job) + b"\n")
    return process, job


async def said(process: asyncio.subprocess.Process) -> Status:
    assert process.stdout is not None
    return msgspec.json.decode(await process.stdout.readline(), type=Status)


@on_loop
async def test_a_process_does_its_part_of_the_plan_and_says_how_it_went(tmp_path: Path) -> None:
    process, _ = await started(tmp_path)
    assert process.stdin is not None
    assert (await said(process)).state == "ready"
    process.stdin.write(f"{time.time_ns() // 1_000}\n".encode())
    while (last := await said(process)).state != "done":
        assert last.state == "running"
    assert (last.messages, last.deliveries, last.skipped) == (2, 8, 0)
    assert last.passed_us >= 800_000
    assert await process.wait() == 0
    reader = TraceReader(tmp_path / "process-0")
    assert [row.run for row in reader.rows(RunRow)] == ["r"]
    assert len([row for row in reader.rows(ArrivalRow) if row.first]) == 8


@on_loop
async def test_a_process_that_nobody_listens_to_ends(tmp_path: Path) -> None:
    process, _ = await started(tmp_path)
    assert process.stdin is not None
    assert (await said(process)).state == "ready"
    process.stdin.close()
    assert await process.wait() == 0


@on_loop
@pytest.mark.parametrize("word", [b"", b"job"])
async def test_whoever_ends_before_the_plan_takes_its_trace_along(
    tmp_path: Path, word: bytes
) -> None:
    out = tmp_path / "out.part"
    process, _ = await started(out)
    assert process.stdin is not None
    assert (await said(process)).state == "ready"
    assert out.is_dir()
    if word:
        process.stdin.write(f"{time.time_ns() // 1_000}\n".encode())
        assert (await said(process)).state == "running"
    process.stdin.close()
    assert await process.wait() == 0
    assert list(tmp_path.iterdir()) == []


@on_loop
async def test_a_process_that_is_told_nothing_ends_without_a_word() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "snowcast.lab.worker",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert await process.communicate() == (b"", b"")
    assert process.returncode == 0


@on_loop
async def test_a_process_that_cannot_begin_says_why(tmp_path: Path) -> None:
    first, job = await started(tmp_path / "a")
    assert (await said(first)).state == "ready"
    second, _ = await started(tmp_path / "b", port=job.port)
    status = await said(second)
    assert status.state == "failed"
    assert "another program listens there" in status.reason
    assert await second.wait() == 1
    assert first.stdin is not None
    first.stdin.close()
    await first.wait()
