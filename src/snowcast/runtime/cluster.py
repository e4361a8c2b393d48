"""A cluster, as the application that is a member of it sees it: the library's front door.

    async with snowcast.join(seeds=["10.0.0.1:7946"], name="api-1") as cluster:
        receipt = await cluster.broadcast(b"hello", reliable=True)

Rules of this file:
- Nothing is decided here that the core decides.
- Whatever way the block ends, no task, timer or socket is left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self, overload

from snowcast import __version__
from snowcast.core.address import Address
from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.codec import PAYLOAD_BYTES_MAX
from snowcast.core.errors import UsageError
from snowcast.core.events import Answer, Broadcast, Evict, Leave, Retag, Start
from snowcast.core.frames import MessageId
from snowcast.core.member import Member
from snowcast.core.trees import Mode
from snowcast.runtime import snapshot
from snowcast.runtime.counters import Counters
from snowcast.runtime.errors import BroadcastTimeout, ClosedError, JoinTimeout
from snowcast.runtime.feeds import Feed, Subscription
from snowcast.runtime.host import Host
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.news import ClusterEvent, Message, Receipt
from snowcast.runtime.notices import Notices
from snowcast.runtime.options import Options
from snowcast.runtime.ports import advertised, bind
from snowcast.runtime.questions import Answers, Desk, Inquirer, Question, ViewAnswer
from snowcast.runtime.seeds import Seeds

SNAPSHOT_TICKS = 5
ANSWERS_S = 10.0
BURST_MESSAGES = 128  # broadcast without a turn of the loop for others
BURST_BYTES = 256 << 10


class Cluster:
    """One node's membership of a cluster. Made by `join`; or use it as a context manager."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._host: Host | None = None
        self._seeds: Seeds | None = None
        limits = options.limits
        self._messages: Feed[Message] = Feed(
            limits.messages_max, limits.messages_bytes_max, lambda message: len(message.payload)
        )
        self._events: Feed[ClusterEvent] = Feed(limits.events_max)
        self._notices = Notices(self._messages, self._events, self._member)
        self.desk = Desk(self._describe, lambda: self.keys, self._answer)
        self._inquirer = Inquirer(self._notices)
        self._notices.on_question = self.desk.on_question
        self._ticks = 0
        self._burst_messages = self._burst_bytes = 0
        self._is_closed = False
        self._closed = asyncio.Event()

    @property
    def address(self) -> Address:
        """By which address others know this node; `str()` of it can be a seed."""
        return self._running.node.me.address

    @property
    def name(self) -> str:
        """What this node is called: its name, or its address if it has none."""
        return self._running.node.me.label

    @property
    def me(self) -> Member:
        """This node as others know it."""
        return self._running.node.me

    @property
    def members(self) -> list[Member]:
        """Who is a member, this node included, in the order of the ring."""
        return self._running.node.view.members()

    @property
    def departed(self) -> list[Member]:
        """Who was a member and has left or been evicted, as long as that is remembered."""
        return self._running.node.view.tombstones()

    @property
    def digest(self) -> str:
        """A short text that is the same for equal views: who shows another one disagrees."""
        return f"{self._running.node.view.digest:016x}"

    @property
    def health(self) -> int:
        """0 if this node is well; more if it seems too slow to judge others."""
        return self._running.node.health

    @property
    def is_joined(self) -> bool:
        """Whether this node has been announced to the cluster, or began one."""
        return self._notices.joined.is_set()

    @property
    def keys(self) -> KeyRing | None:
        """The key ring of the datagrams, to be changed while running; None if there is none."""
        return self._running.keys

    @property
    def counters(self) -> Counters:
        """What has been counted since the start."""
        return self._running.counters

    def stats(self) -> dict[str, int]:
        """Everything that can be put into a number: counts, and sizes as they are now."""
        host = self._running
        sizes = {f"size_{name}": size for name, size in host.node.sizes().items()}
        return {
            **host.counters.as_dict(),
            **sizes,
            "members": len(host.node.view),
            "tombstones": len(host.node.view.tombstones()),
            "health": host.node.health,
            "incarnation": host.node.me.incarnation,
            "timers": len(host.driver.timers),
            "links": len(host.streams),
            "inbound": len(host.listener),
            "queued_bytes": host.streams.queued_bytes,
        }

    def messages(self) -> Subscription[Message]:
        """The messages that other members broadcast, from now on.

        Each call is a reader of its own; the first also gets what came before it. A reader that is
        too slow loses the oldest messages and reads a `Lagged` in their place.
        """
        return self._messages.subscribe()

    def events(self) -> Subscription[ClusterEvent]:
        """What becomes of members, from now on; otherwise as `messages`."""
        return self._events.subscribe()

    @overload
    async def broadcast(
        self,
        payload: bytes,
        *,
        mode: Mode | str = ...,
        reliable: Literal[False] = ...,
        timeout: float | None = ...,
    ) -> None: ...

    @overload
    async def broadcast(
        self,
        payload: bytes,
        *,
        mode: Mode | str = ...,
        reliable: Literal[True],
        timeout: float | None = ...,
    ) -> Receipt: ...

    @overload
    async def broadcast(
        self,
        payload: bytes,
        *,
        mode: Mode | str = ...,
        reliable: bool,
        timeout: float | None = ...,
    ) -> Receipt | None: ...

    async def broadcast(
        self,
        payload: bytes,
        *,
        mode: Mode | str = Mode.STANDARD,
        reliable: bool = False,
        timeout: float | None = None,
    ) -> Receipt | None:
        """Send `payload` to every other member.

        `coloring` sends it along two trees, which survives the death of any one member unseen.
        With `reliable` the call returns a `Receipt` once every member has confirmed or, after
        `Config.reliable_deadline_us`, names those that have not. BroadcastTimeout is raised if
        `timeout` seconds pass before; the message is on its way all the same. Waits, if members
        read more slowly than this node sends, and now and then lets other tasks run.
        """
        host = self._open
        if reliable:
            self._check_receipts()
        event = Broadcast(_payload(payload), _mode(mode), reliable, self._notices.next_request())
        answer = self._notices.expect(event.request) if reliable else None
        host.counters.messages_sent += 1
        host.handle(event)
        try:
            async with asyncio.timeout(timeout):
                await self._let_others_run(len(event.payload))
                if host.streams.is_congested:
                    await host.streams.relief()
                return None if answer is None else await answer
        except TimeoutError:
            deadline_s = self._options.config.reliable_deadline_us / 1_000_000
            raise BroadcastTimeout(
                f"no receipt within {timeout} s; it comes after {deadline_s:g} s at the latest "
                "(Config.reliable_deadline_us), with the names of those who have not confirmed"
            ) from None

    async def ask(self, question: Question, wait: float = ANSWERS_S) -> Answers:
        """Ask all other members something, on behalf of whoever runs this one.

        Returns when all have answered that the question has reached, or `wait` seconds after the
        receipt that names those it has not. Applications do not see it.
        """
        host = self._open
        self._check_receipts()
        others = tuple(member for member in self.members if member.address != self.address)
        return await self._inquirer.ask(question, others, host.handle, wait)

    def evict(self, address: Address) -> None:
        """Tell everybody that this member is gone for good. If it lives it says so."""
        if self._member(address) is None or address == self.address:
            raise UsageError(f"{address} is no other member of this cluster")
        self._open.handle(Evict(address))

    def retag(self, tags: Mapping[str, str]) -> None:
        """Give this node these tags instead of those it has, and tell everybody."""
        self._open.handle(Retag(tuple(sorted(tags.items()))))

    async def joined(self, timeout: float | None = None) -> None:
        """Wait until this node has been let in; JoinTimeout if that takes longer than `timeout`."""
        try:
            async with asyncio.timeout(timeout):
                await self._notices.joined.wait()
        except TimeoutError:
            assert self._seeds is not None
            tried = ", ".join(self._seeds.texts)
            raise JoinTimeout(
                f"not let in within {timeout} s by any of: {tried}. Is one of them running, "
                "reachable over TCP, and of the same cluster? The log names what was refused."
            ) from None

    async def start(self) -> None:
        """Open the sockets and begin; `join` does this."""
        options, config = self._options, self._options.config
        path = Path(options.snapshot) if options.snapshot is not None else None
        last = snapshot.load(path, config.cluster) if path is not None else None
        sockets = bind(options.bind)
        try:
            contacts = last.contacts() if last is not None else ()
            first = next(iter(contacts), None)
            address = advertised(sockets, options.advertise, first)
            self._seeds = Seeds(
                options.seeds, address, contacts, self._on_seeds, lambda: self.is_joined
            )
            await self._seeds.look_up()
            life = snapshot.begin_life(address, last)
            host = Host(options, sockets, address, life, self._notices.take)
        except BaseException:
            sockets.close()
            await self._close_seeds()
            raise
        self._host = host
        self._notices.attach(host.counters)
        host.streams.on_alias = self._seeds.replace
        host.streams.on_full = self._notices.queue_full
        host.on_tick = self._on_tick
        if self._seeds.is_empty:
            self._notices.joined.set()
        host.start(Start(seeds=self._seeds.addresses))
        self._save()

    async def leave(self, linger: float | None = None) -> None:
        """Announce that this node leaves, go on forwarding for `linger` seconds, then close.

        Done by itself at the end of the block, with the `linger` that `join` was given. Whoever
        calls it again waits for the end of the first.
        """
        if self._host is None:
            return
        if self._is_closed:
            await self._closed.wait()
            return
        self._is_closed = True
        try:
            self._save()
            self._host.handle(Leave())
            wait = self._options.linger if linger is None else linger
            async with asyncio.timeout(wait):
                await self._notices.stopped.wait()
        except TimeoutError:
            pass
        finally:
            await self._shut()

    async def abort(self) -> None:
        """Close everything at once and tell nobody, as a crash would. For tests."""
        self._is_closed = True
        if self._host is not None:
            self._host.abort()
            await self._shut()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.leave()

    @property
    def _running(self) -> Host:
        if self._host is None:
            raise ClosedError("the cluster has not been started: use `async with`")
        return self._host

    @property
    def _open(self) -> Host:
        if self._is_closed:
            raise ClosedError("this node has left: a closed cluster cannot broadcast")
        return self._running

    async def _shut(self) -> None:
        self._notices.close()
        self.desk.close()
        try:
            await self._close_seeds()
        finally:
            try:
                await self._running.close()
            finally:
                self._closed.set()

    async def _close_seeds(self) -> None:
        if self._seeds is not None:
            await self._seeds.close()

    async def _let_others_run(self, payload_bytes: int) -> None:
        """Wait for a turn of the loop, if much has been broadcast since the last time."""
        self._burst_messages += 1
        self._burst_bytes += payload_bytes
        if self._burst_messages >= BURST_MESSAGES or self._burst_bytes >= BURST_BYTES:
            self._burst_messages = self._burst_bytes = 0
            await asyncio.sleep(0)

    def _check_receipts(self) -> None:
        if self._options.make_broadcaster is not SnowBroadcaster:
            raise UsageError("this way to broadcast gives no receipts: only Snow's own does")

    def _describe(self) -> ViewAnswer:
        return ViewAnswer(self.digest, len(self.members), self.health, __version__)

    def _answer(self, id: MessageId, text: str) -> None:
        self._running.handle(Answer(id, text))

    def _member(self, address: Address) -> Member | None:
        return self._running.node.view.get(address)

    def _on_seeds(self, seeds: tuple[Address, ...]) -> None:
        if self._is_closed or self.is_joined:
            return
        self._running.handle(Start(seeds=seeds))
        if not seeds:  # there was nobody but this node itself
            self._notices.joined.set()

    def _on_tick(self) -> None:
        self._ticks += 1
        if self._ticks % SNAPSHOT_TICKS == 0:
            self._save()

    def _save(self) -> None:
        """Remember some members; nothing is lost if this fails, so it only warns."""
        path = self._options.snapshot
        if path is None:
            return
        others = [member.address for member in self.members if member.address != self.address]
        known = snapshot.of_members(self._options.config.cluster, self.me.life, others)
        snapshot.save_if_new(Path(path), known)


def _payload(payload: bytes) -> bytes:
    if not isinstance(payload, bytes | bytearray | memoryview):
        raise UsageError(f"a payload is bytes, not {type(payload).__name__}: encode it first")
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise UsageError(
            f"a payload of {len(payload)} bytes is over the limit of {PAYLOAD_BYTES_MAX}"
        )
    return bytes(payload)


def _mode(mode: Mode | str) -> Mode:
    try:
        return Mode(mode)
    except ValueError:
        names = ", ".join(known.value for known in Mode)
        raise UsageError(f"no mode {mode!r}; there are: {names}") from None
