"""The failure detection of one node, without the rest of it: detector, suspicions, membership."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.detector import Detector
from snowcast.core.effects import Effect
from snowcast.core.frames import Nack, Ping, PingRequest, Pong, Records
from snowcast.core.member import Member
from snowcast.core.membership import Membership
from snowcast.core.suspicion import Suspicions
from snowcast.core.timers import PongTimer, ProbeEndTimer, ProbeTimer, RelayTimer, SuspicionTimer
from support.lone import record, records
from support.rings import member


class Watch:
    """Node 0 in a view of `n`, and what it would announce."""

    def __init__(self, n: int, seed: int = 1, **settings: Any) -> None:
        self.context = Context(member(0), Config(**settings), Random(seed))
        self.membership = Membership(self.context, record(0))
        self.suspicions = Suspicions(self.context, self.membership)
        self.detector = Detector(self.context, self.membership, self.suspicions)
        self.announced: list[Member] = []
        self.membership.announce = self._announce
        self.learn(*records(range(1, n)))

    @property
    def score(self) -> int:
        """The health of this node: 0 is well."""
        return self.detector.health.score

    def learn(self, *news: Member, source: int = 1, now_us: int = 0) -> list[Effect]:
        """Somebody tells this node."""
        self.membership.learn(news, member(source), now_us)
        return self.context.outbox.take()

    def probe(self, target: int, now_us: int = 0) -> list[Effect]:
        """Probe a member."""
        self.detector.probe(member(target), now_us)
        return self.context.outbox.take()

    def check(self, evicted: Member, now_us: int = 0) -> list[Effect]:
        """Check what is said of a member."""
        self.detector.check_eviction(evicted, now_us)
        return self.context.outbox.take()

    def fire(self, key: object, now_us: int = 0) -> list[Effect]:
        """A timer fires."""
        match key:
            case ProbeTimer():
                self.detector.on_probe_timer(now_us)
            case PongTimer(sequence):
                self.detector.on_pong_timer(sequence, now_us)
            case ProbeEndTimer(sequence):
                self.detector.on_probe_end_timer(sequence, now_us)
            case RelayTimer(sequence):
                self.detector.on_relay_timer(sequence)
            case SuspicionTimer(suspect):
                self.suspicions.on_timer(suspect, now_us)
        return self.context.outbox.take()

    def receive(self, sender: int, frame: object, now_us: int = 0) -> list[Effect]:
        """A frame comes."""
        match frame:
            case Ping():
                self.detector.on_ping(member(sender), frame, now_us)
            case Pong():
                self.detector.on_pong(member(sender), frame)
            case PingRequest():
                self.detector.on_ping_request(member(sender), frame, now_us)
            case Nack():
                self.detector.on_nack(member(sender), frame)
            case Records():
                self.membership.hear(frame.members, member(sender), now_us)
        return self.context.outbox.take()

    def _announce(self, news: Iterable[Member], now_us: int) -> None:
        self.announced += news
