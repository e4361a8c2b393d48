"""One process of the lab: some of the nodes on one event loop, doing their part of the plan.

    python -m snowcast.lab.worker

It reads its job from standard input, binds its nodes' addresses, says `ready`, reads when to start,
and says every so often how it fares. Where standard input ends before the plan has, whoever started
it is gone or has given up: it ends at once, and takes with it what it has written.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from snowcast import __version__
from snowcast.core.config import SECOND
from snowcast.core.effects import Delivered, Notice
from snowcast.core.errors import SnowcastError
from snowcast.core.member import Member, first_incarnation
from snowcast.lab.job import Job, Status
from snowcast.lab.namespaces import enter
from snowcast.lab.resident import Resident, Surroundings, close_all
from snowcast.runtime import loop as event_loop
from snowcast.sim.incidents import Partition
from snowcast.sim.latency import Latency
from snowcast.sim.network import Network
from snowcast.sim.plan import AnyStep, Disturb, Enter, Exit, Halt, How, Return, Say
from snowcast.sim.scenario import Scenario
from snowcast.sim.staging import make_processing, make_rule, make_rules
from snowcast.trace.files import TraceWriter
from snowcast.trace.schema import RunRow

STATUS_S = 0.25
LAG_PROBE_S = 0.05


class Worker:
    """The nodes of one process."""

    def __init__(self, job: Job, writer: TraceWriter) -> None:
        self._job = job
        self._scenario, self._plan = job.load()
        self._writer = writer
        self._start_us = 0
        self._messages = self._deliveries = self._skipped = self._lag_us = 0
        faults = () if job.in_namespaces else _faults(self._scenario)
        self._network = Network(job.seed, [*faults, Latency.fixed(0)])
        self._nodes = self._settle()

    async def go(self, stdin: asyncio.StreamReader) -> bool:
        """Take the addresses, wait for the word, and do the plan to its end; whether it came."""
        if self._job.in_namespaces:
            enter(self._job.namespace)
        booted = [node for node in self._nodes.values() if node.index < self._plan.booted]
        for node in booted:
            node.bind()
        self._say("ready")
        word = await stdin.readline()
        if not word:  # there is nobody any more who wants the run
            return False
        self._start_us = int(word)
        members = tuple(
            [
                Member(self._job.address_of(index), first_incarnation(1))
                for index in range(self._plan.booted)
            ]
        )
        if self._job.process == 0:
            self._writer.write(run_row(self._job, self._scenario))
        await self._until(0)
        for node in booted:
            node.boot(members)
        gc.freeze()  # what is there now stays: a collection that looks at it all stops every node
        watch = asyncio.create_task(self._watch_lag())
        tell = asyncio.create_task(self._tell())
        try:
            for step in self._plan.steps:
                await self._until(step.at_us)
                self._do(step)
            await self._until(self._plan.ends_us)
        finally:
            watch.cancel()
            tell.cancel()
            await close_all(self._nodes.values())
        self._say("done")
        return True

    def _settle(self) -> dict[int, Resident]:
        """The nodes that live here, in whichever part of the run."""
        job, scenario, plan = self._job, self._scenario, self._plan
        processing = make_processing(scenario.processing)
        if processing is not None:
            processing.seed(job.seed)
            processing.boot(plan.booted)
        around = Surroundings(
            job.name,
            job.address_of,
            scenario.cluster.settings(),
            scenario.protocol,
            processing,
            self._network,
            self._writer,
            self._now_us,
            _clock_us,
            self._on_notice,
        )
        gone = {step.node for step in plan.steps if isinstance(step, Exit)}
        entered = [step.node for step in plan.steps if isinstance(step, Enter)]
        return {
            index: Resident(index, around, stable=index < plan.booted and index not in gone)
            for index in [*range(plan.booted), *entered]
            if job.is_mine(index)
        }

    def _do(self, step: AnyStep) -> None:
        """Do what the plan says, or count it as skipped if it cannot be done any more."""
        if isinstance(step, Disturb):
            self._disturb(step)
            return
        node = self._nodes.get(step.node)
        if node is None:
            return
        match step:
            case Enter():
                node.join(self._job.address_of(step.contact))
            case Return() if not node.is_up:
                node.join(self._job.address_of(self._contact_of(step.node)))
            case Say() if node.is_member:
                self._messages += 1
                node.say(step)
            case Exit(how=How.LEAVE) if node.is_up:
                node.leave()
            case Exit(how=How.CRASH) if node.is_up:
                node.crash()
            case Exit(how=How.KILL) if node.is_up:
                node.kill()
            case Say() | Exit() | Return() | Halt():
                self._skipped += 1

    def _contact_of(self, node: int) -> int:
        """Through whom a node comes back: one that stays, if the plan leaves any."""
        harmed = self._plan.harmed()
        return next((i for i in range(self._plan.booted) if i not in harmed), int(node == 0))

    def _disturb(self, step: Disturb) -> None:
        if self._job.in_namespaces and isinstance(step.kind, Partition):
            return  # the hub's to do
        rule = make_rule(step, [self._job.address_of(node) for node in step.nodes])
        self._network.install(rule)
        if step.until_us is not None:
            wait_s = (step.until_us - step.at_us) / SECOND
            asyncio.get_running_loop().call_later(wait_s, partial(self._network.uninstall, rule))

    async def _until(self, at_us: int) -> None:
        wait_us = at_us - self._now_us()
        if wait_us > 0:
            await asyncio.sleep(wait_us / SECOND)

    async def _watch_lag(self) -> None:
        """How late the loop is: delays that the scenario did not ask for."""
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + LAG_PROBE_S
            await asyncio.sleep(LAG_PROBE_S)
            self._lag_us = max(self._lag_us, round((loop.time() - due_s) * SECOND))

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(STATUS_S)
            self._writer.flush()
            self._say("running")

    def _say(self, state: str) -> None:
        status = Status(
            state=state,
            passed_us=self._now_us() if self._start_us else 0,
            messages=self._messages,
            deliveries=self._deliveries,
            skipped=self._skipped,
            lag_us=self._lag_us,
        )
        report(status)

    def _now_us(self) -> int:
        return _clock_us() - self._start_us

    def _on_notice(self, node: int, notice: Notice) -> None:
        self._deliveries += isinstance(notice, Delivered)


def report(status: Status) -> None:
    """Tell whoever started this process."""
    sys.stdout.buffer.write(msgspec.json.encode(status) + b"\n")
    sys.stdout.buffer.flush()


class Part(Protocol):
    """What one process does in a run."""

    async def go(self, stdin: asyncio.StreamReader) -> bool:
        """Do it; whether it came to its end, so that what was written is worth keeping."""


async def work(make: Callable[[Job, TraceWriter], Part]) -> None:
    """Read the job, and do it while somebody listens."""
    stdin = await _standard_input()
    line = await stdin.readline()
    if not line:
        return
    job = msgspec.json.decode(line, type=Job)
    folder, is_whole = Path(job.out) / f"process-{job.process}", False
    try:
        with TraceWriter(folder) as writer:
            task = asyncio.create_task(make(job, writer).go(stdin))
            while not task.done() and not stdin.at_eof():
                await asyncio.wait({task}, timeout=STATUS_S)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                is_whole = await task
    finally:
        if not is_whole:
            _discard(folder)


def main(make: Callable[[Job, TraceWriter], Part] = Worker) -> None:
    """Be one process of the lab."""
    event_loop.install()
    try:
        asyncio.run(work(make))
    except (SnowcastError, OSError) as error:
        report(Status(state="failed", reason=str(error)))
        sys.exit(1)


def _discard(folder: Path) -> None:
    """Nobody wants a part of a run: also the folder around it goes, with the last in it."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    kind = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):  # a file cannot be waited for
        reader.feed_eof()
        return reader
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def _faults(scenario: Scenario) -> Sequence[Any]:
    """The rules for all frames, less the latency: loopback has one of its own."""
    return make_rules(scenario.network)[:-1]


def run_row(job: Job, scenario: Scenario) -> RunRow:
    """What a trace says of the run as a whole."""
    return RunRow(
        run=job.name,
        protocol=scenario.protocol,
        scenario=job.scenario_name,
        variant=job.variant or None,
        seed=job.seed,
        nodes=scenario.cluster.nodes,
        fanout=scenario.cluster.fanout,
        config=msgspec.json.encode(scenario.cluster.settings()).decode(),
        version=__version__,
        is_virtual=False,
    )


def _clock_us() -> int:
    return time.time_ns() // 1_000


if __name__ == "__main__":
    main()
