"""Two nodes that compare views, wired back to back: 0 and 1, with every frame counted."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from snowcast.core.anti_entropy import AntiEntropy
from snowcast.core.codec import frame_size
from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.detector import Detector
from snowcast.core.effects import Effect, Send
from snowcast.core.frames import Frame, SyncBuckets, SyncDigest, SyncRecords
from snowcast.core.member import Member
from snowcast.core.membership import Membership
from snowcast.core.suspicion import Suspicions
from support.lone import record
from support.rings import member, number


class Comparer:
    """What compares the view of node `i`, and what it would announce."""

    def __init__(self, i: int, news: Iterable[Member] = (), seed: int = 1) -> None:
        self.context = Context(member(i), Config(), Random(seed))
        self.membership = Membership(self.context, record(i))
        suspicions = Suspicions(self.context, self.membership)
        detector = Detector(self.context, self.membership, suspicions)
        self.anti_entropy = AntiEntropy(self.context, self.membership, detector)
        self.announced: list[Member] = []
        self.membership.announce = self._announce
        self.context.view.merge(news, 0)

    def receive(self, sender: int, frame: Frame, now_us: int = 0) -> list[Effect]:
        """A frame of a comparison comes."""
        match frame:
            case SyncDigest():
                self.anti_entropy.on_digest(member(sender), frame)
            case SyncBuckets():
                self.anti_entropy.on_buckets(member(sender), frame)
            case SyncRecords():
                self.anti_entropy.on_records(member(sender), frame, now_us)
        return self.context.outbox.take()

    def _announce(self, news: Iterable[Member], now_us: int) -> None:
        self.announced += news


class Pair:
    """Nodes 0 and 1, each with its view."""

    def __init__(self, first: Iterable[Member], second: Iterable[Member]) -> None:
        self.nodes = Comparer(0, first), Comparer(1, second)
        self.frames: list[Frame] = []
        self.pinged: list[int] = []

    def compare(self) -> int:
        """Node 0 compares with node 1; return how many bytes that took."""
        before = len(self.frames)
        self.nodes[0].anti_entropy.compare_with(member(1))
        todo = [(0, effect) for effect in self.nodes[0].context.outbox.take()]
        while todo:
            sender, effect = todo.pop(0)
            if isinstance(effect, Send) and isinstance(
                effect.frame, SyncDigest | SyncBuckets | SyncRecords
            ):
                self.frames.append(effect.frame)
                receiver = number(effect.to)
                answers = self.nodes[receiver].receive(sender, effect.frame)
                todo += [(receiver, answer) for answer in answers]
            elif isinstance(effect, Send):
                self.pinged.append(number(effect.to))
        return sum(map(frame_size, self.frames[before:]))

    @property
    def digests(self) -> list[int]:
        """The digest of each view."""
        return [node.context.view.digest for node in self.nodes]
