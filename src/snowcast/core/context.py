"""What the parts of one node share, and the interface by which a broadcast algorithm plugs in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.effects import Outbox
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.member import Member
from snowcast.core.timers import TimerKey
from snowcast.core.trees import Mode
from snowcast.core.view import View


class Context:
    """The node's identity, settings, randomness, view and outbox, for all its parts."""

    __slots__ = ("config", "me", "on_message", "on_silent", "outbox", "rng", "view")

    def __init__(self, me: Address, config: Config, rng: Random) -> None:
        self.me = me
        self.config = config
        self.rng = rng
        self.view = View(config.ring_order)
        self.outbox = Outbox()
        self.on_message: Callable[[Data, int], None] = lambda data, now_us: None
        """Called by a broadcaster with each message's first copy, before it is forwarded."""
        self.on_silent: Callable[[Address, int], None] = lambda peer, now_us: None
        """Called by a broadcaster with a member that should have answered and has not."""


class Broadcaster(ABC):
    """How messages spread. The same node runs on Snow or on a baseline, chosen by name."""

    __slots__ = ("context",)

    def __init__(self, context: Context) -> None:
        self.context = context

    @abstractmethod
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
        """Begin a broadcast from this node."""

    @abstractmethod
    def on_data(self, sender: Address, data: Data, now_us: int) -> None:
        """A copy of a message has come: deliver it if it is the first, and pass it on."""

    def on_frame(self, sender: Address, frame: Frame, now_us: int) -> None:
        """A frame of this algorithm's own has come."""

    def on_timer(self, key: TimerKey, now_us: int) -> None:
        """A timer of this algorithm's own has fired."""

    def on_unsent(self, peer: Address, data: Data, now_us: int) -> None:
        """The data could not be sent to the peer."""

    def on_arrived(self, member: Member, now_us: int) -> None:
        """A member has come onto the ring."""

    def on_departed(self, member: Member, now_us: int) -> None:
        """A member has gone from the ring: it left or was evicted, as its state tells."""

    def forget_origin(self, origin: Address) -> None:
        """Let go of what is remembered of an origin that the view has forgotten."""

    def forget_old(self, now_us: int) -> None:
        """Let go of what is too old to matter; called from time to time."""

    def sizes(self) -> dict[str, int]:
        """How much is remembered of what, for those who look for leaks."""
        return {}


MakeBroadcaster = Callable[[Context], Broadcaster]
