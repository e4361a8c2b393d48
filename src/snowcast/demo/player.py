"""One process of the demo: some of the nodes, which do as they are told and tell what happens.

    python -m snowcast.demo.player

As `lab.worker`, but with cues in place of a plan. Where standard input ends before the cue `End`,
it ends at once, and takes with it what it has written.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from dataclasses import replace

import msgspec

from snowcast.core.effects import (
    Accepted,
    Delivered,
    Effect,
    Joined,
    MemberChanged,
    Notice,
    Receipt,
    Send,
)
from snowcast.core.events import Broadcast, Event, FrameReceived
from snowcast.core.frames import Data, MessageId
from snowcast.demo import cues
from snowcast.lab.job import Job
from snowcast.lab.places import index_of
from snowcast.lab.resident import Resident, Surroundings, close_all
from snowcast.lab.worker import main, run_row
from snowcast.sim.network import Network
from snowcast.sim.plan import Say
from snowcast.sim.staging import make_processing
from snowcast.trace.files import TraceWriter

TELL_S = 0.02


class Player:
    """The nodes of one process."""

    def __init__(self, job: Job, writer: TraceWriter) -> None:
        self._job = job
        self._scenario, _ = job.load()
        self._writer = writer
        self._news: list[cues.AnyNews] = []
        self._grown: set[int] = set()
        self._nodes: dict[int, Resident] = {}
        cluster = self._scenario.cluster
        processing = make_processing(self._scenario.processing)
        if processing is not None:
            processing.seed(job.seed)
            processing.boot(cluster.nodes)
        self._around = Surroundings(
            job.name,
            job.address_of,
            cluster.settings(),
            self._scenario.protocol,
            processing,
            Network(job.seed),
            writer,
            _clock_us,
            _clock_us,
            self._on_notice,
            self._observe,
        )

    async def go(self, stdin: asyncio.StreamReader) -> bool:
        """Do what is told until the end; whether it came."""
        for index in range(self._scenario.cluster.nodes):
            if self._job.is_mine(index):
                self._nodes[index] = self._resident(index)
                self._nodes[index].bind()
        _say(cues.Line("ready"))
        teller = asyncio.create_task(self._tell())
        try:
            while line := await stdin.readline():
                cue = cues.decode(line)
                if isinstance(cue, cues.End):
                    break
                self._do(cue)
        finally:
            teller.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await teller
            await close_all(self._nodes.values())
        if line:
            self._writer.flush()
            _say(cues.Line("done"))
        return bool(line)

    def _resident(self, index: int) -> Resident:
        return Resident(index, self._around, stable=None, name=f"n{index:02}")

    def _do(self, cue: cues.AnyCue) -> None:
        if isinstance(cue, cues.Record):
            self._record(cue)
            return
        if isinstance(cue, cues.End) or not self._job.is_mine(cue.node):
            return
        node = self._nodes.setdefault(cue.node, self._resident(cue.node))
        match cue:
            case cues.Found():
                node.found()
            case cues.Join():
                node.join(self._job.address_of(cue.contact))
            case cues.Tell():
                say = Say(0, cue.node, cue.number, cue.mode, cue.is_reliable, cue.payload_bytes)
                node.say(say)
            case cues.Crash():
                node.crash()
            case cues.Leave():
                node.leave()
        self._grown.add(cue.node)

    def _record(self, cue: cues.Record) -> None:
        """Later nodes begin in this run, those that are here go on in it."""
        self._around = replace(self._around, run=cue.run)
        scenario = msgspec.structs.replace(self._scenario, protocol=cue.protocol)
        job = msgspec.structs.replace(self._job, name=cue.run, scenario_name=cue.scenario)
        if self._job.process == 0:
            self._writer.write(run_row(job, scenario))
        for index, node in self._nodes.items():
            if index not in cue.gone:
                node.trace(cue.run)
        self._writer.flush()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(TELL_S)
            for index in self._grown:
                members = self._nodes[index].known
                self._news.append(cues.Counted(_clock_us(), index, members))
            self._grown.clear()
            if self._news:
                _say(cues.Line("playing", tuple(self._news)))
                self._news.clear()

    def _on_notice(self, node: int, notice: Notice) -> None:
        """What is told is observed, events and all."""

    def _observe(self, node: int, now_us: int, event: Event, effects: list[Effect]) -> None:
        match event:
            case FrameReceived(sender, Data() as data) if not data.is_system:
                first = any(isinstance(effect, Delivered) for effect in effects)
                id, place, tree = _name(data.id), index_of(sender), data.tree.value
                self._news.append(cues.Arrived(now_us, node, id, place, tree, data.hop, first))
        self._watch_repairs(node, now_us, event, effects)
        for effect in effects:
            match effect:
                case Accepted() if isinstance(event, Broadcast):
                    self._news.append(cues.Sent(now_us, node, _name(effect.id)))
                case Receipt():
                    self._news.append(_confirmed(node, now_us, effect))
                case MemberChanged():
                    about, state = index_of(effect.new.address), effect.new.state.name.lower()
                    self._news.append(cues.Changed(now_us, node, about, state))
                    self._grown.add(node)
                case Joined():
                    self._grown.add(node)

    def _watch_repairs(self, node: int, now_us: int, event: Event, effects: list[Effect]) -> None:
        """What is sent of a message when it was not that message that came is a repair."""
        if isinstance(event, Broadcast):
            return
        frame = event.frame if isinstance(event, FrameReceived) else None
        came = frame.id if isinstance(frame, Data) else None
        by_message: dict[MessageId, list[int]] = {}
        for effect in effects:
            match effect:
                case Send(to, Data() as data) if not data.is_system and data.id != came:
                    by_message.setdefault(data.id, []).append(index_of(to))
        for id, children in by_message.items():
            self._news.append(cues.Adopted(now_us, node, _name(id), tuple(children)))


def _confirmed(node: int, now_us: int, receipt: Receipt) -> cues.Confirmed:
    missing = tuple(map(index_of, receipt.missing))
    id = _name(receipt.id)
    return cues.Confirmed(now_us, node, id, receipt.delivered, missing, receipt.elapsed_us)


def _name(id: MessageId) -> str:
    return f"{index_of(id.origin)}.{id.sequence}"


def _say(line: cues.Line) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def _clock_us() -> int:
    return time.time_ns() // 1_000


if __name__ == "__main__":
    main(Player)
