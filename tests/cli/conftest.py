"""What the tests of commands share: a way to call one, and real agents to ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from snowcast.agent.client import Client
from snowcast.cli.main import main
from support.agents import Processes, processes


class Called(NamedTuple):
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it wrote, read as JSON."""
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command in this process."""

    def run(*words: str) -> Called:
        status = main(list(words))
        written = capsys.readouterr()
        return Called(status, written.out, written.err)

    return run


@pytest.fixture(scope="session")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """Three agents that no test stops: `a`, `b` and `c`. What a test changes it puts back."""
    with processes(tmp_path_factory.mktemp("trio")) as made:
        for name, zone in (("a", "north"), ("b", "south"), ("c", "south")):
            made.start(name, "--tag", f"zone={zone}", "--set=node.linger=0.1")
        made.agree("a", "b", "c")
        yield made


@pytest.fixture
def at(trio: Processes, monkeypatch: pytest.MonkeyPatch) -> dict[str, Client]:
    """Have commands ask agent `a`; clients of all three, by name."""
    monkeypatch.setenv("SNOWCAST_AGENT", trio.all[0].socket)
    return {process.name: process.client for process in trio.all}
