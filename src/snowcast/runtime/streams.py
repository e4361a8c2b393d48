"""Outgoing connections: opened when there is something to send, kept while used, few in number.

Rules of this file:
- `send` never writes and never reports: both wait for the end of the turn, so that frames to one
  peer go out together and the core is not entered while it is being performed.
- Messages with the same children gather until something else is sent, or the turn ends: what they
  have in common is then done once.
- A frame is on its way, or comes back with `PeerUnreachable`, or was written and lost with its
  peer. It is never dropped in silence.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from contextlib import suppress

from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.effects import Forward
from snowcast.core.frames import Frame, Hello
from snowcast.core.siblings import Siblings
from snowcast.runtime.counters import Counters
from snowcast.runtime.handshake import mismatch
from snowcast.runtime.limits import Limits
from snowcast.runtime.link import BATCH_BYTES, JOINED_BYTES_MAX, Link
from snowcast.runtime.refusals import Refusals

log = logging.getLogger("snowcast")

GONE_S = 1.0  # how long closing waits for what is being written, and for what is being broken
RELIEF_S = 0.002
"""How often a sender who is too fast looks whether there is room again."""

OnUnreachable = Callable[[Address, tuple[Frame, ...]], None]


class Streams:
    """All outgoing connections of one node."""

    def __init__(
        self,
        hello: Hello,
        limits: Limits,
        counters: Counters,
        refusals: Refusals,
        on_unreachable: OnUnreachable,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._hello = hello
        self._hello_bytes = encode(hello)
        self._limits = limits
        self._counters = counters
        self._refusals = refusals
        self._on_unreachable = on_unreachable
        self._tls = tls
        self.on_full: Callable[[Address, int], None] = lambda peer, frames: None
        """Told of a peer whose queue is full, and how many frames that held up."""
        self.on_alias: Callable[[Address, Address], bool] = lambda dialled, real: False
        """Asked about an address behind which a node goes by another; True if that was a seed."""
        self._links: dict[Address, Link] = {}
        self._open: set[Link] = set()  # also those being closed
        self._dials: dict[Link, asyncio.Task[None]] = {}
        self._dirty: list[Link] = []
        self._gathered: dict[Siblings, list[Forward]] = {}
        self._gathered_bytes = 0
        self._returned: dict[Address, list[Frame]] = {}
        self._full: dict[Address, int] = {}
        self._is_turn_due = False
        self._is_closed = False
        self._all_gone = asyncio.Event()

    def __len__(self) -> int:
        return len(self._links)

    @property
    def queued_bytes(self) -> int:
        """What waits for all peers together."""
        return sum(link.queued_bytes for link in self._links.values())

    @property
    def is_congested(self) -> bool:
        """Whether some peer's queue is half full."""
        half = self._limits.queue_bytes_max // 2
        return any(link.queued_bytes > half for link in self._links.values())

    def send(self, to: Address, frame: Frame) -> None:
        """Send a frame at the end of this turn."""
        if self._gathered:
            self._hand_over()
        link = self._links.get(to)
        if link is None:
            if self._is_closed:
                return
            link = self._dial(to)
        if link is None or not link.send(frame):
            self._counters.queue_full += 1
            self._full[to] = self._full.get(to, 0) + 1
            self._give_back(to, [frame])
            return
        self._counters.frames_sent += 1
        if not link.is_dirty:
            self._note_dirty(link)

    def forward(self, forward: Forward) -> None:
        """Send one message to several children at the end of this turn."""
        size = len(forward.data.payload)
        if size >= JOINED_BYTES_MAX:
            self._forward_large(forward)
            return
        gathered = self._gathered.get(forward.siblings)
        if gathered is None:
            self._gathered[forward.siblings] = [forward]
            self._end_turn_soon()
        else:
            gathered.append(forward)
        self._gathered_bytes += size
        if self._gathered_bytes > BATCH_BYTES:
            self._hand_over()

    def drop(self, peer: Address, why: str) -> None:
        """Break the connection to a peer, if there is one."""
        self._hand_over()
        link = self._links.get(peer)
        if link is not None:
            link.fail(why)

    def sweep(self, now: float) -> None:
        """Look for connections that are stuck or idle; to be called about once a second."""
        for link in list(self._links.values()):
            link.forget_lately(now)
            if link.is_stalled(now):
                self._counters.links_stalled += 1
                link.fail("it has read nothing for too long")
            elif not link.queued_bytes and now - link.used_at > self._limits.idle_timeout:
                self._retire(link)

    async def close(self) -> None:
        """Write what waits, for as long as that takes but not long, and close everything."""
        self._hand_over()
        self._is_closed = True
        self.flush()
        for link in list(self._links.values()):
            link.close()
        self._links.clear()
        try:
            await self._gone()
        finally:
            self.abort()
        await self._gone()

    def abort(self) -> None:
        """Close everything at once."""
        self._is_closed = True
        self._gathered.clear()
        self._links.clear()
        for task in self._dials.values():
            task.cancel()
        for link in list(self._open):
            link.abort()

    def flush(self) -> None:
        """Write what has gathered, now rather than at the end of the turn."""
        self._hand_over()
        dirty, self._dirty = self._dirty, []
        now = self._loop.time()
        for link in dirty:
            link.is_dirty = False
            link.used_at = now
            link.flush()

    async def relief(self) -> None:
        """Wait until no queue is half full; a peer that is stuck is given up before long."""
        while self.is_congested and not self._is_closed:
            await asyncio.sleep(RELIEF_S)

    def on_hello(self, link: Link, hello: Hello) -> None:
        """The other end of a connection has said who it is."""
        if hello.address == link.peer:
            wrong = mismatch(self._hello, hello)
        elif self.on_alias(link.peer, hello.address):
            self._retire(link)
            return
        else:
            wrong = "address", f"it goes by {hello.address}"
        if wrong is not None:
            self._refusals.note(wrong[0], f"a connection to {link.peer}", wrong[1])
            link.fail(wrong[1])

    def on_lost(self, link: Link, unsent: tuple[Frame, ...], why: str) -> None:
        """A connection broke, or there was none: the core hears of it after this turn."""
        log.debug("%s is unreachable: %s; %d frames unsent", link.peer, why, len(unsent))
        self._counters.links_failed += 1
        if self._links.get(link.peer) is link:
            del self._links[link.peer]
        self._give_back(link.peer, list(unsent))

    def on_gone(self, link: Link) -> None:
        """A connection's resources are free."""
        self._open.discard(link)
        self._all_gone.set()

    def on_open(self, link: Link) -> None:
        """A connection holds resources."""
        self._open.add(link)

    def _dial(self, peer: Address) -> Link | None:
        """A new connection to a peer; None if there is no room and none can be made."""
        if len(self._links) >= self._limits.links_max and not self._make_room():
            return None
        link = Link(peer, self._hello_bytes, self._limits, self._counters, self)
        self._links[peer] = link
        task = self._loop.create_task(self._connect(link), name=f"snowcast dials {peer}")
        self._dials[link] = task
        # A callback, for a task that is cancelled before it begins runs no `finally`.
        task.add_done_callback(lambda _: self._dialled(link))
        return link

    async def _connect(self, link: Link) -> None:
        host, port = link.peer.host, link.peer.port
        name = host if self._tls is not None else None
        try:
            async with asyncio.timeout(self._limits.connect_timeout):
                await self._loop.create_connection(
                    lambda: link, host, port, ssl=self._tls, server_hostname=name
                )
            self._counters.links_opened += 1
        except TimeoutError:
            link.fail("it did not answer in time")
        except ssl.SSLError as error:
            self._refusals.note("certificate", f"a connection to {link.peer}", str(error))
            link.fail(str(error))
        except OSError as error:
            link.fail(error.strerror or str(error))

    def _dialled(self, link: Link) -> None:
        del self._dials[link]
        self._all_gone.set()

    def _make_room(self) -> bool:
        """Close the connection that has been unused for longest; False if all have work."""
        idle = [link for link in self._links.values() if not link.queued_bytes]
        if not idle:
            return False
        self._retire(min(idle, key=lambda link: link.used_at))
        return True

    def _retire(self, link: Link) -> None:
        """Close a connection that is not needed."""
        self._counters.links_closed += 1
        self._links.pop(link.peer, None)
        link.close()

    def _hand_over(self) -> None:
        """Queue what has gathered, at the links of its children."""
        if not self._gathered:
            return
        gathered, self._gathered, self._gathered_bytes = self._gathered, {}, 0
        for siblings, forwards in gathered.items():
            for part, run in zip(siblings.children, siblings.runs(forwards), strict=True):
                link = self._links.get(part.child)
                if link is None or not link.put((forwards, part), b"", run):
                    for forward in forwards:  # to be dialled, or full
                        self.send(part.child, forward.frame(part))
                    continue
                self._counters.frames_sent += len(forwards)
                if not link.is_dirty:
                    self._note_dirty(link)

    def _forward_large(self, forward: Forward) -> None:
        """Queue a payload that is not to be copied."""
        self._hand_over()
        heads = forward.siblings.heads(forward.data, forward.hop)
        for part, head in zip(forward.siblings.children, heads, strict=True):
            link = self._links.get(part.child)
            if link is None or not link.put(([forward], part), head, forward.data.payload):
                self.send(part.child, forward.frame(part))
                continue
            self._counters.frames_sent += 1
            if not link.is_dirty:
                self._note_dirty(link)

    def _note_dirty(self, link: Link) -> None:
        link.is_dirty = True
        self._dirty.append(link)
        self._end_turn_soon()

    def _give_back(self, peer: Address, unsent: list[Frame]) -> None:
        self._returned.setdefault(peer, []).extend(unsent)
        self._end_turn_soon()

    def _end_turn_soon(self) -> None:
        if not self._is_turn_due:
            self._is_turn_due = True
            self._loop.call_soon(self._end_turn)

    def _end_turn(self) -> None:
        self._is_turn_due = False
        self.flush()
        if self._returned and not self._is_closed:
            returned, self._returned = self._returned, {}
            full, self._full = self._full, {}
            for peer, count in full.items():
                self.on_full(peer, count)
            for peer, frames in returned.items():
                self._counters.frames_returned += len(frames)
                self._on_unreachable(peer, tuple(frames))

    async def _gone(self) -> None:
        """Wait until all connections are no more, but not long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE_S):
                while self._open or self._dials:
                    self._all_gone.clear()
                    await self._all_gone.wait()
