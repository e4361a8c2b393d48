"""A scenario on real nodes: processes started, told when to begin, watched, and ended.

Rules of this file:
- A run that is cut off leaves nothing: traces become `out` when all processes are done. If this
  process is killed, those of the lab clear away what they have written.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

import msgspec

from snowcast.core.config import SECOND
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.lab.crew import Crew, LabError
from snowcast.lab.hub import Hub
from snowcast.lab.job import Job, Status, check
from snowcast.lab.namespaces import Namespaces
from snowcast.lab.places import free_port
from snowcast.lab.weather import changes, rules_of
from snowcast.sim.plan import Enter, Plan
from snowcast.sim.scenario import Scenario

NODES_PER_PROCESS = 125
NAMESPACES_MAX = 250  # each with a process of its own
NAMESPACE_PORT = 7946
START_IN_US = 500_000
SHOW_S = 0.25

Progress = Callable[[int, int], None]
"""Told how much time has passed, and how much there is."""


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
    packets: dict[str, int]
    """Between namespaces: what became of packets."""


async def run(
    scenario: Scenario,
    seed: int,
    out: Path,
    *,
    name: str,
    variant: str = "",
    processes: int | None = None,
    in_namespaces: bool = False,
    progress: Progress = lambda passed_us, all_us: None,
) -> LabResult:
    """Run `scenario` under `seed` on real nodes; write their traces to `out`.

    In namespaces each node has a process of its own; else they share `processes`.
    """
    if out.exists():
        raise UsageError(f"{out}: exists already")
    draft = out.with_name(f"{out.name}.part")
    words = name, variant, scenario.protocol, str(seed), "lab"
    job = Job(
        name="-".join(filter(None, words)),
        scenario_name=name,
        variant=variant,
        scenario=msgspec.to_builtins(scenario),
        seed=seed,
        port=NAMESPACE_PORT if in_namespaces else free_port(Random(time.time_ns())),
        out=str(draft),
        processes=processes or max(1, -(-scenario.cluster.nodes // NODES_PER_PROCESS)),
        in_namespaces=in_namespaces,
    )
    drawn, plan = job.load()
    check(drawn, plan)
    if in_namespaces:
        job = msgspec.structs.replace(job, processes=_everybody(plan, processes))
    shutil.rmtree(draft, ignore_errors=True)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        lab = _Lab(job, drawn, plan)
        statuses = await lab.go(progress)
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
        processes=job.processes,
        messages=sum(status.messages for status in statuses),
        deliveries=sum(status.deliveries for status in statuses),
        skipped=sum(status.skipped for status in statuses),
        lag_ms=max(status.lag_us for status in statuses) / 1_000,
        packets=lab.packets,
    )


class _Lab:
    """One run: its processes, and what is between them."""

    def __init__(self, job: Job, scenario: Scenario, plan: Plan) -> None:
        self._job = job
        self._scenario = scenario
        self._plan = plan
        self._last: list[Status] = []
        self.packets: dict[str, int] = {}

    async def go(self, progress: Progress) -> Sequence[Status]:
        """Start all processes, let them run, and return the last word of each."""
        with ExitStack() as stack:
            namespaces, hub = None, None
            if self._job.in_namespaces:
                namespaces = stack.enter_context(Namespaces(self._job.processes))
                rules = rules_of(self._scenario.network)
                hub = stack.enter_context(Hub(namespaces, rules, self._job.seed))
            try:
                await self._run(namespaces, hub, progress)
            except* SnowcastError as failures:
                raise failures.exceptions[0] from None
            if hub is not None:
                self.packets = msgspec.to_builtins(hub.counts())
        return self._last

    async def _run(
        self, namespaces: Namespaces | None, hub: Hub | None, progress: Progress
    ) -> None:
        async with Crew("snowcast.lab.worker") as crew:
            for number in range(self._job.processes):
                held = -1 if namespaces is None else namespaces.descriptor(number)
                job = msgspec.structs.replace(self._job, process=number, namespace=held)
                await crew.start(msgspec.json.encode(job), () if held < 0 else (held,))
            for number in range(len(crew)):
                self._last.append(await _next(crew, number))
            start_us = _clock_us() + START_IN_US
            for number in range(len(crew)):
                crew.tell(number, str(start_us).encode())
            async with asyncio.TaskGroup() as group:
                for number in range(len(crew)):
                    group.create_task(self._follow(crew, number))
                group.create_task(self._show(progress))
                if hub is not None:
                    group.create_task(self._change(hub, start_us))

    async def _follow(self, crew: Crew, number: int) -> None:
        while self._last[number].state != "done":
            self._last[number] = await _next(crew, number)

    async def _show(self, progress: Progress) -> None:
        ends_us = self._plan.ends_us
        while any(status.state != "done" for status in self._last):
            progress(min(status.passed_us for status in self._last), ends_us)
            await asyncio.sleep(SHOW_S)
        progress(ends_us, ends_us)

    async def _change(self, hub: Hub, start_us: int) -> None:
        """Do to packets what the plan has for them."""
        for at_us, rules in changes(hub.rules, self._plan):
            await asyncio.sleep(max(0, start_us + at_us - _clock_us()) / SECOND)
            hub.set(rules)


async def _next(crew: Crew, number: int) -> Status:
    status = msgspec.json.decode(await crew.next(number), type=Status)
    if status.state == "failed":
        raise LabError(f"process {number} has failed: {status.reason}")
    return status


def _everybody(plan: Plan, processes: int | None) -> int:
    """How many nodes there will be."""
    count = plan.booted + sum(isinstance(step, Enter) for step in plan.steps)
    if processes is not None:
        raise UsageError("processes: in namespaces each node has one of its own")
    if count > NAMESPACES_MAX:
        raise UsageError(f"{count} nodes: at most {NAMESPACES_MAX} with namespaces of their own")
    return count


def _clock_us() -> int:
    return time.time_ns() // 1_000
