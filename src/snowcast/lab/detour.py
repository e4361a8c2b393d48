"""What stands between a node of the lab and its sockets: work, faults of the network, silence.

Paper, Experimental Setting and Breakdown. The same delays and rules as in the simulator, on real
frames.

Rules of this file:
- No copy of a message leaves a node, other than its origin, earlier than the first receipt there
  plus the node's delay for that message.
- Rules are asked where a frame leaves its node, and there alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from snowcast.core.address import Address
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.lab.job import NUMBER_BYTES
from snowcast.runtime.host import Ways
from snowcast.sim.network import Network
from snowcast.sim.processing import Processing, remember
from snowcast.sim.verdicts import Flight, Refuse

Unreachable = Callable[[Address, tuple[Frame, ...]], None]
_Send = tuple[Address, Frame]


class Detour:
    """The detour of one node. `now_us` is the time since the run began."""

    def __init__(
        self,
        index: int,
        address: Address,
        processing: Processing | None,
        network: Network,
        now_us: Callable[[], int],
    ) -> None:
        self._index = index
        self._address = address
        self._processing = processing
        self._network = network
        self._now_us = now_us
        self._loop = asyncio.get_running_loop()
        self._ready_us: dict[MessageId, int] = {}
        self._held: dict[int, list[_Send]] = {}
        self._is_silent = False
        self._ways: Ways
        self.on_unreachable: Unreachable = lambda peer, unsent: None
        """Told what a rule refuses."""

    def __call__(self, ways: Ways) -> Ways:
        """The ways for the node to use; they end in those given."""
        self._ways = ways
        return Ways(self._send, self._send_datagram, self._receive)

    def silence(self) -> None:
        """Let nothing through any more, in neither direction, and tell nobody."""
        self._is_silent = True
        self._held.clear()

    def _receive(self, sender: Address, frames: list[Frame]) -> None:
        if self._is_silent:
            return
        if self._processing is not None:
            for frame in frames:
                if isinstance(frame, Data):
                    self._begin_work(frame, self._processing)
        self._ways.receive(sender, frames)

    def _begin_work(self, data: Data, processing: Processing) -> None:
        """From now on the node works on a message, if it is new here."""
        id = data.id
        if id in self._ready_us or id.origin == self._address:
            return
        if data.is_system and not processing.includes_system:
            return
        if not data.is_system:
            processing.know(id, int.from_bytes(data.payload[:NUMBER_BYTES], "big") + 1)
        delay_us = processing.straggler_us
        if not processing.is_straggler(self._index):
            delay_us = processing.delay_us(self._index, id)
        now_us = self._now_us()
        remember(self._ready_us, id, now_us + delay_us, now_us)

    def _send(self, to: Address, frame: Frame) -> None:
        if isinstance(frame, Data):
            ready_us, now_us = self._ready_us.get(frame.id, 0), self._now_us()
            if ready_us > now_us:
                self._hold(to, frame, ready_us, now_us)
                return
        self._transmit(to, frame, is_datagram=False)

    def _send_datagram(self, to: Address, frame: Frame) -> None:
        self._transmit(to, frame, is_datagram=True)

    def _hold(self, to: Address, frame: Frame, ready_us: int, now_us: int) -> None:
        """Children of one message leave together."""
        held = self._held.get(ready_us)
        if held is None:
            held = self._held[ready_us] = []
            self._loop.call_later((ready_us - now_us) / 1e6, self._depart, ready_us)
        held.append((to, frame))

    def _depart(self, ready_us: int) -> None:
        for to, frame in self._held.pop(ready_us, ()):
            self._transmit(to, frame, is_datagram=False)

    def _transmit(self, to: Address, frame: Frame, is_datagram: bool) -> None:
        if self._is_silent:
            return
        send = self._ways.send_datagram if is_datagram else self._ways.send
        if not self._network.rules:
            send(to, frame)
            return
        flight = Flight(self._address, to, frame, is_datagram, self._now_us())
        verdict = self._network.verdict(flight)
        if isinstance(verdict, Refuse):
            if not is_datagram:
                self._loop.call_later(verdict.after_us / 1e6, self.on_unreachable, to, (frame,))
        elif verdict is not None and verdict.delay_us > 0:
            self._loop.call_later(verdict.delay_us / 1e6, self._late, send, to, frame)
        elif verdict is not None:
            send(to, frame)

    def _late(self, send: Callable[[Address, Frame], None], to: Address, frame: Frame) -> None:
        if not self._is_silent:
            send(to, frame)
