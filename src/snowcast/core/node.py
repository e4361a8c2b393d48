"""A node: the whole protocol as one state machine, and the one way into it.

`Node.handle(event, now_us)` returns what is to be done about the event, in order. Same node, same
events, same times: same effects. Start reading here; each part below is one idea of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, assert_never

from snowcast.core import events, frames
from snowcast.core.address import Address
from snowcast.core.announcements import Announcer
from snowcast.core.anti_entropy import AntiEntropy
from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.codec import decode_members
from snowcast.core.config import Config
from snowcast.core.context import Context, MakeBroadcaster
from snowcast.core.detector import Detector
from snowcast.core.effects import (
    Accepted,
    Answered,
    BadFrame,
    Delivered,
    Effect,
    Step,
    Stopped,
)
from snowcast.core.errors import FrameError
from snowcast.core.events import (
    Broadcast,
    Event,
    Evict,
    FrameReceived,
    Leave,
    PeerUnreachable,
    Retag,
    Start,
    TimerFired,
)
from snowcast.core.frames import (
    Data,
    Frame,
    JoinReady,
    JoinRequest,
    MessageId,
    Nack,
    Ping,
    PingRequest,
    Pong,
    Records,
    SyncBuckets,
    SyncDigest,
    SyncRecords,
    ViewPart,
)
from snowcast.core.healing import Healing
from snowcast.core.joining import Door, Joiner
from snowcast.core.member import Member
from snowcast.core.membership import Membership
from snowcast.core.suspicion import Suspicions
from snowcast.core.timers import (
    AnnounceTimer,
    DoorTimer,
    HealTimer,
    JoinTimer,
    LingerTimer,
    PongTimer,
    ProbeEndTimer,
    ProbeTimer,
    RelayTimer,
    SuspicionTimer,
    SyncTimer,
    TimerKey,
)
from snowcast.core.view import Change, View


class Node:
    """One member of a cluster, without its clock and its sockets."""

    __slots__ = (
        "_announcer",
        "_anti_entropy",
        "_broadcaster",
        "_context",
        "_detector",
        "_door",
        "_healing",
        "_is_stopped",
        "_joiner",
        "_membership",
        "_sequence",
        "_suspicions",
    )

    def __init__(
        self,
        me: Member,
        config: Config,
        rng: Random,
        make_broadcaster: MakeBroadcaster = SnowBroadcaster,
    ) -> None:
        self._context = context = Context(me.address, config, rng)
        self._sequence = 0
        self._is_stopped = False
        self._broadcaster = make_broadcaster(context)
        self._membership = Membership(context, me)
        self._announcer = Announcer(context, self._announce)
        self._suspicions = Suspicions(context, self._membership)
        self._detector = Detector(context, self._membership, self._suspicions)
        self._joiner = Joiner(context, self._membership)
        self._door = Door(context, self._membership, self._announcer.flush)
        self._anti_entropy = AntiEntropy(context, self._membership, self._detector)
        self._healing = Healing(context, self._anti_entropy)
        context.on_message = self._on_message
        context.on_silent = self._detector.probe
        self._membership.announce = self._announcer.add
        self._membership.listeners.append(self._on_changes)

    @property
    def me(self) -> Member:
        """This node as it is known to others."""
        return self._membership.me

    @property
    def view(self) -> View:
        """Whom this node believes to be members. To be read, not changed."""
        return self._context.view

    @property
    def health(self) -> int:
        """0 if this node is well; more if it seems too slow to judge others."""
        return self._detector.health.score

    def sizes(self) -> dict[str, int]:
        """How much is remembered of what, for those who look for leaks."""
        parts = (self._broadcaster, self._announcer, self._suspicions, self._detector, self._door)
        return {name: size for part in parts for name, size in part.sizes().items()}

    def handle(self, event: Event, now_us: int) -> list[Effect]:
        """Take in what has happened; return what is to be done, in order."""
        self._take_in(event, now_us)
        return self._context.outbox.take()

    def step(self, event: Event, now_us: int) -> list[Step]:
        """As `handle`, for a driver that can send one message to many at less than their cost."""
        self._take_in(event, now_us)
        return self._context.outbox.take_steps()

    def _take_in(self, event: Event, now_us: int) -> None:
        if self._is_stopped:
            return
        match event:
            case FrameReceived():
                take_in = _ON_FRAME.get(type(event.frame), _on_frame_of_broadcaster)
                take_in(self, event.sender, event.frame, now_us)
            case TimerFired():
                self._on_timer(event.key, now_us)
            case Broadcast():
                self._on_broadcast(event, now_us)
            case PeerUnreachable():
                self._on_unreachable(event.peer, event.unsent, now_us)
            case Start():
                self._on_start(event, now_us)
            case Leave():
                self._on_leave(now_us)
            case events.Answer():
                answer = frames.Answer(event.id, event.text)
                self._context.outbox.send(event.id.origin, answer)
            case Evict():
                self._membership.evict(event.address, now_us)
            case Retag():
                self._membership.retag(event.tags, now_us)
            case _:
                assert_never(event)

    def _on_sync(
        self, sender: Address, frame: SyncDigest | SyncBuckets | SyncRecords, now_us: int
    ) -> None:
        if self._joiner.is_joining:
            return  # the contact gives the view; half of one would only confuse others
        self._healing.on_answer(sender, now_us)
        match frame:
            case SyncDigest():
                self._anti_entropy.on_digest(sender, frame)
            case SyncBuckets():
                self._anti_entropy.on_buckets(sender, frame)
            case SyncRecords():
                self._anti_entropy.on_records(sender, frame, now_us)

    def _on_timer(self, key: TimerKey, now_us: int) -> None:
        match key:
            case ProbeTimer():
                self._detector.on_probe_timer(now_us)
            case PongTimer():
                self._detector.on_pong_timer(key.sequence, now_us)
            case ProbeEndTimer():
                self._detector.on_probe_end_timer(key.sequence, now_us)
            case RelayTimer():
                self._detector.on_relay_timer(key.sequence)
            case SuspicionTimer():
                self._suspicions.on_timer(key.suspect, now_us)
            case AnnounceTimer():
                self._announcer.flush(now_us)
            case JoinTimer():
                self._joiner.try_next(now_us)
            case DoorTimer():
                self._door.on_timer(now_us)
            case SyncTimer():
                self._anti_entropy.on_timer(now_us)
                self._forget_old(now_us)
            case HealTimer():
                self._healing.on_timer(now_us, self._joiner.is_joining)
            case LingerTimer():
                self._is_stopped = True
                self._context.outbox.notify(Stopped())
            case _:
                self._broadcaster.on_timer(key, now_us)

    def _on_start(self, start: Start, now_us: int) -> None:
        self._membership.learn(start.members, self._context.me, now_us)
        self._detector.start(now_us)
        self._anti_entropy.start(now_us)
        self._healing.start(start.seeds, now_us)
        self._joiner.start(start.seeds, now_us)

    def _on_broadcast(self, event: Broadcast, now_us: int) -> None:
        id = self._next_id()
        self._context.outbox.notify(Accepted(event.request, id))
        mode, reliable, control = event.mode, event.is_reliable, event.is_control
        self._broadcaster.start(id, event.payload, mode, reliable, False, now_us, control)

    def _on_leave(self, now_us: int) -> None:
        if self._membership.is_leaving:
            return
        self._membership.leave(now_us)
        self._announcer.flush(now_us)
        for part in (self._detector, self._anti_entropy, self._healing):
            part.stop()
        is_alone = len(self._context.view) == 1
        linger_us = 0 if is_alone else self._context.config.linger_us
        self._context.outbox.set_timer(LingerTimer(), now_us + linger_us)

    def _on_unreachable(self, peer: Address, unsent: tuple[Frame, ...], now_us: int) -> None:
        self._joiner.on_unreachable(peer, now_us)
        for frame in unsent:
            if isinstance(frame, Data):
                self._broadcaster.on_unsent(peer, frame, now_us)
        self._detector.probe(peer, now_us)

    def _on_message(self, data: Data, now_us: int) -> None:
        """The first copy of a message: news of members is taken in before it is passed on."""
        if not data.is_system:
            delivered = Delivered(data.id, data.payload, data.hop, data.is_control)
            self._context.outbox.notify(delivered)
            return
        try:
            members = decode_members(data.payload)
        except FrameError as error:
            self._context.outbox.notify(BadFrame(data.id.origin, str(error)))
            return
        self._membership.learn(members, data.id.origin, now_us)
        if self.me in members:
            self._joiner.on_announced()

    def _on_changes(self, changes: list[Change], source: Address, now_us: int) -> None:
        for change in changes:
            if change.old is not None and change.is_departure:
                gone = change.new if not change.new.is_present else change.old
                self._broadcaster.on_departed(gone, now_us)
            if change.is_arrival:
                self._broadcaster.on_arrived(change.new, now_us)

    def _announce(self, payload: bytes, is_reliable: bool, now_us: int) -> None:
        mode = self._context.config.announcement_mode
        self._broadcaster.start(self._next_id(), payload, mode, is_reliable, True, now_us)

    def _forget_old(self, now_us: int) -> None:
        self._broadcaster.forget_old(now_us)
        self._door.forget_old(now_us)
        before_us = now_us - self._context.config.tombstone_us
        for address in self._context.view.forget_tombstones(before_us):
            self._broadcaster.forget_origin(address)

    def _next_id(self) -> MessageId:
        self._sequence += 1
        return MessageId(self._context.me, self.me.life, self._sequence)


def _on_frame_of_broadcaster(self: Node, sender: Address, frame: Frame, now_us: int) -> None:
    self._broadcaster.on_frame(sender, frame, now_us)


# Who takes in which frame; all others are the broadcaster's. A `match` would ask class by class.
_ON_FRAME: dict[type[Frame], Callable[[Node, Address, Any, int], None]] = {
    Data: lambda self, sender, data, now_us: self._broadcaster.on_data(sender, data, now_us),
    Ping: lambda self, sender, ping, now_us: self._detector.on_ping(sender, ping, now_us),
    Pong: lambda self, sender, pong, now_us: self._detector.on_pong(sender, pong),
    PingRequest: lambda self, sender, ask, now_us: self._detector.on_ping_request(
        sender, ask, now_us
    ),
    Nack: lambda self, sender, nack, now_us: self._detector.on_nack(sender, nack),
    SyncDigest: Node._on_sync,
    SyncBuckets: Node._on_sync,
    SyncRecords: Node._on_sync,
    Records: lambda self, sender, news, now_us: self._membership.hear(news.members, sender, now_us),
    JoinRequest: lambda self, sender, ask, now_us: self._door.on_request(ask.member, now_us),
    ViewPart: lambda self, sender, part, now_us: self._joiner.on_view_part(sender, part, now_us),
    JoinReady: lambda self, sender, ready, now_us: self._door.on_ready(
        sender, ready.incarnation, now_us
    ),
    frames.Answer: lambda self, sender, answer, now_us: self._context.outbox.notify(
        Answered(answer.id, sender, answer.text)
    ),
}
