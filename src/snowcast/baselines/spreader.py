"""What all baselines have in common: deliver a first copy, and spread it.

They differ in whom they spread it to. None of them acknowledges anything, so a message sent as
reliable is sent like any other and there is no receipt; `registry` tells which protocols can.

Rules of the baselines:
- Only `core.seen` decides whether a message is new, so all protocols forget alike.
- Whatever order things are sent in follows from the view and the node's own randomness, never
  from the order of a set of addresses, which differs from one process to the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from snowcast.core.address import Address
from snowcast.core.context import Broadcaster, Context
from snowcast.core.effects import BadFrame, Expired
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.seen import Seen, Sight
from snowcast.core.trees import Mode, Tree


class Spreader(Broadcaster):
    """A broadcaster that passes each message on once, when it first has it."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.seen = Seen(context.config)

    @abstractmethod
    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Pass a message on that this node has from `sender`, or has started itself."""

    def on_duplicate(self, sender: Address, data: Data, now_us: int) -> None:
        """A copy has come of a message that this node had already."""

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
        """Begin a broadcast. There is one way to travel, and no acks."""
        self.seen.see(id, now_us)
        kind = False, system, control
        data = Data(id, Tree.STANDARD, None, None, payload, 0, 0, *kind)
        self.spread(data, None, now_us)

    def on_data(self, sender: Address, data: Data, now_us: int) -> None:
        """Deliver a first copy and spread it; what a membership message says is known by then."""
        match self.seen.see(data.id, now_us):
            case Sight.FIRST:
                self.context.on_message(data, now_us)
                self.spread(data, sender, now_us)
            case Sight.AGAIN:
                self.on_duplicate(sender, data, now_us)
            case Sight.TOO_LATE:
                self.context.outbox.notify(Expired(data.id))

    def on_frame(self, sender: Address, frame: Frame, now_us: int) -> None:
        """Data is all there is, unless an algorithm has more."""
        self.context.outbox.notify(BadFrame(sender, "a frame of another algorithm"))

    def forget_origin(self, origin: Address) -> None:
        """Forget how far an origin had come that nobody remembers."""
        self.seen.forget_origin(origin)

    def forget_old(self, now_us: int) -> None:
        """Forget messages of another age."""
        self.seen.forget_old(now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"seen": len(self.seen)}

    def push(self, data: Data, targets: Iterable[Address], but: Address | None = None) -> None:
        """Send `data`, one hop further, to all of `targets` but one."""
        copy = onward(data)
        for target in targets:
            if target != but:
                self.context.outbox.send(target, copy)


def onward(data: Data) -> Data:
    """The copy that is sent on: one hop further, and with no region to cover."""
    kind = False, data.is_system, data.is_control
    return Data(data.id, Tree.STANDARD, None, None, data.payload, data.hop + 1, 0, *kind)
