"""What the runtime counts, as plain numbers that only grow. `Cluster.stats()` shows them.

The core counts nothing; whoever sees a thing happen here counts it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields


@dataclass(slots=True)
class Counters:
    """One node's counts since it started."""

    frames_sent: int = 0
    bytes_sent: int = 0
    frames_received: int = 0
    bytes_received: int = 0
    datagrams_sent: int = 0
    datagram_bytes_sent: int = 0
    datagrams_received: int = 0
    datagram_bytes_received: int = 0
    datagrams_unsent: int = 0

    links_opened: int = 0
    links_failed: int = 0
    """Outgoing connections that could not be made, or broke."""
    links_stalled: int = 0
    links_closed: int = 0
    """Outgoing connections closed because they were idle, or too many."""
    inbound_accepted: int = 0
    inbound_closed: int = 0
    queue_full: int = 0
    """Frames that found the queue of their peer full."""
    frames_returned: int = 0
    """Frames handed back to the protocol because their peer was unreachable."""

    messages_sent: int = 0
    messages_delivered: int = 0
    messages_expired: int = 0
    messages_lagged: int = 0
    """Messages and events that slow readers missed."""
    frames_bad: int = 0
    receipts_complete: int = 0
    receipts_incomplete: int = 0
    traces_broken: int = 0
    """Traces that ended because they could not be written."""
    members_joined: int = 0
    members_left: int = 0
    members_evicted: int = 0
    members_suspected: int = 0
    members_refuted: int = 0

    refused: Counter[str] = field(default_factory=Counter)
    """Connections and datagrams refused, by the reason."""

    def as_dict(self) -> dict[str, int]:
        """All of them, flat: `refused_cluster` counts the refusals for a wrong cluster name."""
        counts = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "refused"}
        return counts | {f"refused_{reason}": count for reason, count in self.refused.items()}
