"""Has the story played: cues to the players, their news to the stage, and words to the audience.

Rules of this file:
- It waits for what is to be seen, never for a time to pass, but for pauses in which people look.
- Nothing is staged: what it says has been heard from the nodes. Where something fails to happen
  the demo fails, and says what it waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from snowcast.core.config import MS, SECOND
from snowcast.demo import acts, cues
from snowcast.demo.acts import LEAVER, NEWCOMER, NODES, ORIGIN, VICTIM, Act
from snowcast.demo.stage import Message, Stage
from snowcast.lab.crew import Crew, LabError
from snowcast.lab.job import Job
from snowcast.sim.plan import Say
from snowcast.sim.staging import make_processing

WAIT_S = 60.0  # for what takes a moment; only ever met when something is wrong
LATE_US = 150 * MS  # by how much frames may be late when everybody has the message
MISSING_US = 1 * SECOND  # when somebody has not, though one is dead, and that may be why
STRANGE_US = 10 * SECOND  # when nobody is dead: the machine must be very busy
JOIN_GAP_S = 0.04
POLL_S = 0.02


class Audience(Protocol):
    """Who watches."""

    def scene(self, title: str, text: str) -> None:
        """Something new begins."""

    def tell(self, text: str, style: str = "") -> None:
        """Something has happened."""


class Conductor:
    """One performance. `pace` is how long people get to look, 1 being the usual."""

    def __init__(
        self, crew: Crew, job: Job, stage: Stage, audience: Audience, pace: float = 1.0
    ) -> None:
        self._crew = crew
        self._job = job
        self._stage = stage
        self._audience = audience
        self._pace = pace
        self._usual_us = acts.DELAY_MS[1] * MS
        self._stragglers = stragglers()
        self._states = ["started"] * job.processes
        self._said: set[tuple[int, str]] = set()

    async def perform(self) -> None:
        """Play it all; the players have ended then, and the traces are whole."""
        listeners = [asyncio.create_task(self._listen(n)) for n in range(self._job.processes)]
        story = asyncio.create_task(self._story())
        try:
            await asyncio.wait([story, *listeners], return_when=asyncio.FIRST_EXCEPTION)
            for task in (*listeners, story):
                if task.done():
                    task.result()
            await story
        finally:
            for task in (story, *listeners):
                task.cancel()
            await asyncio.gather(story, *listeners, return_exceptions=True)

    async def _story(self) -> None:
        await self._until("all processes to be ready", lambda: set(self._states) == {"ready"})
        await self._boot()
        await self._broadcasts(acts.STANDARD)
        await self._broadcasts(acts.COLORING)
        await self._death()
        await self._comings()
        self._audience.scene("The end", "Everything is closed.")
        self._cue(cues.End())
        await self._until("all processes to end", lambda: set(self._states) == {"done"})

    async def _boot(self) -> None:
        self._audience.scene(
            f"{NODES} agents come up",
            f"{self._job.processes} processes, TCP and UDP on loopback. n{ORIGIN:02} is alone; the "
            "others join through it, and Reliable Message tells everybody of each.",
        )
        begun_s = time.monotonic()
        self._enter(cues.Found(ORIGIN))
        for node in range(NODES):
            if node != ORIGIN:
                self._enter(cues.Join(node, ORIGIN))
                await asyncio.sleep(JOIN_GAP_S * self._pace)
        await self._agreed(NODES)
        took_s = time.monotonic() - begun_s
        self._audience.tell(
            f"All {NODES} know all {NODES}, {took_s:.1f} s after the first.", "good"
        )
        await self._look(1)

    async def _broadcasts(self, act: Act) -> None:
        await self._begin(act)
        for say in act.says():
            message = await self._say(say)
            self._told(message)
            await self._look(0.6)

    async def _death(self) -> None:
        await self._begin(acts.LOSS)
        self._cue(cues.Crash(VICTIM))
        died_s = time.monotonic()
        self._stage.crash(VICTIM)
        self._audience.tell(f"n{VICTIM:02} is silent from now on.", "bad")
        self._told(await self._say(acts.LOSS.says()[0]))
        await self._begin(acts.DETOUR, look_s=0.2)
        self._told(await self._say(acts.DETOUR.says()[0]))
        await self._begin(acts.REPAIR, look_s=0.2)
        message = await self._say(acts.REPAIR.says()[0])
        self._told(message)
        await self._eviction(died_s)

    async def _eviction(self, died_s: float) -> None:
        stage, others = self._stage, NODES - 1
        await self._until(
            f"everybody to evict n{VICTIM:02}",
            lambda: len(stage.believers(VICTIM, "evicted")) == others and stage.agree(others),
        )
        took_s = time.monotonic() - died_s
        self._audience.tell(f"Out of all {others} views {took_s:.1f} s after its death.", "good")
        await self._look(1)

    async def _comings(self) -> None:
        act, stage = acts.COMINGS, self._stage
        first, second, third = act.says()
        await self._begin(act, gone=(VICTIM,))
        begun_s = time.monotonic()
        self._enter(cues.Join(NEWCOMER, ORIGIN))
        self._audience.tell(f"n{NEWCOMER} asks n{ORIGIN:02} to let it in.")
        sending = asyncio.create_task(self._say(first, among=stage.up - {NEWCOMER}))
        try:
            await self._agreed(NODES)
            took_ms = (time.monotonic() - begun_s) * 1_000
            self._audience.tell(f"All {NODES} know n{NEWCOMER}; it took {took_ms:.0f} ms.", "good")
            self._told(await sending)
        finally:
            sending.cancel()
        self._told(await self._say(second))
        await self._look(0.6)
        self._cue(cues.Leave(LEAVER))
        begun_s = time.monotonic()
        stage.leave(LEAVER)
        self._audience.tell(f"n{LEAVER:02} says that it leaves.")
        sending = asyncio.create_task(self._say(third))
        try:
            await self._until(
                f"everybody to hear that n{LEAVER:02} has left",
                lambda: stage.believers(LEAVER, "left") == stage.up,
            )
            took_ms = (time.monotonic() - begun_s) * 1_000
            views = len(stage.up)
            self._audience.tell(f"Out of all {views} views; it took {took_ms:.0f} ms.", "good")
            self._told(await sending)
        finally:
            sending.cancel()
        await self._look(1)

    async def _begin(self, act: Act, gone: Collection[int] = (), look_s: float = 1.2) -> None:
        """A new act, and a run of its own for it."""
        self._stage.clear()
        self._audience.scene(act.title, act.text)
        self._cue(cues.Record(act.run, act.name, act.protocol, tuple(gone)))
        await self._look(look_s)

    async def _say(self, say: Say, among: Collection[int] | None = None) -> Message:
        """Send one message, and wait until nobody has anything to do about it."""
        stage = self._stage
        before = len(stage.messages)
        stage.ask(say.mode, say.is_reliable)
        tell = cues.Tell(say.node, say.number, say.mode, say.is_reliable, say.payload_bytes)
        self._cue(tell)
        await self._until("a message to be sent", lambda: len(stage.messages) > before)
        message = stage.shown
        assert message is not None
        if among is not None:
            message.expected = frozenset(among) - {say.node}
        if say.is_reliable:
            await self._until("a receipt", lambda: message.receipt is not None)
        await self._until("a message to come to rest", lambda: self._is_at_rest(message))
        return message

    def _is_at_rest(self, message: Message) -> bool:
        """Whether nobody has anything to pass on any more, nor anything is on the way."""
        late_us = LATE_US
        if message.missed:
            late_us = MISSING_US if self._stage.dead else STRANGE_US
        busy_us = message.busy_until_us(self._stragglers, self._usual_us)
        return time.time_ns() // 1_000 > busy_us + late_us

    def _told(self, message: Message) -> None:
        """Say how it went."""
        all_of_them, missed = len(message.expected), sorted(message.missed)
        kind = "reliable" if message.is_reliable else message.mode.value
        words = (
            f"n{message.origin:02} {kind}: {all_of_them - len(missed)} of {all_of_them} after "
            f"{message.took_ms:.0f} ms, {message.hops} hops, {len(message.copies)} frames."
        )
        self._audience.tell(words, "bad" if missed else "good")
        if missed:
            self._audience.tell(f"Nothing for {_names(missed)}.", "bad")
        if message.receipt is not None:
            receipt = message.receipt
            self._audience.tell(
                f"Receipt after {receipt.elapsed_us / SECOND:.1f} s: {receipt.delivered} have it, "
                f"missing {_names(receipt.missing) or 'nobody'}.",
                "good",
            )

    def _enter(self, cue: cues.Found | cues.Join) -> None:
        self._cue(cue)
        self._stage.enter(cue.node)

    def _cue(self, cue: cues.AnyCue) -> None:
        """Tell everybody; it is done by whom it concerns."""
        for number in range(self._job.processes):
            self._crew.tell(number, cues.encode(cue))

    async def _listen(self, number: int) -> None:
        while self._states[number] != "done":
            line = msgspec.json.decode(await self._crew.next(number), type=cues.Line)
            if line.state == "failed":
                raise LabError(f"process {number} has failed: {line.reason}")
            self._states[number] = line.state
            for news in line.news:
                self._stage.take(news)
                self._comment(news)

    def _comment(self, news: cues.AnyNews) -> None:
        """Say at once what cannot wait."""
        stage = self._stage
        match news:
            case cues.Adopted() if news.message in stage.messages:
                after_s = (news.at_us - stage.messages[news.message].sent_us) / SECOND
                children = [child for child in news.children if child not in stage.dead]
                if children:
                    self._audience.tell(
                        f"After {after_s:.1f} s n{news.node:02} sends to {_names(children)} in "
                        f"place of n{VICTIM:02}.",
                    )
            case cues.Changed(state="suspect" | "evicted" as state, about=about):
                if about in stage.dead and (about, state) not in self._said:
                    self._said.add((about, state))
                    words = "is held for dead" if state == "suspect" else "is evicted"
                    self._audience.tell(f"n{about:02} {words} by n{news.node:02}.")

    async def _agreed(self, members: int) -> None:
        await self._until(
            f"everybody to know {members} members", lambda: self._stage.agree(members)
        )

    async def _until(self, what: str, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(WAIT_S):
                while not condition():
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise LabError(f"waited in vain for {what}") from None

    async def _look(self, seconds: float) -> None:
        """Give people time to look."""
        await asyncio.sleep(seconds * self._pace)


def stragglers() -> dict[int, int]:
    """How long the slow nodes work on a message."""
    scenario = acts.STANDARD.scenario()
    processing = make_processing(scenario.processing)
    assert processing is not None
    processing.seed(acts.SEED)
    processing.boot(NODES)
    slow = [node for node in range(NODES + 1) if processing.is_straggler(node)]
    return dict.fromkeys(slow, processing.straggler_us)


def _names(nodes: Collection[int]) -> str:
    return ", ".join(f"n{node:02}" for node in nodes)
