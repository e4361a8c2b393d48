"""What a driver sees, as rows of a trace: the same functions for the simulator and for agents.

A driver calls these when it hands a frame to a node, sends one, or starts a broadcast. Times are
what the clock of that node shows.

Rules of this file:
- What is remembered is bounded: which messages a node has had, and which pings are out.
- A ping that got no answer in time is a row too: losses cannot be told from what came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.core.frames import Ack, AckQuery, Data, Frame, MessageId, Ping, Pong
from snowcast.core.trees import Mode
from snowcast.trace.schema import ArrivalRow, MessageRow, ProbeRow, Row

SEEN_MAX = 65_536  # messages remembered for each node, as many as a node itself remembers
PINGS_MAX = 65_536  # in all
PING_US_MAX = 10 * SECOND  # longer than any node waits for a pong

Write = Callable[[Row], None]


class _Ping(NamedTuple):
    """A ping that is out: since when, and by which way, as `ProbeRow` has it."""

    at_us: int
    stream: bool | None


class Recorder:
    """Turns the frames and messages of a run into rows, and hands these to `write`."""

    def __init__(self, run: str, write: Write) -> None:
        self.run = run
        self.write = write
        self._seen: dict[Address, dict[MessageId, None]] = {}
        self._pings: dict[tuple[Address, Address, int], _Ping] = {}
        self._names: dict[Address, str] = {}

    def node_started(self, node: Address) -> None:
        """A life of `node` begins: it has not had any message."""
        self._seen[node] = {}

    def message_sent(
        self, now_us: int, id: MessageId, payload_bytes: int, mode: Mode, is_reliable: bool
    ) -> None:
        """The application of `id.origin` has broadcast a message."""
        self._is_first(id.origin, id)
        row = MessageRow(
            run=self.run,
            message=str(id),
            origin=self._name(id.origin),
            at_us=now_us,
            payload_bytes=payload_bytes,
            mode=mode.value,
            reliable=is_reliable,
        )
        self.write(row)

    def frame_sent(
        self, now_us: int, node: Address, to: Address, frame: Frame, is_datagram: bool = True
    ) -> None:
        """`node` sends a frame: pings are remembered until they are answered or given up."""
        if isinstance(frame, Ping):
            self._give_up(now_us)
            if len(self._pings) >= PINGS_MAX:
                del self._pings[next(iter(self._pings))]
            key = node, to, frame.sequence
            unanswered = self._pings.pop(key, None)
            if unanswered is not None:  # it is asked again, on a stream
                self._unanswered(node, to, unanswered)
            self._pings[key] = _Ping(now_us, None if is_datagram else True)

    def frame_received(
        self, now_us: int, node: Address, sender: Address, frame: Frame, frame_bytes: int
    ) -> None:
        """`node` has received a frame of so many bytes."""
        if isinstance(frame, Data):
            id, hop, tree = frame.id, frame.hop, frame.tree.value
            first = self._is_first(node, id) and id.origin != node
            kind = "control" if frame.is_control else "announcement" if frame.is_system else "data"
            self._arrival(now_us, node, sender, kind, frame_bytes, id, hop, tree, first)
            return
        if isinstance(frame, Ack):
            tree, complete = frame.tree.value, frame.is_complete
            self._arrival(
                now_us, node, sender, "ack", frame_bytes, frame.id, tree=tree, complete=complete
            )
            return
        about = frame.id if isinstance(frame, AckQuery) else None
        self._arrival(now_us, node, sender, _kind(frame), frame_bytes, about)
        if isinstance(frame, Pong):
            self._pong(now_us, node, sender, frame)

    def _arrival(
        self,
        now_us: int,
        node: Address,
        sender: Address,
        kind: str,
        frame_bytes: int,
        id: MessageId | None,
        hop: int | None = None,
        tree: int | None = None,
        first: bool | None = None,
        complete: bool | None = None,
    ) -> None:
        row = ArrivalRow(
            run=self.run,
            message=None if id is None else self._id(id),
            node=self._name(node),
            sender=self._name(sender),
            kind=kind,
            at_us=now_us,
            bytes=frame_bytes,
            hop=hop,
            tree=tree,
            first=first,
            complete=complete,
        )
        self.write(row)

    def _pong(self, now_us: int, node: Address, peer: Address, pong: Pong) -> None:
        ping = self._pings.pop((node, peer, pong.sequence), None)
        if ping is None:  # passed on by another, or long after the ping
            return
        row = ProbeRow(
            run=self.run,
            node=self._name(node),
            peer=self._name(peer),
            at_us=now_us,
            rtt_us=now_us - ping.at_us,
            offset_us=pong.at_us - (ping.at_us + now_us) // 2,
            stream=ping.stream,
        )
        self.write(row)

    def _give_up(self, now_us: int) -> None:
        """Write the pings that have been out for too long. The oldest are the first."""
        while self._pings:
            (node, peer, sequence), ping = next(iter(self._pings.items()))
            if now_us - ping.at_us < PING_US_MAX:
                return
            del self._pings[node, peer, sequence]
            self._unanswered(node, peer, ping)

    def _unanswered(self, node: Address, peer: Address, ping: _Ping) -> None:
        row = ProbeRow(
            run=self.run,
            node=self._name(node),
            peer=self._name(peer),
            at_us=ping.at_us,
            stream=ping.stream,
        )
        self.write(row)

    def _is_first(self, node: Address, id: MessageId) -> bool:
        seen = self._seen.setdefault(node, {})
        if id in seen:
            return False
        if len(seen) >= SEEN_MAX:
            del seen[next(iter(seen))]
        seen[id] = None
        return True

    def _id(self, id: MessageId) -> str:
        return f"{self._name(id.origin)}/{id.life}/{id.sequence}"

    def _name(self, address: Address) -> str:
        name = self._names.get(address)
        if name is None:
            name = self._names[address] = str(address)
        return name


def _kind(frame: Frame) -> str:
    """`PingRequest` as `ping_request`."""
    name = type(frame).__name__
    return "".join([f"_{c.lower()}" if c.isupper() else c for c in name]).removeprefix("_")
