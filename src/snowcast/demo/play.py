"""The performance from beginning to end: processes, story, audience; and nothing left of it."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import msgspec
from rich.console import Console

from snowcast.demo import acts
from snowcast.demo.conductor import Conductor, stragglers
from snowcast.demo.show import audience
from snowcast.demo.stage import Stage
from snowcast.lab.crew import Crew
from snowcast.lab.job import Job
from snowcast.lab.places import free_port

PROCESSES = 3
BOOT = "demo-boot"
"""The run of what happens before the first act: it is not measured."""


async def play(traces: Path, console: Console, pace: float = 1.0) -> None:
    """Play the story; the traces of all acts are in `traces` then."""
    first = acts.STANDARD
    job = Job(
        name=BOOT,
        scenario_name=first.name,
        scenario=msgspec.to_builtins(first.scenario()),
        seed=acts.SEED,
        port=free_port(Random(time.time_ns())),
        out=str(traces),
        processes=PROCESSES,
    )
    stage = Stage()
    slots, slow = acts.NODES + 1, frozenset(stragglers())
    async with Crew("snowcast.demo.player") as crew:
        for number in range(PROCESSES):
            part = msgspec.structs.replace(job, process=number)
            await crew.start(msgspec.json.encode(part))
        async with audience(console, stage, slots, slow) as watching:
            await Conductor(crew, job, stage, watching, pace).perform()
