"""The loop: what is due happens, nodes handle it, and their effects are performed.

A driver like `runtime`: it performs effects in order and decides nothing that the core decides. It
is also the busiest code of the simulator: the common case comes first and asks for little.

Rules of this file:
- Times in the queue are true time; a node is told, and asks for timers in, what its clock shows.
- Only here does a node handle anything.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from functools import partial
from heapq import heappop
from typing import Any

from snowcast.core.address import Address
from snowcast.core.effects import (
    Accepted,
    CancelTimer,
    Effect,
    Send,
    SetTimer,
    Stopped,
)
from snowcast.core.events import Broadcast, Event, FrameReceived, PeerUnreachable, TimerFired
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.timers import TimerKey
from snowcast.sim.courier import Courier
from snowcast.sim.network import Network
from snowcast.sim.observer import NodeChange, Observer, overrides
from snowcast.sim.processing import Processing
from snowcast.sim.queue import DATAGRAM, Entry, Mark, Queue
from snowcast.sim.simnode import SimNode

# Most of what a run makes is freed without the collector, which would look at all views, all the
# time, for nothing: up to a third of a run. It still comes by, so that cycles do not pile up.
RARE_COLLECTION = (200_000, 20, 100)
IMMEDIATE_MAX = 1_000_000
"""So many timers for now or the past, at one and the same time, are a bug of the core."""


class World:
    """Nodes and time."""

    def __init__(
        self, network: Network, processing: Processing | None, observers: Sequence[Observer]
    ) -> None:
        self.now_us = 0
        self.frames = 0
        """How many frames nodes have handled."""
        self.queue = Queue()
        self.courier = Courier(self.queue, network, processing, observers)
        self._processing = processing
        self._is_running = False
        self._immediate = self._immediate_us = 0
        self._on_frame = [o.on_frame for o in observers if overrides(o, "on_frame")]
        self._on_notice = [o.on_notice for o in observers if overrides(o, "on_notice")]
        self._on_broadcast = [o.on_broadcast for o in observers if overrides(o, "on_broadcast")]
        self._on_node = [o.on_node for o in observers if overrides(o, "on_node")]

    def run(self, until_us: int) -> None:
        """Let everything happen that is due until `until_us`, that moment included."""
        assert not self._is_running, "an action or an observer may not run the cluster"
        self._is_running = True
        collection = gc.get_threshold()
        gc.set_threshold(*RARE_COLLECTION)
        stop = self.queue.mark(until_us)
        heap, pop = self.queue.heap, heappop
        arrive, dispatch = self._arrive, self._dispatch
        try:
            while True:
                entry = pop(heap)
                self.now_us, _, node, life, what, frame = entry
                if frame is not None and (
                    life == node.running or (life == DATAGRAM and node.running)
                ):
                    arrive(node, what, frame)
                elif what is stop:
                    break
                else:
                    dispatch(entry)
        finally:
            gc.set_threshold(*collection)
            self._is_running = False

    def handle(self, node: SimNode, event: Event) -> list[Effect]:
        """Hand `event` to a node that runs, and perform what it wants."""
        effects = node.handle(event, self.now_us)
        if effects:
            self._perform(node, effects)
        return effects

    def broadcast(self, node: SimNode, broadcast: Broadcast) -> MessageId:
        """Let a node that runs broadcast; the id of the message."""
        for effect in self.handle(node, broadcast):
            if isinstance(effect, Accepted) and effect.request == broadcast.request:
                for see in self._on_broadcast:
                    see(self.now_us, node, effect.id, broadcast)
                return effect.id
        raise AssertionError(f"{node} has not accepted a broadcast")

    def change(self, node: SimNode, what: NodeChange) -> None:
        """Tell the observers."""
        for see in self._on_node:
            see(self.now_us, node, what)

    def pause(self, node: SimNode, until_us: int) -> None:
        """Let a node stand still; of two pauses the one that ends later holds."""
        if node.resume_us is not None and node.resume_us >= until_us:
            return
        if not node.is_paused:
            self.change(node, NodeChange.PAUSED)
        node.resume_us, node.running = until_us, 0
        self.queue.push(until_us, None, 0, partial(self._resume, node, node.life))

    def stop(self, node: SimNode, refuses: bool, what: NodeChange) -> None:
        """Take a node down; if its machine `refuses`, those who send to it are told."""
        inbox = node.inbox
        self.queue.stale += len(node.timers)
        node.stop(refuses)
        self.change(node, what)
        for entry in inbox:
            self._dispatch(entry)

    def _resume(self, node: SimNode, life: int) -> None:
        """Let a paused node handle what came due meanwhile, in that order, now."""
        if node.life != life or node.resume_us != self.now_us:
            return
        node.resume_us = None
        node.running = node.life
        inbox, node.inbox = node.inbox, []
        self.change(node, NodeChange.RESUMED)
        for entry in inbox:
            self._dispatch(entry)

    def _arrive(self, node: SimNode, sender: Address, frame: Frame) -> None:
        self.frames += 1
        if self._on_frame:
            for see in self._on_frame:
                see(self.now_us, node, sender, frame)
        if self._processing is not None and type(frame) is Data:
            self.courier.note_arrival(node, frame, self.now_us)
        effects = node.handle(FrameReceived(sender, frame), self.now_us)
        if effects:
            self._perform(node, effects)

    def _dispatch(self, entry: Entry) -> None:
        """Let any entry but the mark of this run happen."""
        _, sequence, node, life, what, frame = entry
        if node is None:
            if type(what) is not Mark:  # that of a run which ended in an exception
                what()
        elif life != node.running and not (life == DATAGRAM and node.running):
            self.courier.miss(entry, self.now_us)
        elif frame is not None:
            self._arrive(node, what, frame)
        elif type(what) is list:
            node.held.pop(entry[0], None)
            self.courier.depart(node, what, self.now_us)
        elif type(what) is PeerUnreachable:
            self.handle(node, what)
        elif node.timers.get(what) == sequence:
            del node.timers[what]
            self.handle(node, TimerFired(what))

    def _perform(self, node: SimNode, effects: Sequence[Any]) -> None:
        # Types are compared by `is`: with these classes `isinstance` is slow to say no.
        now_us, send, queue, has_stopped = self.now_us, self.courier.send, self.queue, False
        for effect in effects:
            kind = type(effect)
            if kind is Send:
                send(node, effect, now_us)
            elif kind is SetTimer:
                at_us, key, timers = effect.at_us, effect.key, node.timers
                if node.clock is not None:
                    at_us = node.clock.true_us(at_us)
                if key in timers:
                    queue.drop_one()
                if at_us <= now_us:
                    at_us = now_us
                    self._count_immediate(node, key)
                timers[key] = queue.push(at_us, node, node.life, key)
            elif kind is CancelTimer:
                if node.timers.pop(effect.key, None) is not None:
                    queue.drop_one()
            else:
                if kind is Accepted and self._processing is not None:
                    self._processing.number(effect.id)
                for see in self._on_notice:
                    see(now_us, node, effect)
                has_stopped = has_stopped or kind is Stopped
        if has_stopped:
            self.stop(node, refuses=True, what=NodeChange.LEFT)

    def _count_immediate(self, node: SimNode, key: TimerKey) -> None:
        if self._immediate_us != self.now_us:
            self._immediate_us, self._immediate = self.now_us, 0
        self._immediate += 1
        assert self._immediate <= IMMEDIATE_MAX, f"time stands still: {node} goes on with {key}"
