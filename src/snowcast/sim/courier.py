"""Frames between nodes: held back while a message is worked on, ruled upon, queued, lost, refused.

Rules of this file:
- A frame of a stream belongs to one life of its sender and of its receiver, and never arrives
  before an earlier one of the same stream; a datagram goes to whoever has the address.
- A frame meets the rules when it leaves its node: what is held back leaves later.
- Every frame that leaves a node or was to leave it arrives, or `on_drop` tells why not.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappush

from snowcast.core.address import Address
from snowcast.core.codec import frame_size
from snowcast.core.effects import Send
from snowcast.core.events import PeerUnreachable
from snowcast.core.frames import Data, Frame
from snowcast.sim.network import Network
from snowcast.sim.observer import Lost, Observer, overrides
from snowcast.sim.processing import Processing, remember
from snowcast.sim.queue import DATAGRAM, Entry, Queue
from snowcast.sim.simnode import SimNode
from snowcast.sim.verdicts import Flight, Refuse


class Courier:
    """Carries what nodes send."""

    def __init__(
        self,
        queue: Queue,
        network: Network,
        processing: Processing | None,
        observers: Sequence[Observer],
    ) -> None:
        self.nodes: dict[Address, SimNode] = {}
        self.network = network
        self._queue = queue
        self._latency = network.latency
        self._processing = processing
        self._on_send = [o.on_send for o in observers if overrides(o, "on_send")]
        self._on_drop = [o.on_drop for o in observers if overrides(o, "on_drop")]
        self.choose_path()

    def choose_path(self) -> None:
        """Call it when rules have come or gone: without any, there is a shorter path."""
        is_plain = not self.network.rules and not self._on_send
        self._transmit = self._transmit_plain if is_plain else self._transmit_ruled
        self.send = self._transmit if self._processing is None else self._hold_or_transmit

    def note_arrival(self, node: SimNode, data: Data, now_us: int) -> None:
        """A node with processing delays begins to work on a message, if it is new there."""
        processing, id = self._processing, data.id
        if processing is None or id in node.ready or id.origin == node.address:
            return
        if not data.is_system or processing.includes_system:
            delay_us = processing.straggler_us
            if not node.is_straggler:
                delay_us = processing.delay_us(node.index, id)
            remember(node.ready, id, now_us + delay_us, now_us)

    def depart(self, node: SimNode, sends: list[Send], now_us: int) -> None:
        """What was held back leaves."""
        for send in sends:
            self._transmit(node, send, now_us)

    def miss(self, entry: Entry, now_us: int) -> None:
        """An entry came up whose node is down, paused, or in another life."""
        _, _, node, life, what, frame = entry
        if node.is_paused and (life in (node.life, DATAGRAM)):
            node.inbox.append(entry)
        elif frame is None:
            for send in what if type(what) is list else ():
                self._lose(node.address, send.to, send.frame, Lost.UNSENT, now_us)
        elif not node.is_up and not node.refuses:
            self._lose(what, node.address, frame, Lost.SILENT, now_us)
        elif life == DATAGRAM:
            self._lose(what, node.address, frame, Lost.CLOSED, now_us)
        else:
            self._refuse(what, node.address, frame, now_us, now_us)

    def _hold_or_transmit(self, node: SimNode, send: Send, now_us: int) -> None:
        """Keep a frame back while the node still works on its message."""
        frame = send.frame
        ready_us = node.ready.get(frame.id, 0) if type(frame) is Data else 0
        if ready_us > now_us:
            # Children of one message leave together: one entry for all that is held until then.
            held = node.held.get(ready_us)
            if held is None:
                node.held[ready_us] = held = []
                self._queue.push(ready_us, node, node.life, held)
            held.append(send)
        else:
            self._transmit(node, send, now_us)

    def _transmit_plain(self, node: SimNode, send: Send, now_us: int) -> None:
        """Put a frame on a network without rules."""
        to = send.to
        target = self.nodes.get(to)
        if target is None:
            self._transmit_ruled(node, send, now_us)
            return
        latency = self._latency
        due_us = now_us + latency.quantiles[latency.getrandbits(latency.bits)]
        if send.is_datagram:
            life = DATAGRAM
        else:
            life = target.life
            due_us = node.in_order(to, due_us, now_us)
        queue = self._queue
        queue.sequence = sequence = queue.sequence + 1
        heappush(queue.heap, (due_us, sequence, target, life, node.address, send.frame))

    def _transmit_ruled(self, node: SimNode, send: Send, now_us: int) -> None:
        """Put a frame on the network, before the eyes of the observers and the rules."""
        sender, to, frame = node.address, send.to, send.frame
        if self._on_send:
            size = frame_size(frame)
            for see in self._on_send:
                see(now_us, sender, send, size)
        verdict = self.network.verdict(Flight(sender, to, frame, send.is_datagram, now_us))
        if verdict is None or (isinstance(verdict, Refuse) and send.is_datagram):
            self._lose(sender, to, frame, Lost.RULE, now_us)
            return
        if isinstance(verdict, Refuse):
            self._refuse(sender, to, frame, now_us, now_us + verdict.after_us)
            return
        due_us = now_us + verdict.delay_us
        target = self.nodes.get(to)
        if send.is_datagram and target is not None:
            self._queue.push(due_us, target, DATAGRAM, sender, frame)
        elif target is not None:
            due_us = node.in_order(to, due_us, now_us)
            self._queue.push(due_us, target, target.life, sender, frame)
        elif send.is_datagram:
            self._lose(sender, to, frame, Lost.CLOSED, now_us)
        else:
            self._refuse(sender, to, frame, now_us, due_us)

    def _refuse(
        self, sender: Address, to: Address, frame: Frame, now_us: int, told_us: int
    ) -> None:
        """A stream is broken: the life that sent `frame` is told at `told_us`."""
        self._lose(sender, to, frame, Lost.REFUSED, now_us)
        node = self.nodes[sender]
        if node.address is sender and node.is_up:
            self._queue.push(told_us, node, node.life, PeerUnreachable(to, (frame,)))

    def _lose(self, sender: Address, to: Address, frame: Frame, why: Lost, now_us: int) -> None:
        for see in self._on_drop:
            see(now_us, sender, to, frame, why)
