"""What goes on the wire: one frozen value for each kind of frame.

A frame does not name its sender: the connection or the datagram does. `codec` turns frames into
bytes and back; docs/PROTOCOL.md tells when each is sent.
"""

from __future__ import annotations

import msgspec

from snowcast.core.address import Address
from snowcast.core.member import Member
from snowcast.core.region import Region
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree


class MessageId(msgspec.Struct, frozen=True, gc=False):
    """Who started a broadcast, in which of its lives, and its number in that life."""

    origin: Address
    life: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.origin}/{self.life}/{self.sequence}"


class Hello(msgspec.Struct, frozen=True, gc=False):
    """The first frame on a stream: who I am and what all agents of a cluster must agree on."""

    cluster: str
    fanout: int
    ring_order: RingOrder
    address: Address
    life: int


class Data(msgspec.Struct, frozen=True, gc=False):
    """A message on its way down a tree, with the region its receiver must cover.

    A boundary that is the receiver itself is None; a leaf has neither.
    """

    id: MessageId
    tree: Tree
    left: Address | None
    right: Address | None
    payload: bytes
    hop: int = 1  # how many sends from the origin, this one included
    attempt: int = 0  # how many times the origin has started it again
    is_reliable: bool = False  # acks wanted
    is_system: bool = False  # the payload is an announcement for the membership
    is_control: bool = False  # the payload is for whoever runs the nodes, not the application

    @property
    def is_leaf(self) -> bool:
        """Whether the receiver has nobody to forward to."""
        return self.left is None and self.right is None

    def region(self, receiver: Address) -> Region:
        """What `receiver` must cover, itself included."""
        return Region(self.left or receiver, self.right or receiver)


class Ack(msgspec.Struct, frozen=True, gc=False):
    """A child's account of its part: `received` at once, `complete` when its region has it.

    A complete ack counts who has the message and names, up to a bound, who does not. `left` and
    `right` are those of the data it answers: a node may have two parts of one tree from one parent.
    """

    id: MessageId
    tree: Tree
    attempt: int
    is_complete: bool
    delivered: int = 0
    missing: tuple[Address, ...] = ()
    unnamed: int = 0  # how many more are missing than `missing` has room for
    left: Address | None = None
    right: Address | None = None


class AckQuery(msgspec.Struct, frozen=True, gc=False):
    """A parent asks a child that has received a message whether it is still at this part of it."""

    id: MessageId
    tree: Tree
    attempt: int
    left: Address | None = None
    right: Address | None = None


class Ping(msgspec.Struct, frozen=True, gc=False):
    """Are you there? `accused` is the incarnation under suspicion, 0 if none: refute it."""

    sequence: int
    accused: int = 0


class Pong(msgspec.Struct, frozen=True, gc=False):
    """I am; my clock and the digest of my view as I answered."""

    sequence: int
    at_us: int
    digest: int


class PingRequest(msgspec.Struct, frozen=True, gc=False):
    """Please ping `target` for me and pass its pong on, or send a nack."""

    sequence: int
    target: Address
    accused: int = 0


class Nack(msgspec.Struct, frozen=True, gc=False):
    """I am here but the target of your ping request did not answer me in time."""

    sequence: int


class JoinRequest(msgspec.Struct, frozen=True, gc=False):
    """Let me in: send me your view, then announce me."""

    member: Member


class ViewPart(msgspec.Struct, frozen=True, gc=False):
    """A part of a full view, for a joiner; `is_last` ends it."""

    members: tuple[Member, ...]
    is_last: bool


class JoinReady(msgspec.Struct, frozen=True, gc=False):
    """I hold your view and can forward: announce me now."""

    incarnation: int


class Records(msgspec.Struct, frozen=True, gc=False):
    """Newer knowledge about members, told to one node directly."""

    members: tuple[Member, ...]


class SyncDigest(msgspec.Struct, frozen=True, gc=False):
    """Anti-entropy begins: the digest of my view. Equal digests end it."""

    digest: int


class SyncBuckets(msgspec.Struct, frozen=True, gc=False):
    """Digests one level down, below the bucket `prefix` of `level`; level 0 is the whole view."""

    level: int
    prefix: int
    digests: tuple[int, ...]


class SyncRecords(msgspec.Struct, frozen=True, gc=False):
    """What I know of the members in these leaf buckets; `wants_reply` asks for yours."""

    buckets: tuple[int, ...]
    members: tuple[Member, ...]
    wants_reply: bool


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A message that can be had: `hop` is what a copy from here would carry."""

    id: MessageId
    hop: int


class IHave(msgspec.Struct, frozen=True, gc=False):
    """Plumtree: I have these messages; ask me for what does not reach you otherwise."""

    offers: tuple[Offer, ...]


class Graft(msgspec.Struct, frozen=True, gc=False):
    """Plumtree: push messages to me from now on, beginning with these."""

    wanted: tuple[MessageId, ...]


class Prune(msgspec.Struct, frozen=True, gc=False):
    """Plumtree: your copy was not my first; offer messages to me instead of pushing them.

    Those of these origins, where each has a tree of its own; all of them if none is named.
    """

    origins: tuple[Address, ...] = ()


class Answer(msgspec.Struct, frozen=True, gc=False):
    """To the origin of a control message, from one of those who have it: what they say to it."""

    id: MessageId
    text: str


Frame = (
    Hello
    | Data
    | Ack
    | AckQuery
    | Ping
    | Pong
    | PingRequest
    | Nack
    | JoinRequest
    | ViewPart
    | JoinReady
    | Records
    | SyncDigest
    | SyncBuckets
    | SyncRecords
    | IHave
    | Graft
    | Prune
    | Answer
)
