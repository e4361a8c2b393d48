"""One node on real sockets: the core, its driver, its streams and its datagrams, put together.

Everything here runs in callbacks of one event loop; the only tasks are connections being opened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from snowcast.core.address import Address
from snowcast.core.effects import MemberChanged, Notice
from snowcast.core.events import Event, PeerUnreachable
from snowcast.core.frames import Frame, Hello
from snowcast.core.member import Member, State, first_incarnation
from snowcast.core.node import Node
from snowcast.runtime.clock import Clock
from snowcast.runtime.counters import Counters
from snowcast.runtime.datagrams import Datagrams
from snowcast.runtime.driver import Driver
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.listener import Listener
from snowcast.runtime.options import Options
from snowcast.runtime.ports import Sockets, is_exposed
from snowcast.runtime.refusals import Refusals
from snowcast.runtime.replays import Replays
from snowcast.runtime.streams import Streams
from snowcast.runtime.timers import Timers
from snowcast.runtime.tracing import Tracer, open_trace

TICK_S = 1.0

log = logging.getLogger("snowcast")


class Ways(NamedTuple):
    """The three ways between a node and its sockets."""

    send: Callable[[Address, Frame], None]
    send_datagram: Callable[[Address, Frame], None]
    receive: Callable[[Address, list[Frame]], None]


class Host:
    """A node and all its sockets. `close` it, or `abort` it, once it was started.

    `detour`, if given, is shown the ways between node and sockets and returns those to be used: an
    experiment can delay and drop there.
    """

    def __init__(
        self,
        options: Options,
        sockets: Sockets,
        address: Address,
        life: int,
        notify: Callable[[Notice], None],
        detour: Callable[[Ways], Ways] = lambda ways: ways,
    ) -> None:
        loop = asyncio.get_running_loop()
        limits, config, tls = options.limits, options.config, options.tls
        tags = tuple(sorted(options.tags.items()))
        me = Member(address, first_incarnation(life), name=options.name, tags=tags)
        hello = Hello(config.cluster, config.fanout, config.ring_order, address, life)
        accepting, dialling = tls.contexts() if tls is not None else (None, None)
        self.counters = Counters()
        self.refusals = Refusals(self.counters)
        self.node = Node(me, config, Random(), options.make_broadcaster)
        self.streams = Streams(
            hello, limits, self.counters, self.refusals, self._on_unreachable, dialling
        )
        self.keys = _key_ring(options)
        self.datagrams = Datagrams(
            sockets.datagram,
            hello,
            self.counters,
            self.refusals,
            self._receive,
            self.keys,
            Replays(limits.senders_max),
        )
        self.listener = Listener(
            sockets.stream,
            hello,
            limits,
            self.counters,
            self.refusals,
            self._receive,
            accepting,
            tls is None or tls.verify_addresses,
        )
        clock = Clock()
        ways = detour(Ways(self.streams.send, self.datagrams.send, self._on_frames))
        self._ways = ways
        self.driver = Driver(
            self.node,
            clock,
            partial(Timers, loop, clock),
            ways.send,
            ways.send_datagram,
            self._on_notice,
        )
        self._notify = notify
        if ways.send == self.streams.send:
            self.driver.forward_by(self.node, self.streams.forward)
        self.tracer: Tracer | None = None
        if options.trace_dir is not None:
            run = options.trace_run or config.cluster
            self.trace(open_trace(Path(options.trace_dir), run, me, config, "snow"))
        self.on_tick: Callable[[], None] = lambda: None
        """Called once a second."""
        self._loop = loop
        self._tick_handle: asyncio.TimerHandle | None = None
        self._is_closed = False
        if is_exposed(sockets):
            _warn_if_open(sockets, options)

    def start(self, event: Event) -> None:
        """Open for business, and hand the node its first event."""
        self.listener.start()
        self.datagrams.start()
        self._tick_handle = self._loop.call_later(TICK_S, self._tick)
        self.driver.handle(event)

    def handle(self, event: Event) -> None:
        """Tell the node that something has happened."""
        self.driver.handle(event)

    def trace(self, tracer: Tracer) -> None:
        """Record what happens from now on."""
        self.tracer = tracer
        self.driver.observe = tracer.observe
        tracer.on_broken = self._on_trace_broken

    async def close(self) -> None:
        """Send what waits, then close everything. Sockets are closed even if this is cancelled."""
        self._stop()
        try:
            await self.streams.close()
            await self.listener.close()
        finally:
            self.abort()

    def abort(self) -> None:
        """Close everything at once, as if the process were killed."""
        self._stop()
        self.streams.abort()
        self.listener.abort()
        if self.tracer is not None:
            self.tracer.close()

    def _stop(self) -> None:
        """Take in nothing more."""
        if self._is_closed:
            return
        self._is_closed = True
        self.driver.close()
        self.datagrams.close()
        if self._tick_handle is not None:
            self._tick_handle.cancel()

    def _tick(self) -> None:
        self._tick_handle = self._loop.call_later(TICK_S, self._tick)
        try:
            now = self._loop.time()
            self.streams.sweep(now)
            self.listener.sweep(now)
            if self.tracer is not None:
                self.tracer.flush()
        finally:
            self.on_tick()

    def _on_trace_broken(self) -> None:
        self.driver.observe = None
        self.counters.traces_broken += 1

    def _receive(self, sender: Address, frames: list[Frame]) -> None:
        self._ways.receive(sender, frames)

    def _on_frames(self, sender: Address, frames: list[Frame]) -> None:
        self.driver.on_frames(sender, frames)

    def _on_notice(self, notice: Notice) -> None:
        if isinstance(notice, MemberChanged) and notice.new.state is State.EVICTED:
            # A connection that has been silent for so long answers late even once it could again:
            # the kernel tries less and less often. If the member is back it gets a new one.
            self.streams.drop(notice.new.address, "it was evicted")
        self._notify(notice)

    def _on_unreachable(self, peer: Address, unsent: tuple[Frame, ...]) -> None:
        self.driver.handle(PeerUnreachable(peer, unsent))


def _key_ring(options: Options) -> KeyRing | None:
    keys = options.keys
    return keys if keys is None or isinstance(keys, KeyRing) else KeyRing(keys)


def _warn_if_open(sockets: Sockets, options: Options) -> None:
    open_to_all = []
    if options.tls is None:
        open_to_all.append(f"streams have no TLS ({options.tls_option})")
    if options.keys is None:
        open_to_all.append(f"datagrams have no keys ({options.keys_option})")
    if open_to_all:
        log.warning(
            "listening on %s:%d, WHERE ANYBODY WHO REACHES IT CAN JOIN, READ AND BROADCAST: %s",
            sockets.host,
            sockets.port,
            "; ".join(open_to_all),
        )
