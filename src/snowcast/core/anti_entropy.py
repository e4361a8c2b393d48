"""Anti-entropy: now and then two members compare views, and exchange only what differs.

Paper, Node Join: whatever an announcement missed, this mends. A digest of the view goes first and
equal digests end it; else the digests of the branches, then of the leaf buckets that differ, then
the records in those. The exchange keeps no state: each frame says all that its answer needs.

Rules of this file:
- An eviction of a member that this view holds, learned this way, is checked with the member first.
- Arrivals learned from a node that is not in the view come over a bridge between two halves of a
  healed partition: nobody else on this side knows them, so they are announced.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.detector import Detector
from snowcast.core.digest import WIDTH
from snowcast.core.frames import SyncBuckets, SyncDigest, SyncRecords
from snowcast.core.member import Member, State
from snowcast.core.membership import Membership
from snowcast.core.timers import SyncTimer

ROOT, BRANCH = 0, 1
RECORDS_MAX = 1_000  # in one frame


class AntiEntropy:
    """Compares views with one random member at a time."""

    def __init__(self, context: Context, membership: Membership, detector: Detector) -> None:
        self._context = context
        self._membership = membership
        self._detector = detector
        self._bridges: dict[Address, int] = {}  # whom this node did not know, and until when

    def start(self, now_us: int) -> None:
        """Begin at a random moment of the first period."""
        first_us = now_us + self._context.rng.randrange(self._context.config.anti_entropy_us)
        self._context.outbox.set_timer(SyncTimer(), first_us)

    def stop(self) -> None:
        """Begin no more exchanges; those of others are still answered."""
        self._context.outbox.cancel_timer(SyncTimer())

    def on_timer(self, now_us: int) -> None:
        """Compare with a random member."""
        self._context.outbox.set_timer(SyncTimer(), now_us + self._context.config.anti_entropy_us)
        ring = self._context.view.ring
        if len(ring) > 1:
            step = self._context.rng.randrange(1, len(ring))
            self.compare_with(ring[(ring.find(self._context.me) + step) % len(ring)])

    def compare_with(self, peer: Address) -> None:
        """Begin an exchange."""
        self._context.outbox.send(peer, SyncDigest(self._context.view.digest))

    def on_digest(self, sender: Address, theirs: SyncDigest) -> None:
        """Somebody compares; if there is a difference, go one level down."""
        digests = self._context.view.digests
        if theirs.digest != digests.root:
            self._context.outbox.send(sender, SyncBuckets(ROOT, 0, digests.branches()))

    def on_buckets(self, sender: Address, theirs: SyncBuckets) -> None:
        """Go down where the digests differ; below a branch, that is to the records."""
        digests = self._context.view.digests
        if theirs.level == ROOT:
            for branch in _differing(theirs.digests, digests.branches()):
                leaves = SyncBuckets(BRANCH, branch, digests.leaves(branch))
                self._context.outbox.send(sender, leaves)
        elif theirs.prefix < WIDTH:
            ours = digests.leaves(theirs.prefix)
            first = theirs.prefix * len(ours)
            leaves_differing = [first + i for i in _differing(theirs.digests, ours)]
            self._send_records(sender, leaves_differing, (), True)

    def on_records(self, sender: Address, theirs: SyncRecords, now_us: int) -> None:
        """Learn what is news, and answer with what the sender does not know."""
        if theirs.wants_reply:
            self._send_records(sender, list(theirs.buckets), theirs.members, False)
        is_bridge = self._is_bridge(sender, now_us)
        doubtful = [member for member in theirs.members if self._is_contradicted(member)]
        for member in doubtful:
            self._detector.check_eviction(member, now_us)
        plain = [member for member in theirs.members if member not in doubtful]
        changes = self._membership.learn(plain, sender, now_us)
        if is_bridge:
            arrivals = [change.new for change in changes if change.is_arrival]
            self._membership.announce(arrivals, now_us)

    def _send_records(
        self,
        peer: Address,
        leaves: list[int],
        known: tuple[Member, ...],
        wants_reply: bool,
    ) -> None:
        """Send what is in these leaf buckets, but for what the peer knows as well or better."""
        if not leaves:
            return
        members = self._context.view.in_leaves(frozenset(leaves))
        theirs = {m.address: m for m in known}
        news = tuple(
            m for m in members if m.address not in theirs or m.supersedes(theirs[m.address])
        )
        for first in range(0, max(len(news), 1), RECORDS_MAX):
            part = news[first : first + RECORDS_MAX]
            is_first = first == 0
            if part or wants_reply:
                self._context.outbox.send(
                    peer,
                    SyncRecords(tuple(leaves) if is_first else (), part, wants_reply and is_first),
                )

    def _is_contradicted(self, member: Member) -> bool:
        """Whether this is an eviction, as yet unproven here, of somebody this view holds."""
        if member.state is not State.EVICTED or member.address == self._context.me:
            return False
        known = self._context.view.get(member.address)
        return known is not None and known.is_present and member.supersedes(known)

    def _is_bridge(self, sender: Address, now_us: int) -> bool:
        """Whether what `sender` tells is news to all; still so once it has told of itself."""
        self._bridges = {a: until_us for a, until_us in self._bridges.items() if until_us > now_us}
        if sender not in self._context.view.ring:
            self._bridges[sender] = now_us + self._context.config.hop_timeout_us
        return sender in self._bridges


def _differing(theirs: tuple[int, ...], ours: tuple[int, ...]) -> list[int]:
    return [i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b]
