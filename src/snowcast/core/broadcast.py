"""Snow's broadcast: deliver a message once, and forward it along the region it came with.

Paper, Standard Snow Broadcasting Mechanism and Node Coloring; `trees` has the arithmetic.

Rules of this file:
- A message is delivered by its first copy, whichever tree brings it.
- Each assignment is carried out once: two trees are two assignments, and where views differ one
  tree can bring two. Dropping the second would lose those that only it covers.
- A child that cannot be reached is planned for again at once, plain message or reliable.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.context import Broadcaster, Context
from snowcast.core.effects import BadFrame, Expired
from snowcast.core.forwarding import Forwarder
from snowcast.core.frames import Ack, AckQuery, Data, Frame, MessageId
from snowcast.core.member import Member
from snowcast.core.receipts import Receipts
from snowcast.core.region import Region
from snowcast.core.seen import FIRST, TOO_LATE, Seen
from snowcast.core.timers import HopTimer, ReceiptTimer, TimerKey
from snowcast.core.trees import Mode


class SnowBroadcaster(Broadcaster):
    """The paper's protocol: Standard, Coloring and Reliable Message."""

    __slots__ = ("_custodies", "_forwarder", "_receipts", "_seen")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._seen = Seen(context.config)
        self._forwarder = Forwarder(context)
        self._receipts = Receipts(context, self._forwarder)
        self._custodies = self._receipts.custodies

    def start(
        self,
        id: MessageId,
        payload: bytes,
        mode: Mode,
        reliable: bool,
        system: bool,
        now_us: int,
        control: bool = False,
    ) -> None:
        """Begin a broadcast: this node is the root, or the primary root, of its trees."""
        self._seen.see(id, now_us)
        self._receipts.start(id, payload, mode, reliable, system, now_us, control)

    def on_data(self, sender: Address, data: Data, now_us: int) -> None:
        """Deliver a first copy, then forward inside the region it came with."""
        context = self.context
        is_leaf = data.left is None and data.right is None
        region = None if is_leaf else data.region(context.me)
        if region is not None and not context.view.ring.covers(region, context.me):
            reason = "a region that does not contain its receiver"
            context.outbox.notify(BadFrame(sender, reason))
            return
        sight = self._seen.see(data.id, now_us)
        if sight is TOO_LATE:
            context.outbox.notify(Expired(data.id))
            return
        if sight is FIRST:
            context.on_message(data, now_us)
        if region is not None:
            self._carry(sender, data, region, now_us)
        elif data.is_reliable:
            context.outbox.send(sender, Ack(data.id, data.tree, data.attempt, True, 1))

    def on_frame(self, sender: Address, frame: Frame, now_us: int) -> None:
        """An ack, or a question about one."""
        match frame:
            case Ack():
                self._custodies.on_ack(sender, frame, now_us)
            case AckQuery():
                self._custodies.on_query(sender, frame)
            case _:
                self.context.outbox.notify(BadFrame(sender, "a frame of another algorithm"))

    def on_timer(self, key: TimerKey, now_us: int) -> None:
        """A child may be silent, or a receipt is due."""
        match key:
            case HopTimer():
                self._custodies.on_hop_timer(key, now_us)
            case ReceiptTimer():
                self._receipts.on_receipt_timer(key.id, now_us)

    def on_unsent(self, peer: Address, data: Data, now_us: int) -> None:
        """Act in the place of a child that could not be reached."""
        if data.is_reliable and self._custodies.on_unsent(peer, data, now_us):
            return
        if not data.is_leaf:
            self._forwarder.forward(data, data.region(peer), peer, data.hop)

    def on_departed(self, member: Member, now_us: int) -> None:
        """Whoever waited for this member waits no more."""
        self._receipts.on_departed(member, now_us)

    def forget_origin(self, origin: Address) -> None:
        """Forget how far an origin had come that nobody remembers."""
        self._seen.forget_origin(origin)

    def forget_old(self, now_us: int) -> None:
        """Forget messages of another age."""
        self._seen.forget_old(now_us)
        self._custodies.forget_old(now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"seen": len(self._seen), **self._receipts.sizes()}

    def _carry(self, sender: Address, data: Data, region: Region, now_us: int) -> None:
        """Take on an assignment, unless it has been taken on before."""
        sighting = self._seen.get(data.id)
        assert sighting is not None, "seen above"
        key = HopTimer(data.id, data.tree, data.attempt, data.left, data.right)
        if key in sighting.carried:
            if data.is_reliable:
                self._custodies.on_repeat(sender, key)
            return
        sighting.carried += (key,)
        me = self.context.me
        assignments = self._forwarder.forward(data, region, me, data.hop + 1)
        if data.is_reliable:
            self._custodies.open(key, data, sender, assignments, now_us)
