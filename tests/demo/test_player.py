"""One process of the demo from the outside: it does as it is told, and tells what happens."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from snowcast.core.trees import Mode
from snowcast.demo import cues
from snowcast.lab.job import Job
from snowcast.lab.places import free_port
from snowcast.sim.scenario import parse
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, RunRow
from support.loops import on_loop

NODES = 5
QUICK = {"hop_timeout_us": 300_000, "probe_interval_us": 200_000, "probe_timeout_us": 100_000}
TABLES: dict[str, Any] = {"cluster": {"nodes": NODES, "fanout": 2, "config": QUICK}}


class Played:
    """A player, and what it has told so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self._stdout = process, process.stdin, process.stdout
        self.state = ""
        self.news: list[cues.AnyNews] = []

    def cue(self, cue: cues.AnyCue) -> None:
        self.stdin.write(cues.encode(cue) + b"\n")

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            line = msgspec.json.decode(await self._stdout.readline(), type=cues.Line)
            assert line.state != "failed", line.reason
            self.state = line.state
            self.news += line.news

    def of(self, kind: type[cues.News]) -> list[Any]:
        return [news for news in self.news if type(news) is kind]

    def counts(self) -> dict[int, int]:
        return {news.node: news.members for news in self.of(cues.Counted)}


@asynccontextmanager
async def player(out: Path) -> AsyncIterator[Played]:
    job = Job(
        name="boot",
        scenario_name="s",
        scenario=msgspec.to_builtins(parse(TABLES)),
        seed=0,
        port=free_port(Random(time.time_ns())),
        out=str(out),
        processes=1,
    )
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "snowcast.demo.player", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(job) + b"\n")
    played = Played(process)
    await played.until(lambda: played.state == "ready")
    try:
        yield played
    finally:
        played.stdin.close()
        await process.wait()


async def boot(it: Played) -> None:
    it.cue(cues.Found(0))
    for node in range(1, NODES):
        it.cue(cues.Join(node, 0))
    await it.until(lambda: it.counts() == dict.fromkeys(range(NODES), NODES))


@on_loop
async def test_it_plays_what_it_is_told_and_records_each_act_as_a_run(tmp_path: Path) -> None:
    async with player(tmp_path) as it:
        await boot(it)
        it.cue(cues.Record("first", "one", "standard"))
        it.cue(cues.Tell(0, 0, Mode.STANDARD, False, 20))
        await it.until(lambda: len(it.of(cues.Arrived)) == NODES - 1)
        (sent,) = it.of(cues.Sent)
        assert {news.node for news in it.of(cues.Arrived)} == {1, 2, 3, 4}
        assert {(news.message, news.is_first) for news in it.of(cues.Arrived)} == {
            (sent.message, True)
        }
        it.cue(cues.Leave(4))
        await it.until(lambda: sum(news.state == "left" for news in it.of(cues.Changed)) >= 4)
        it.cue(cues.Record("second", "two", "coloring", gone=(4,)))
        it.cue(cues.Tell(1, 0, Mode.COLORING, False, 20))
        await it.until(lambda: len(it.of(cues.Sent)) == 2)
        it.cue(cues.End())
        await it.until(lambda: it.state == "done")
    assert it.process.returncode == 0
    reader = TraceReader(tmp_path / "process-0")
    runs = [(row.run, row.scenario, row.protocol) for row in reader.rows(RunRow)]
    assert runs == [("first", "one", "standard"), ("second", "two", "coloring")]
    assert [(row.run, row.mode) for row in reader.rows(MessageRow)] == [
        ("first", "standard"),
        ("second", "coloring"),
    ]
    nodes = {run: {r.node for r in reader.rows(NodeRow) if r.run == run} for run, *_ in runs}
    assert (len(nodes["first"]), len(nodes["second"])) == (NODES, NODES - 1)
    data = [row.run for row in reader.rows(ArrivalRow) if row.kind == "data"]
    assert data.count("first") == NODES - 1


@on_loop
async def test_a_silent_child_is_seen_and_so_is_who_takes_its_place(tmp_path: Path) -> None:
    async with player(tmp_path) as it:
        await boot(it)
        it.cue(cues.Record("r", "s", "standard"))
        it.cue(cues.Crash(2))  # with five nodes and k = 2, it stands between 0 and 1
        it.cue(cues.Tell(0, 0, Mode.STANDARD, True, 20))
        await it.until(lambda: it.of(cues.Confirmed))
        (confirmed,) = it.of(cues.Confirmed)
        assert (confirmed.delivered, confirmed.missing) == (3, (2,))
        assert {news.node for news in it.of(cues.Arrived)} == {1, 3, 4}
        assert any(news.node == 0 and 1 in news.children for news in it.of(cues.Adopted))
        await it.until(lambda: any(news.state == "suspect" for news in it.of(cues.Changed)))
        assert {news.about for news in it.of(cues.Changed) if news.state == "suspect"} == {2}


@on_loop
async def test_whom_nobody_tells_anything_any_more_takes_its_trace_along(tmp_path: Path) -> None:
    out = tmp_path / "traces"
    async with player(out) as it:
        await boot(it)
        assert out.is_dir()
    assert it.process.returncode == 0
    assert not out.exists()
