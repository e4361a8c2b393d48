"""The agent as a process: a node, its control API and its metrics, from the start to the leave.

Rules of this file:
- A first signal, or an order, begins a leave. A second signal ends it at once.
- Whatever way it ends, everything that was opened is closed.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from snowcast.agent import logs, setup, systemd
from snowcast.agent.certificates import StreamTls
from snowcast.agent.metrics import Meters
from snowcast.agent.reloading import on_hangup
from snowcast.agent.renewing import Certificates
from snowcast.agent.secret_files import write_keys
from snowcast.agent.server import metrics_server, serve
from snowcast.agent.settings import Settings
from snowcast.agent.shapes import EventInfo
from snowcast.agent.showing import event_info
from snowcast.core.trees import Mode
from snowcast.runtime import loop as event_loop
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.feeds import Lagged
from snowcast.runtime.questions import Answers, KeysAnswer, Question, ViewAnswer

SIGNALS = (signal.SIGTERM, signal.SIGINT)
SIGNALLED = 128

log = logging.getLogger("snowcast")


def run(settings: Settings, load: Callable[[], Settings]) -> int:
    """Run an agent until it has left; return the exit status of the process.

    `load` is called when the settings are to be read again.
    """
    logs.set_up(settings.log)
    if not event_loop.install():
        log.debug("uvloop is not installed: the standard event loop it is")
    return asyncio.run(Agent(settings, load).run())


class Agent:
    """One agent. What is shown of it is in `showing`, what it can be told is in `handlers`."""

    def __init__(self, settings: Settings, load: Callable[[], Settings] | None = None) -> None:
        options = setup.options(settings)
        self.settings = settings
        self.load = load or (lambda: settings)
        self.way = setup.way(settings)
        self.cluster = Cluster(options)
        self.certificates = Certificates()
        if isinstance(options.tls, StreamTls):
            self.certificates.add("security.certificate", options.tls)
        self.meters = Meters(self.cluster, self.certificates)
        self.is_running = False
        self.is_leaving = False
        self.name_taken_by: set[str] = set()
        self._started = time.monotonic()
        self._linger = settings.node.linger
        self._leaves = asyncio.Event()
        self._ends = asyncio.Event()
        self._signals: list[int] = []
        self._has_left = False

    @property
    def uptime_s(self) -> float:
        """Since it started."""
        return time.monotonic() - self._started

    @property
    def mode(self) -> Mode:
        """How a message travels that does not say."""
        return self.way.mode

    async def run(self) -> int:
        """Be a member until told to leave; return an exit status."""
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            for number in SIGNALS:
                loop.add_signal_handler(number, self._on_signal, number)
                stack.callback(loop.remove_signal_handler, number)
            loop.add_signal_handler(signal.SIGHUP, self._on_hangup)
            stack.callback(loop.remove_signal_handler, signal.SIGHUP)
            self.cluster.desk.on_keys_changed = self._keep_keys
            self.cluster.messages().close()  # what comes before anybody listens is for nobody
            # The node comes last, so that nobody sees it join and crash if a port is taken.
            await stack.enter_async_context(serve(self))
            await stack.enter_async_context(metrics_server(self))
            for work in (self._watch(), systemd.watch(), self.certificates.watch()):
                stack.push_async_callback(_end, asyncio.create_task(work))
            stack.push_async_callback(self._close)
            if not await self._start():
                return 0
            self.is_running = True
            self._announce()
            await self._leaves.wait()
            return await self._leave()
        raise AssertionError("unreachable")

    def leave(self, linger: float | None = None) -> None:
        """Begin to leave."""
        if linger is not None:
            self._linger = linger
        self.is_leaving = True
        self._leaves.set()

    async def ask(self, question: Question) -> tuple[Answers, ViewAnswer | KeysAnswer]:
        """Ask everybody, this node included.

        This node comes last: a question that cannot be put has changed nothing, here neither.
        """
        answers = await self.cluster.ask(question)
        self.meters.receipt_s.add(answers.receipt.elapsed)
        return answers, self.cluster.desk.answer(question)

    async def _start(self) -> bool:
        """Start the node; False if told to leave meanwhile, for names may take their time."""
        starting = asyncio.create_task(self.cluster.start(), name="snowcast starts")
        leaving = asyncio.create_task(self._leaves.wait(), name="snowcast is told to leave")
        try:
            await asyncio.wait((starting, leaving), return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                return True
        finally:
            await _end(leaving)
            await _end(starting)
        log.info("stopped before it had begun: nobody has seen it")
        return False

    async def _close(self) -> None:
        if not self._has_left:
            await self.cluster.abort()

    async def _leave(self) -> int:
        """Leave, unless somebody is in more of a hurry."""
        self._has_left = True  # whether in time or not: its own clean-up closes the node
        log.info("leaving", extra={"fields": {"linger_s": self._linger}})
        systemd.notify("STOPPING=1")
        leaving = asyncio.create_task(self.cluster.leave(self._linger), name="snowcast leaves")
        ending = asyncio.create_task(self._ends.wait(), name="snowcast ends")
        await asyncio.wait((leaving, ending), return_when=asyncio.FIRST_COMPLETED)
        is_in_time = leaving.done()
        await _end(ending)
        if not is_in_time:
            await _end(leaving)
            log.warning("stopped before the leave was done: others may take it for a crash")
            return SIGNALLED + self._signals[-1]
        leaving.result()
        log.info("left")
        return 0

    def _on_signal(self, number: int) -> None:
        self._signals.append(number)
        if len(self._signals) == 1:
            self.leave()
        else:
            self._ends.set()

    def _on_hangup(self) -> None:
        if self.is_running and not self.is_leaving:
            on_hangup(self)

    def _announce(self) -> None:
        """Say that all is open."""
        cluster, settings = self.cluster, self.settings
        fields = {
            "name": cluster.name,
            "address": str(cluster.address),
            "cluster": settings.cluster.name,
            "protocol": self.way.name,
        }
        log.info("running", extra={"fields": fields})
        systemd.notify("READY=1")

    def _keep_keys(self) -> None:
        """Somebody has changed the key ring: it shall be the same after a restart."""
        keys, path = self.cluster.keys, self.settings.security.keys_file
        assert keys is not None
        log.info("the key ring was changed", extra={"fields": {"keys": ",".join(keys.ids)}})
        if not path:
            log.warning("no security.keys_file: after a restart the keys are the old ones")
            return
        try:
            write_keys(Path(path), keys.texts())
        except OSError as error:
            log.warning("cannot keep the keys in %s: %s", path, error.strerror)

    async def _watch(self) -> None:
        """Write down what becomes of members."""
        async for event in self.cluster.events():
            if isinstance(event, Lagged):
                log.warning("too much happened to log it all: %d events left out", event.missed)
                continue
            self._log(event_info(event))

    def _log(self, info: EventInfo) -> None:
        if info.event == "queue_full":
            fields: dict[str, Any] = {"peer": info.peer, "frames": info.frames}
            log.warning("a peer reads too slowly", extra={"fields": fields})
            return
        if info.member is None:
            log.info("let in")
            return
        member = info.member
        fields = {"member": member.name, "address": member.address}
        level = logging.WARNING if info.event in ("suspected", "evicted") else logging.INFO
        # Each of them is news, however many there are.
        log.log(level, "member %s", info.event, extra={"fields": fields, "is_news": True})
        if info.event == "joined" and member.name == self.cluster.name:
            self.name_taken_by.add(member.address)
            log.warning("another member has this node's name", extra={"fields": fields})
        if info.event in ("left", "evicted"):
            self.name_taken_by.discard(member.address)


async def _end(task: asyncio.Task[Any]) -> None:
    """Stop a task and wait until it has."""
    task.cancel()
    await asyncio.wait((task,))
