"""The accepting side of the streams: who may come in, how many, and for how long at rest.

Rules of this file:
- Strangers and peers are bounded apart, so that a flood of the first does not keep out the second.
  When there are too many the one that has done nothing for longest goes, not the newest: a node
  that wants in says its hello at once, an attacker's idle connections do not.
- Each stranger has a moment to say its hello. While all that there may be have theirs nothing is
  accepted: many nodes that come at once wait for each other and are all let in.
- A refused connection is closed, counted, and logged once in a while.
- What has come of frames that are not complete is bounded too, and may not stand still.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress

from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.frames import Frame, Hello
from snowcast.runtime.counters import Counters
from snowcast.runtime.handshake import certificate_of, certifies, mismatch
from snowcast.runtime.inbound import Inbound
from snowcast.runtime.limits import Limits
from snowcast.runtime.refusals import Refusals

ACCEPTS_PER_TURN = 64
CONNECTIONS_PER_PEER = 2  # a new one, and an old one whose end has not been noticed
MOMENT_S = 0.1  # how long a stranger is safe
TLS_MOMENT_S = 1.0  # the same with TLS, from the last handshake that ended well
GONE_S = 1.0  # how long closing waits for a connection that is being broken
REST_S = 0.1  # how long nothing is accepted after the machine has run out of something

OnFrames = Callable[[Address, list[Frame]], None]


class Listener:
    """All accepted connections of one node."""

    def __init__(
        self,
        sock: socket.socket,
        hello: Hello,
        limits: Limits,
        counters: Counters,
        refusals: Refusals,
        on_frames: OnFrames,
        tls: ssl.SSLContext | None = None,
        verify_addresses: bool = True,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._hello = hello
        self._hello_bytes = encode(hello)
        self._limits = limits
        self._counters = counters
        self._refusals = refusals
        self._on_frames = on_frames
        self._tls = tls
        self._verify_addresses = verify_addresses
        self._strangers: dict[Inbound, asyncio.TimerHandle] = {}
        self._tasks: dict[Inbound, asyncio.Task[None]] = {}
        self._peers: dict[Inbound, None] = {}
        self._open: set[Inbound] = set()
        self._large: dict[Inbound, None] = {}  # in the order in which their frames began
        self._partial: dict[Inbound, tuple[int, float]] = {}  # how much has come, and since when
        self._all_gone = asyncio.Event()
        self._welcomed_at = 0.0
        self._waiting: asyncio.TimerHandle | None = None  # until a stranger is not safe any more
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._peers)

    def start(self) -> None:
        """Accept from now on."""
        self._sock.setblocking(False)
        self._loop.add_reader(self._sock.fileno(), self._accept)

    def sweep(self, now: float) -> None:
        """Close what has been idle or stuck for long; to be called about once a second."""
        oldest = now - 3 * self._limits.idle_timeout
        for inbound in [peer for peer in self._peers if peer.used_at < oldest]:
            self._close(inbound)
        self._partial = {
            inbound: (inbound.pending_bytes, self._stopped_at(inbound, now))
            for inbound in self._peers
            if inbound.pending_bytes
        }
        latest = now - self._limits.stall_timeout
        for inbound in [peer for peer, (_, since) in self._partial.items() if since <= latest]:
            self._refuse(inbound, "stall", "it has stopped in the middle of a frame")

    async def close(self) -> None:
        """Accept nothing more and close everything."""
        self.abort()
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE_S):
                while self._open or self._tasks:
                    self._all_gone.clear()
                    await self._all_gone.wait()

    def abort(self) -> None:
        """Close everything at once."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._sock.fileno())
            self._sock.close()
            if self._waiting is not None:
                self._waiting.cancel()
        for inbound in list(self._open):  # also those that were sent away and are not gone yet
            self._close(inbound)

    def on_hello(self, inbound: Inbound, hello: Hello) -> bool:
        """A stranger says who it is: answer, and let it in unless something is wrong."""
        assert inbound.transport is not None
        inbound.transport.write(self._hello_bytes)
        wrong = self._objection(inbound, hello)
        if wrong is not None:
            if hello.address != self._hello.address or hello.life != self._hello.life:
                self._refusals.note(wrong[0], f"a connection from {inbound.where}", wrong[1])
            self._forget(inbound)
            inbound.transport.close()
            return False
        self._forget(inbound)
        self._make_room(hello.address)
        self._peers[inbound] = None
        inbound.peer = hello.address
        inbound.used_at = self._welcomed_at = self._loop.time()
        self._counters.inbound_accepted += 1
        return True

    def on_frames(self, inbound: Inbound, frames: list[Frame], size: int) -> None:
        """A peer has sent something."""
        assert inbound.peer is not None
        inbound.used_at = self._loop.time()
        self._counters.frames_received += len(frames)
        self._counters.bytes_received += size
        self._on_frames(inbound.peer, frames)

    def on_large(self, inbound: Inbound) -> None:
        """A large frame has begun: give up the oldest ones, if there are too many."""
        self._large = {one: None for one in self._large if one.reserved_bytes and one != inbound}
        self._large[inbound] = None
        reserved_bytes = sum(one.reserved_bytes for one in self._large)
        while reserved_bytes > self._limits.partial_bytes_max and len(self._large) > 1:
            oldest = next(iter(self._large))
            reserved_bytes -= oldest.reserved_bytes
            del self._large[oldest]
            self._refuse(oldest, "partial", "too many large frames have only begun to arrive")

    def on_bad(self, inbound: Inbound, kind: str, why: str) -> None:
        """What came is no use."""
        self._refusals.note(kind, f"a connection from {inbound.peer or inbound.where}", why)

    def on_gone(self, inbound: Inbound) -> None:
        """A connection is no more."""
        self._forget(inbound)
        self._large.pop(inbound, None)
        self._open.discard(inbound)
        self._all_gone.set()

    def _accept(self, may_evict: bool = False) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            if len(self._strangers) >= self._limits.strangers_max:
                oldest, deadline = next(iter(self._strangers.items()))
                safe_until = self._safe_until(deadline.when() - self._limits.hello_timeout)
                if not may_evict or safe_until > self._loop.time():
                    self._wait_until(safe_until)
                    return
                why = "too many connections that do not say who they are"
                self._refuse(oldest, "strangers", why)
            try:
                sock, where = self._sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # out of descriptors or memory: let some be freed
                self._refusals.note("resources", "connections", str(error))
                self._loop.remove_reader(self._sock.fileno())
                self._loop.call_later(REST_S, self._accept_again)
                return
            self._take(sock, f"{where[0]}:{where[1]}")

    def _accept_again(self) -> None:
        if not self._is_closed:
            self.start()

    def _safe_until(self, arrived_at: float) -> float:
        """Until when a stranger is not closed to make room for another.

        Handshakes take their time when there are many: as long as some end well, the others have
        a little more.
        """
        if self._tls is None:
            return arrived_at + MOMENT_S
        latest = arrived_at + self._limits.hello_timeout * 2 / 3
        return min(latest, max(arrived_at, self._welcomed_at) + TLS_MOMENT_S)

    def _wait_until(self, safe_until: float) -> None:
        """Accept nothing until a stranger has said who it is, or one is not safe any more."""
        self._loop.remove_reader(self._sock.fileno())
        self._waiting = self._loop.call_at(safe_until, self._evict_and_accept)

    def _evict_and_accept(self) -> None:
        """What strangers had sent by now has been looked at in this turn, even after a pause."""
        self._waiting = None
        self.start()
        self._accept(may_evict=True)

    def _stopped_at(self, inbound: Inbound, now: float) -> float:
        """Since when the incomplete frame of a connection has not grown."""
        pending_bytes, since = self._partial.get(inbound, (0, now))
        return since if inbound.pending_bytes == pending_bytes else now

    def _take(self, sock: socket.socket, where: str) -> None:
        sock.setblocking(False)
        inbound = Inbound(where, self._limits.frame_bytes_max, self)
        self._open.add(inbound)
        self._strangers[inbound] = self._loop.call_later(
            self._limits.hello_timeout, self._on_hello_timeout, inbound
        )
        task = self._loop.create_task(self._adopt(inbound, sock), name=f"snowcast accepts {where}")
        self._tasks[inbound] = task
        # A callback, for a task that is cancelled before it begins runs no `finally`.
        task.add_done_callback(lambda _: self._adopted(inbound, sock))

    async def _adopt(self, inbound: Inbound, sock: socket.socket) -> None:
        """Make a transport of an accepted socket, with its TLS handshake if there is one."""
        is_tls = self._tls is not None
        try:
            await self._loop.connect_accepted_socket(
                lambda: inbound,
                sock,
                ssl=self._tls,
                ssl_handshake_timeout=self._limits.hello_timeout if is_tls else None,
                ssl_shutdown_timeout=GONE_S if is_tls else None,
            )
        except (OSError, ssl.SSLError) as error:
            kind = "certificate" if isinstance(error, ssl.SSLError) else "connection"
            why = str(error) or "it went away before it was there"
            self._refusals.note(kind, f"a connection from {inbound.where}", why)

    def _adopted(self, inbound: Inbound, sock: socket.socket) -> None:
        del self._tasks[inbound]
        if inbound.transport is None:
            sock.close()
            self.on_gone(inbound)
        self._all_gone.set()

    def _objection(self, inbound: Inbound, hello: Hello) -> tuple[str, str] | None:
        certificate = certificate_of(inbound.transport)
        if certificate is not None and self._verify_addresses:  # noqa: SIM102
            if not certifies(certificate, hello.address):
                why = f"its certificate does not speak for {hello.address.host}, which it claims"
                return "certificate", why
        return mismatch(self._hello, hello)

    def _make_room(self, peer: Address) -> None:
        """Close what a new connection of `peer` is one too many for."""
        same = [inbound for inbound in self._peers if inbound.peer == peer]
        if len(same) >= CONNECTIONS_PER_PEER:
            self._close(min(same, key=lambda inbound: inbound.used_at))
        elif len(self._peers) >= self._limits.inbound_max:
            self._close(min(self._peers, key=lambda inbound: inbound.used_at))

    def _on_hello_timeout(self, inbound: Inbound) -> None:
        if inbound in self._strangers:
            self._refuse(inbound, "silence", "it has not said who it is in time")

    def _refuse(self, inbound: Inbound, kind: str, why: str) -> None:
        self._refusals.note(kind, f"a connection from {inbound.where}", why)
        self._close(inbound)

    def _close(self, inbound: Inbound) -> None:
        if inbound in self._peers:
            self._counters.inbound_closed += 1
        self._forget(inbound)
        task = self._tasks.get(inbound)
        if task is not None:
            task.cancel()
        inbound.abort()

    def _forget(self, inbound: Inbound) -> None:
        """Neither a stranger nor a peer any more."""
        self._peers.pop(inbound, None)
        deadline = self._strangers.pop(inbound, None)
        if deadline is not None:
            deadline.cancel()
            if self._waiting is not None and not self._is_closed:
                self._waiting.cancel()
                self._waiting = None
                self.start()
