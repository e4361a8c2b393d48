"""What an operator may choose, each with its meaning, its default and where that comes from.

All agents of a cluster must agree on `cluster`, `fanout` and `ring_order`; the handshake refuses a
mismatch. The rest may differ from node to node, though nobody gains by it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

import msgspec

from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode, check_fanout

MS = 1_000
SECOND = 1_000_000
HOUR = 3600 * SECOND
MAY_BE_ZERO = ("confirmations", "indirect_probes", "missing_names_max")


class Recovery(StrEnum):
    """What a reliable message does about silent children."""

    REPAIR = "repair"  # the parent adopts the child's region after a hop timeout
    REBROADCAST = "rebroadcast"  # the origin starts the message again (the paper's way)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one node. `Config()` suits a cluster inside one data centre."""

    cluster: str = "snowcast"
    """The name that keeps two clusters apart, whatever addresses they reuse."""
    fanout: int = 4
    """k: how many children a node sends to. More is flatter and loads each sender more."""
    ring_order: RingOrder = RingOrder.ADDRESS
    """`hashed` spreads neighbours in address (a rack, a host) over the ring."""

    recovery: Recovery = Recovery.REPAIR
    hop_timeout_us: int = 1 * SECOND
    """How long a child may be silent. Children ack at once, before any work, so this covers a
    round trip and a pause of the process, not the subtree."""
    reliable_deadline_us: int = 30 * SECOND
    """When a receipt is given with whoever is still missing."""
    rebroadcast_timeout_us: int = 10 * SECOND
    """With `rebroadcast`: when the origin starts again. Long enough to evict the dead."""
    missing_names_max: int = 256
    """How many of the missing an ack names; the rest are counted."""
    seen_max: int = 65_536
    """How many messages are remembered as delivered."""
    seen_age_us: int = 120 * SECOND
    """How long they are. A copy that comes later is dropped and noticed, never delivered again."""

    probe_interval_us: int = 1 * SECOND
    probe_timeout_us: int = 500 * MS
    indirect_probes: int = 3
    neighbour_probe_every: int = 3
    """One probe in so many goes to the right neighbour on the ring, which bounds the time to the
    first probe of a dead node; the others go round in a shuffled order (SWIM)."""
    lifeguard: bool = True
    """Local health, suspicions that shrink with confirmations, and telling the suspect first."""
    health_max: int = 8
    suspicion_min_us: int = 5 * SECOND
    suspicion_max_factor: int = 6
    confirmations: int = 2
    """How many independent confirmations bring a suspicion down to its minimum."""

    anti_entropy_us: int = 15 * SECOND
    heal_us: int = 30 * SECOND
    """How often a seed or an evicted member is tried, in case a partition has healed."""
    tombstone_us: int = 24 * HOUR
    """How long a member that left or was evicted is remembered."""
    announce_batch_us: int = 50 * MS
    """How long announcements gather before they are sent as one message."""
    join_batch_us: int = 200 * MS
    """How long a contact gathers joiners, once one has been let in."""
    join_timeout_us: int = 5 * SECOND
    """How long a joiner waits for its contact before it tries another."""

    def __post_init__(self) -> None:
        check_fanout(self.fanout)
        for name in self.__struct_fields__:
            value = getattr(self, name)
            least = 0 if name in MAY_BE_ZERO else 1
            if type(value) is int and value < least:
                raise UsageError(f"{name} must be at least {least}, not {value}")
        if self.probe_timeout_us >= self.probe_interval_us:
            raise UsageError("probe_timeout_us must be less than probe_interval_us")

    @property
    def linger_us(self) -> int:
        """How long a leaver goes on forwarding after it has announced its leave."""
        return max(2 * self.anti_entropy_us, self.reliable_deadline_us)

    @property
    def announcement_mode(self) -> Mode:
        """How membership travels: along both trees, so that one unseen death loses nothing."""
        return Mode.COLORING

    @classmethod
    def paper(cls) -> Self:
        """The paper's own choices where it differs: rebroadcast instead of repair."""
        return cls(recovery=Recovery.REBROADCAST)
