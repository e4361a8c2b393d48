"""Agents for tests: on the loop of a test, or as real processes, `snowcast agent` and nothing else.

Whatever happens, all of them have ended when the block has.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from snowcast.agent.agent import Agent
from snowcast.agent.client import Client, NoAgent, Refused
from snowcast.agent.settings import Settings
from support.loops import FAST, SAFETY_S, until

LOOK_AGAIN_S = 0.02
SOON = {
    name: value
    for name, value in msgspec.to_builtins(FAST).items()
    if name not in ("cluster", "fanout", "ring_order")
}
"""Everything sooner, as settings of the section [protocol]."""


def settings(folder: Path, name: str = "a", **sections: dict[str, Any]) -> Settings:
    """Settings of an agent on loopback, whose socket is in `folder`."""
    defaults: dict[str, dict[str, Any]] = {
        "node": {"name": name, "bind": "127.0.0.1:0", "linger": 0.05},
        "control": {"socket": str(folder / f"{name}.sock")},
        "protocol": SOON,
    }
    both = {
        section: {**defaults.get(section, {}), **sections.get(section, {})}
        for section in {*defaults, *sections}
    }
    return msgspec.convert(both, Settings)


@asynccontextmanager
async def agent(folder: Path, name: str = "a", **sections: dict[str, Any]) -> AsyncIterator[Agent]:
    """An agent on this loop, that leaves at the end of the block."""
    made = Agent(settings(folder, name, **sections))
    task = asyncio.create_task(made.run())
    try:
        await until(lambda: made.is_running or task.done())
        if task.done():
            task.result()
        yield made
    finally:
        made.leave(0.0)
        await asyncio.wait((task,))
    assert task.result() == 0


@asynccontextmanager
async def pair(folder: Path, **sections: dict[str, Any]) -> AsyncIterator[tuple[Agent, Agent]]:
    """Two agents, `a` and `b`, that know each other."""
    async with agent(folder, "a", **sections) as a:
        node = {**sections.pop("node", {}), "seeds": (str(a.cluster.address),)}
        async with agent(folder, "b", node=node, **sections) as b:
            await until(lambda: len(a.cluster.members) == len(b.cluster.members) == 2)
            await until(lambda: b.cluster.is_joined and a.cluster.digest == b.cluster.digest)
            yield a, b


def client(agent: Agent) -> Client:
    """Asks an agent, on its socket."""
    return Client(agent.settings.socket)


async def ask(agent: Agent, method: str, /, *arguments: Any, **options: Any) -> Any:
    """`get` or `post` by a client, while the loop goes on."""
    return await asyncio.to_thread(getattr(client(agent), method), *arguments, **options)


class Process:
    """One `snowcast agent`, its log in a file."""

    def __init__(self, folder: Path, name: str, *flags: str, **environment: str) -> None:
        self.name = name
        self.socket = str(folder / f"{name}.sock")
        self.log_path = folder / f"{name}.log"
        command = [sys.executable, "-m", "snowcast", "agent", "--name", name]
        command += ["--control-socket", self.socket, *flags]
        if "--bind" not in flags:
            command += ["--bind", "127.0.0.1:0"]
        clean = {key: value for key, value in os.environ.items() if "SNOWCAST_" not in key}
        with self.log_path.open("ab") as log:
            self.popen = subprocess.Popen(command, stderr=log, env={**clean, **environment})
        self.client = Client(self.socket)

    @property
    def log(self) -> str:
        """What it has said so far."""
        return self.log_path.read_text()

    def status(self) -> dict[str, Any]:
        """How it is; nothing if it cannot say."""
        try:
            answer: dict[str, Any] = self.client.get("/v1/status")
        except (NoAgent, Refused):  # it has not begun, or is about to end
            return {}
        return answer

    def wait_until_up(self) -> dict[str, Any]:
        """Wait until it answers; how it is then."""
        wait(lambda: self.popen.poll() is not None or self.status(), self.name)
        assert self.popen.poll() is None, self.log
        return self.status()

    def wait_until_joined(self) -> dict[str, Any]:
        """Wait until it has been let in; how it is then."""
        wait(lambda: self.popen.poll() is not None or self.status().get("is_joined"), self.name)
        assert self.popen.poll() is None, self.log
        return self.status()

    def states(self) -> dict[str, str]:
        """The state of everybody it knows or knew, by name."""
        answer = self.client.get("/v1/members", departed=True)
        return {member["name"]: member["state"] for member in answer["members"]}

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.popen.send_signal(number)

    def wait(self) -> int:
        """Wait until it has ended; its exit status."""
        return self.popen.wait(SAFETY_S)

    def port(self, what: str) -> str:
        """Where it listens, as its log in JSON says: `metrics` or `control API`."""
        for line in lines_of_json(self.log):
            if line["message"] == what and line["at"].startswith("http"):
                return str(line["at"])
        raise AssertionError(self.log)


class Processes:
    """Agents that know each other; the first is the contact of the others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.all: list[Process] = []
        self.flags = [f"--set=protocol.{key}={value}" for key, value in SOON.items()]
        self.seed = ""

    def start(self, name: str, *flags: str, **environment: str) -> Process:
        """One more. It need not have joined yet."""
        seed = ("--seed", self.seed) if self.seed else ()
        process = Process(self.folder, name, *self.flags, *seed, *flags, **environment)
        self.all.append(process)
        if not self.seed:
            self.seed = process.wait_until_joined()["address"]
        return process

    def agree(self, *names: str) -> None:
        """Wait until these agents see each other as members, and nobody else."""
        asked = [process for process in self.all if process.name in names]

        def do_agree() -> bool:
            if not all(process.status().get("is_joined") for process in asked):
                return False
            digests = {process.status()["digest"] for process in asked}
            present = [
                {name for name, state in process.states().items() if state == "alive"}
                for process in asked
            ]
            return len(digests) == 1 and present == [set(names)] * len(asked)

        wait(do_agree, f"{names} to agree")

    def close(self) -> None:
        """End them all."""
        for process in self.all:
            process.popen.kill()
        for process in self.all:
            process.popen.wait()


@contextmanager
def processes(folder: Path) -> Iterator[Processes]:
    """Agents as processes, all of which end with the block."""
    made = Processes(folder)
    try:
        yield made
    finally:
        made.close()


def wait(condition: Callable[[], object], what: str = "it to hold") -> None:
    """Wait until `condition()` is true."""
    end = time.monotonic() + SAFETY_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(LOOK_AGAIN_S)


def lines_of_json(text: str) -> list[dict[str, Any]]:
    """A log in JSON."""
    return [json.loads(line) for line in text.splitlines()]
