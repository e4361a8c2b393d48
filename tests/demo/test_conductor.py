"""Whoever fails ends the performance with a word; the whole of it is in `test_play`."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from snowcast.core.config import SECOND
from snowcast.demo import acts, conductor
from snowcast.demo.conductor import Conductor, stragglers
from snowcast.demo.stage import Stage
from snowcast.lab.crew import Crew, LabError
from snowcast.lab.job import Job
from snowcast.sim.scenario import parse
from support.loops import on_loop


class Deaf:
    """An audience that does something at the first scene."""

    def __init__(self, crew: Crew, number: signal.Signals) -> None:
        self._crew, self._number = crew, number

    def scene(self, title: str, text: str) -> None:
        os.kill(self._crew.pids[1], self._number)

    def tell(self, text: str, style: str = "") -> None:
        pass


async def performed(tmp_path: Path, number: signal.Signals) -> None:
    job = Job(
        name="boot",
        scenario_name="demo",
        scenario=msgspec.to_builtins(parse(acts.COMMON)),
        seed=acts.SEED,
        port=20_000 + os.getpid() % 10_000,
        out=str(tmp_path / "out"),
        processes=2,
    )
    async with Crew("snowcast.demo.player") as crew:
        for place in range(2):
            await crew.start(msgspec.json.encode(msgspec.structs.replace(job, process=place)))
        try:
            await Conductor(crew, job, Stage(), Deaf(crew, number), 0).perform()
        finally:
            with suppress(ProcessLookupError):
                os.kill(crew.pids[1], signal.SIGCONT)


@on_loop
async def test_a_player_that_dies_ends_it(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="process 1 has failed"):
        await performed(tmp_path, signal.SIGKILL)
    assert not (tmp_path / "out" / "process-0").exists()  # the rest is the keeper's to clear


@on_loop
async def test_what_is_waited_for_in_vain_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conductor, "WAIT_S", 6.0)  # long enough for processes to start
    with pytest.raises(LabError, match="waited in vain for everybody to know 60 members"):
        await performed(tmp_path, signal.SIGSTOP)
    assert not (tmp_path / "out").exists()


def test_the_slow_ones_are_those_of_the_scenario() -> None:
    slow = stragglers()
    assert set(slow.values()) == {SECOND}
    assert len([node for node in slow if node < acts.NODES]) == acts.NODES // 20
