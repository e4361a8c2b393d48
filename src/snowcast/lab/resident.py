"""One node of the lab, through its lives: a real host on real sockets, behind a detour.

Rules of this file:
- A crash is silence: the sockets stay open and swallow what comes, as a machine does that is cut
  off, and nothing tells the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from snowcast.baselines.registry import protocol
from snowcast.core.address import Address
from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.config import Config
from snowcast.core.effects import Effect, Joined, Notice, Stopped
from snowcast.core.events import Broadcast, Event, Leave, PeerUnreachable, Start
from snowcast.core.frames import Frame
from snowcast.core.member import Member, first_incarnation
from snowcast.lab.detour import Detour
from snowcast.lab.job import NUMBER_BYTES
from snowcast.runtime.host import Host
from snowcast.runtime.options import Options
from snowcast.runtime.ports import Sockets, bind
from snowcast.runtime.tracing import Tracer
from snowcast.sim.network import Network
from snowcast.sim.plan import Say
from snowcast.sim.processing import Processing
from snowcast.trace.files import TraceWriter
from snowcast.trace.schema import Role

CLOSE_S = 20.0


@dataclass(frozen=True)
class Surroundings:
    """What the nodes of one process share."""

    run: str
    address_of: Callable[[int], Address]
    config: Config
    protocol: str
    processing: Processing | None
    network: Network
    writer: TraceWriter
    now_us: Callable[[], int]
    clock_us: Callable[[], int]
    on_notice: Callable[[int, Notice], None]
    """Told, beside the number of a node, what that has to say."""
    observe: Callable[[int, int, Event, list[Effect]], None] | None = None
    """Shown, beside the number of a node, all that its tracer is shown."""


class Resident:
    """A node with a number. Read it as you like; its worker alone tells it what to do."""

    def __init__(
        self, index: int, around: Surroundings, *, stable: bool | None, name: str = ""
    ) -> None:
        self.index = index
        self.address = around.address_of(index)
        self.name = name
        self.is_up = False
        self.is_member = False
        """Whether it has been announced, and so can broadcast."""
        self._around = around
        self._stable = stable
        self._life = 0
        self._sockets: Sockets | None = None
        self._host: Host
        self._tracer: Tracer
        self._me: Member
        self._noted: dict[str, int | None] = {}
        self._detour: Detour
        self._closing: set[asyncio.Task[None]] = set()

    def bind(self) -> None:
        """Take the address."""
        self._sockets = bind(str(self.address))

    def boot(self, members: tuple[Member, ...]) -> None:
        """Begin as one of many that all know one another."""
        self._begin()
        self._note(joined_us=self._around.clock_us())
        self.is_member = True
        self._host.start(Start(members=members))

    def join(self, contact: Address) -> None:
        """Begin to join through `contact`; also what a node does that was down."""
        self._begin()
        self._host.start(Start(seeds=(contact,)))

    def found(self) -> None:
        """Begin alone: a cluster of one, for others to join."""
        self._begin()
        self.is_member = True
        self._host.start(Start())

    @property
    def known(self) -> int:
        """How many members it believes there are, itself included."""
        return len(self._host.node.view)

    def trace(self, run: str) -> None:
        """Have its rows belong to `run` from now on, and tell that run what became of it so far."""
        around, me = self._around, self._me
        processing = around.processing
        is_straggler = processing is not None and processing.is_straggler(self.index)
        role = Role.STRAGGLER if is_straggler else Role.PLAIN
        self._tracer = Tracer(around.writer, run, me, role=role, stable=self._stable)
        self._note()
        if self.is_up:
            self._host.driver.observe = self._observe if around.observe else self._tracer.observe

    def say(self, step: Say) -> None:
        """Broadcast a message that begins with its number."""
        payload = step.number.to_bytes(NUMBER_BYTES, "big").ljust(step.payload_bytes, b".")
        self._host.handle(Broadcast(payload, step.mode, step.is_reliable))

    def leave(self) -> None:
        """Announce that it leaves; it goes on forwarding until it is done."""
        self.is_member = False
        self._noted["left_us"] = self._around.clock_us()
        self._host.handle(Leave())

    def crash(self) -> None:
        """Fall silent."""
        self._gone()
        self._detour.silence()
        self._host.driver.close()

    def kill(self) -> None:
        """Close everything at once: others are refused."""
        self._gone()
        self._host.abort()

    def stop(self) -> None:
        """Do and hear nothing any more."""
        if self._sockets is not None:
            self._sockets.close()
        if self._life:
            self._host.driver.close()
            self._host.abort()

    async def close(self) -> None:
        """The end of the run: `stop`, and wait until everything is closed."""
        self.stop()
        if self._life:
            await self._host.close()
        await asyncio.gather(*self._closing)

    def _gone(self) -> None:
        self.is_up = self.is_member = False
        self._note(crashed_us=self._around.clock_us())

    def _note(self, **changes: int | None) -> None:
        """Something has become of it: for the run that is recorded, and for those that follow."""
        self._noted |= changes
        if self._noted:
            self._tracer.note(**self._noted)

    def _begin(self) -> None:
        around = self._around
        self._life += 1
        if self._sockets is None:
            if self._life > 1:
                self._host.abort()
            self.bind()
        sockets, self._sockets = self._sockets, None
        assert sockets is not None
        self._detour = Detour(
            self.index, self.address, around.processing, around.network, around.now_us
        )
        make_broadcaster = protocol(around.protocol).make_broadcaster or SnowBroadcaster
        options = Options(config=around.config, name=self.name, make_broadcaster=make_broadcaster)
        self._host = Host(options, sockets, self.address, self._life, self._on_notice, self._detour)
        self._detour.on_unreachable = self._on_unreachable
        self._me = Member(self.address, first_incarnation(self._life), name=self.name)
        self._noted = {}
        self.is_up = True
        self.trace(around.run)

    def _on_unreachable(self, peer: Address, unsent: tuple[Frame, ...]) -> None:
        if self.is_up:
            self._host.handle(PeerUnreachable(peer, unsent))

    def _observe(self, now_us: int, event: Event, effects: list[Effect]) -> None:
        assert self._around.observe is not None
        self._tracer.observe(now_us, event, effects)
        self._around.observe(self.index, now_us, event, effects)

    def _on_notice(self, notice: Notice) -> None:
        self._around.on_notice(self.index, notice)
        match notice:
            case Joined():
                self.is_member = True
                self._noted["joined_us"] = self._around.clock_us()
            case Stopped():
                self.is_up = False
                task = asyncio.get_running_loop().create_task(self._host.close())
                self._closing.add(task)
                task.add_done_callback(self._closing.discard)


async def close_all(nodes: Iterable[Resident]) -> None:
    """The end of the run for all nodes of a process, at once.

    One by one, those that are left would look for those that are gone, and keep the loop so busy
    with it that the next close takes longer. What a busy machine has not closed in `CLOSE_S` goes
    with the process.
    """
    nodes = list(nodes)
    for node in nodes:
        node.stop()
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            for node in nodes:
                await node.close()
