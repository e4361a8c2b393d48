"""A cluster in several processes, in the hand of a test: started, told, listened to, killed.

No event loop: `until` reads what the processes tell while it waits. Whatever happens, all
processes have ended when the block has.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snowcast.core.config import MS, SECOND, Config
from snowcast.lab.namespaces import Namespaces
from support.loops import SAFETY_S

WORKER = str(Path(__file__).with_name("worker.py"))
LOOK_AGAIN_S = 0.1
ATTEMPTS_MAX = 20

SOONER = Config(
    probe_interval_us=500 * MS,
    probe_timeout_us=250 * MS,
    suspicion_min_us=1500 * MS,
    anti_entropy_us=3 * SECOND,
    heal_us=2 * SECOND,
    join_timeout_us=2 * SECOND,
)
"""What takes ten seconds in a cluster takes four in a test; round trips of 100 ms still fit."""


class Told(NamedTuple):
    """What a node has told of a member, or of itself."""

    node: str
    event: str
    member: str | None
    at: float


class Heard(NamedTuple):
    """What a node has delivered."""

    node: str
    text: str
    size: int
    sender: str


class Process:
    """A process with some nodes."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self.names: list[str] = []
        self.rest = b""


class Fleet:
    """Processes, the nodes in them, and what these have told."""

    def __init__(self, namespaces: Namespaces | None = None, config: Config | None = None) -> None:
        self.config = msgspec.to_builtins(config or Config())
        self.seeds: list[str] = []
        self.addresses: dict[str, str] = {}
        self.heard: list[Heard] = []
        self.told: list[Told] = []
        self.late: list[str] = []
        """Who has got a reliable message, but confirmed it too late for the receipt. On a machine
        that does nothing else, in a network that loses nothing, that is nobody."""
        self._processes: list[Process] = []
        self._process_of: dict[str, Process] = {}
        self._answers: dict[int, Any] = {}
        self._orders = 0
        self._namespaces = namespaces
        self._selector = selectors.DefaultSelector()

    @property
    def names(self) -> list[str]:
        """The nodes that run."""
        return list(self._process_of)

    def start(self, *names: str, namespace: int | None = None, **options: Any) -> None:
        """A process with nodes of these names; the first of all is the contact of the others."""
        self.launch(*names, namespace=namespace)
        self.join(*names, **options)

    def launch(self, *names: str, namespace: int | None = None) -> None:
        """A process for these nodes, which `join` begins."""
        command = [sys.executable, WORKER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        if namespace is None:
            popen = subprocess.Popen(command, **pipes)
        else:
            assert self._namespaces is not None
            popen = self._namespaces.popen(namespace, command, **pipes)
        process = Process(popen)
        process.names += names
        self._processes.append(process)
        self._process_of |= dict.fromkeys(names, process)
        assert popen.stdout is not None
        self._selector.register(popen.stdout, selectors.EVENT_READ, process)

    def join(self, *names: str, **options: Any) -> None:
        """Begin nodes in their processes. Do not wait for them to be let in."""
        if not self.seeds and len(names) > 1:
            self.join(names[0], **options)
            names = names[1:]
        options = {"config": self.config, "linger": 0.5, "seeds": self.seeds, **options}
        asked = {name: self.tell(name, "join", name=name, **options) for name in names}
        for name, order in asked.items():
            self.addresses[name] = self.answer(order)
        if not self.seeds:
            self.seeds = [self.addresses[names[0]]]

    def tell(self, node: str, do: str, /, **order: Any) -> int:
        """Have something done in the process of a node; the number of the order."""
        self._orders += 1
        self._write(self._process_of[node], {"id": self._orders, "do": do, **order})
        return self._orders

    def answer(self, order: int) -> Any:
        """What an order has come to."""
        self.until(lambda: order in self._answers, f"an answer to order {order}")
        answer = self._answers.pop(order)
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def ask(self, node: str, do: str, /, **order: Any) -> Any:
        """Have something done, and wait for it."""
        return self.answer(self.tell(node, do, **order))

    def broadcast(self, node: str, text: str, **options: Any) -> Any:
        """Send a message from a node; the receipt, if it has one."""
        return self.ask(node, "broadcast", node=node, text=text, **options)

    def reach(
        self, node: str, text: str, among: Iterable[str], dead: Iterable[str] = (), **options: Any
    ) -> Any:
        """Send a reliable message to members, some of them dead: it names those, and the others get
        it once. Where the machine is slow it may name some of these too, which are `late`."""
        others, dead = set(among) - {node}, set(dead)
        receipt = self.broadcast(node, text, reliable=True, **options)
        missing = set(receipt["missing"]) & others
        assert dead <= missing, (dead, receipt)
        assert receipt["delivered"] == len(others) - len(missing), receipt
        self.all_heard(text, by=others - dead)
        self.late += sorted(missing - dead)
        return receipt

    def complete(self, node: str, text: str, among: Iterable[str]) -> str:
        """Send reliable messages until all of these have confirmed one in time; its text."""
        said = [text]
        while True:
            late = len(self.late)
            receipt = self.reach(node, said[-1], among)
            if len(self.late) == late and not receipt["missing"]:
                return said[-1]
            assert len(said) < ATTEMPTS_MAX, f"{self.late} do not confirm in time"
            said.append(f"{text}, attempt {len(said) + 1}")

    def each(self, do: str) -> dict[str, Any]:
        """Ask all processes for what they know of their nodes."""
        found: dict[str, Any] = {}
        for order in [self.tell(p.names[0], do) for p in self._processes if p.names]:
            found |= self.answer(order)
        return found

    def agree(self, among: Iterable[str] | None = None, on: Iterable[str] | None = None) -> float:
        """Wait until these nodes see these members and no others; how long that took."""
        asked = set(among or self.names)
        wanted = sorted(on or asked)
        begin = time.monotonic()

        def do_agree() -> bool:
            seen = {name: s for name, s in self.each("status").items() if name in asked}
            are_known = all(s["joined"] and s["members"] == wanted for s in seen.values())
            return are_known and len({s["digest"] for s in seen.values()}) == 1

        self.until(do_agree, f"{len(asked)} nodes to agree on {len(wanted)} members")
        return time.monotonic() - begin

    def all_heard(self, text: str, by: Iterable[str]) -> None:
        """Wait until these have delivered the message, and assert that nobody has done so twice."""
        wanted = sorted(by)
        self.until(lambda: len(self.who_heard(text)) >= len(wanted), f"all to hear {text!r}")
        assert self.who_heard(text) == wanted

    def who_heard(self, text: str) -> list[str]:
        """Who has delivered this message, as often as they have."""
        return sorted(heard.node for heard in self.heard if heard.text == text)

    def who_told(self, event: str, member: str) -> dict[str, float]:
        """Which nodes have told of this, and when first."""
        found: dict[str, float] = {}
        for told in self.told:
            if (told.event, told.member) == (event, member):
                found.setdefault(told.node, told.at)
        return found

    def signal(self, node: str, number: signal.Signals) -> float:
        """Send a signal to the process of a node; when that was."""
        self._process_of[node].popen.send_signal(number)
        return time.time()

    def kill(self, node: str) -> float:
        """`kill -9` the process of a node; when that was."""
        at = self.signal(node, signal.SIGKILL)
        self._forget(self._process_of[node])
        return at

    def terminate(self, node: str) -> int:
        """SIGTERM the process of a node, and wait for its end; its exit status."""
        process = self._process_of[node]
        self.signal(node, signal.SIGTERM)
        self.until(lambda: process.popen.poll() is not None, f"{node} to end")
        self._forget(process)
        return process.popen.returncode

    def until(self, condition: Callable[[], object], what: str = "it to hold") -> None:
        """Take in what the processes tell until `condition()` is true."""
        end = time.monotonic() + SAFETY_S
        while not condition():
            assert time.monotonic() < end, f"waited in vain for {what}"
            self.read()

    def read(self) -> None:
        """Take in what the processes tell, for a moment."""
        for key, _ in self._selector.select(LOOK_AGAIN_S):
            self._read(key.data)

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.popen.kill()
            process.popen.wait()
            assert process.popen.stdin is not None
            assert process.popen.stdout is not None
            process.popen.stdin.close()
            process.popen.stdout.close()
        self._selector.close()

    def _write(self, process: Process, order: dict[str, Any]) -> None:
        assert process.popen.stdin is not None
        process.popen.stdin.write(msgspec.json.encode(order) + b"\n")
        process.popen.stdin.flush()

    def _read(self, process: Process) -> None:
        assert process.popen.stdout is not None
        data = os.read(process.popen.stdout.fileno(), 1 << 20)
        if not data:
            self._selector.unregister(process.popen.stdout)
            return
        *lines, process.rest = (process.rest + data).split(b"\n")
        for line in lines:
            self._take(msgspec.json.decode(line))

    def _take(self, fact: dict[str, Any]) -> None:
        if "id" in fact:
            self._answers[fact["id"]] = fact["answer"]
        elif "text" in fact:
            self.heard.append(Heard(**fact))
        elif "event" in fact:
            self.told.append(Told(**fact))

    def _forget(self, process: Process) -> None:
        for name in process.names:
            self._process_of.pop(name, None)
        process.names.clear()


@contextmanager
def fleet(namespaces: Namespaces | None = None, config: Config | None = None) -> Iterator[Fleet]:
    """A fleet, all of whose processes end with the block."""
    with ExitStack() as stack:
        made = Fleet(namespaces, config)
        stack.callback(made.close)
        yield made
