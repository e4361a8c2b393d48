"""Faults of the network, each a rule that gives a verdict on a flight.

Streams are TCP: a segment lost is sent again after a timeout that doubles, and what comes behind
it on the same stream waits. So for streams a rule that loses frames turns, by default, into a
delay; the sender is told only when TCP gives up. `Streams.DROP` loses them silently instead.

Rules of this file:
- A rule belongs to one cluster: it keeps state and draws from a stream that the cluster names.
- Times are true time, not what the nodes' clocks show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from random import Random

from snowcast.core.address import Address
from snowcast.core.config import MS, SECOND
from snowcast.core.errors import UsageError
from snowcast.sim.latency import Latency
from snowcast.sim.scope import Scope, across, one_way, scope_of
from snowcast.sim.verdicts import (
    DROP,
    PASS,
    Deliver,
    Flight,
    Later,
    Refuse,
    Rule,
    Seeded,
    Verdict,
)

__all__ = [
    "DROP",
    "PASS",
    "Bandwidth",
    "Deliver",
    "Direction",
    "Flight",
    "FlipFlop",
    "Latency",
    "Later",
    "Loss",
    "OneWayLoss",
    "Partition",
    "Refuse",
    "Rule",
    "Seeded",
    "Stall",
    "Streams",
    "Verdict",
]

RETRY_US = 200 * MS  # Linux: the least retransmission timeout
RETRIES_MAX = 5  # then the sender is told, 12.6 s after the first try


class Streams(StrEnum):
    """What a lost segment means to a stream."""

    RETRY = "retry"  # a delay, and the sender is told when it does not end
    DROP = "drop"  # a frame lost in silence


class Direction(StrEnum):
    """Which flights of a node are meant."""

    INBOUND = "inbound"
    OUTBOUND = "outbound"
    BOTH = "both"


class _Lossy:
    """What rules that lose flights have in common."""

    def __init__(self, concerns: Scope, streams: Streams | str, datagrams_only: bool) -> None:
        self._concerns = concerns
        self._streams = Streams(streams)
        self._datagrams_only = datagrams_only

    def __call__(self, flight: Flight, /) -> Verdict:
        if not flight.is_datagram and self._datagrams_only:
            return PASS
        if not self._concerns(flight) or not self._is_lost(flight.sent_us):
            return PASS
        if flight.is_datagram or self._streams is Streams.DROP:
            return DROP
        return _retry(flight.sent_us, self._is_lost)

    def _is_lost(self, at_us: int) -> bool:
        """Whether a segment that leaves at `at_us` is lost."""
        raise NotImplementedError


class Loss(_Lossy):
    """Each flight is lost with the chance `rate`: of all, from or to `nodes`, or `between` two."""

    def __init__(
        self,
        rate: float,
        *,
        nodes: Collection[Address] | None = None,
        between: tuple[Collection[Address], Collection[Address]] | None = None,
        datagrams_only: bool = False,
        streams: Streams | str = Streams.RETRY,
    ) -> None:
        super().__init__(scope_of(nodes, between), streams, datagrams_only)
        self._rate = _share("rate", rate)
        self._random = Random(0)

    def seed(self, random: Random) -> None:
        """Draw from `random` from now on."""
        self._random = random

    def _is_lost(self, at_us: int) -> bool:
        return self._random.random() < self._rate


class OneWayLoss(Loss):
    """Flights from `senders` to `receivers` are lost with the chance `rate`, not those back.

    None stands for all nodes. Of a stream only the data is lost, never TCP's own acks.
    """

    def __init__(
        self,
        senders: Collection[Address] | None,
        receivers: Collection[Address] | None,
        rate: float = 1.0,
        *,
        datagrams_only: bool = False,
        streams: Streams | str = Streams.RETRY,
    ) -> None:
        super().__init__(rate, datagrams_only=datagrams_only, streams=streams)
        self._concerns = one_way(senders, receivers)


class Partition(_Lossy):
    """Between `groups` nothing passes from `from_us` until `until_us`.

    Nodes in none of the groups make a group of their own, so one group is cut off from the rest.
    """

    def __init__(
        self,
        groups: Collection[Collection[Address]],
        from_us: int = 0,
        until_us: int | None = None,
        *,
        streams: Streams | str = Streams.RETRY,
    ) -> None:
        super().__init__(across(groups), streams, datagrams_only=False)
        self._from_us = from_us
        self._until_us = until_us

    def heal(self, now_us: int) -> None:
        """End it, for flights that leave from `now_us` on."""
        self._until_us = now_us

    def _is_lost(self, at_us: int) -> bool:
        return self._from_us <= at_us and (self._until_us is None or at_us < self._until_us)


class FlipFlop(_Lossy):
    """`nodes` lose their flights of one direction during the first `on_us` of each period."""

    def __init__(
        self,
        nodes: Collection[Address],
        period_us: int,
        direction: Direction | str = Direction.INBOUND,
        on_us: int | None = None,
        *,
        from_us: int = 0,
        until_us: int | None = None,
        streams: Streams | str = Streams.RETRY,
    ) -> None:
        directions = {
            Direction.INBOUND: (None, nodes),
            Direction.OUTBOUND: (nodes, None),
        }
        direction = Direction(direction)
        both = direction is Direction.BOTH
        scope = scope_of(nodes, None) if both else one_way(*directions[direction])
        super().__init__(scope, streams, datagrams_only=False)
        self._period_us = period_us
        self._on_us = period_us // 2 if on_us is None else on_us
        if not 0 < self._on_us <= period_us:
            raise UsageError(f"on_us must be within the period, not {self._on_us}")
        self._from_us = from_us
        self._until_us = until_us

    def _is_lost(self, at_us: int) -> bool:
        if at_us < self._from_us or (self._until_us is not None and at_us >= self._until_us):
            return False
        return (at_us - self._from_us) % self._period_us < self._on_us


class Stall:
    """What `nodes` send, and what is sent to them, from `from_us` on arrives after `until_us`.

    Nothing is lost. The nodes themselves go on, so their timers fire while answers wait.
    """

    def __init__(self, nodes: Collection[Address], from_us: int, until_us: int) -> None:
        self._concerns = scope_of(nodes, None)
        self._from_us = from_us
        self._until_us = until_us

    def __call__(self, flight: Flight, /) -> Verdict:
        if not self._from_us <= flight.sent_us < self._until_us or not self._concerns(flight):
            return PASS
        return Later(self._until_us - flight.sent_us)


class Bandwidth:
    """Each sender puts its frames on the wire one after the other, so many bytes a second.

    Of `nodes` only, if given. A datagram that finds more than `queue_bytes_max` waiting is lost;
    a stream waits.
    """

    def __init__(
        self,
        bytes_per_s: int,
        *,
        nodes: Collection[Address] | None = None,
        queue_bytes_max: int | None = None,
    ) -> None:
        if bytes_per_s <= 0:
            raise UsageError(f"bytes_per_s must be positive, not {bytes_per_s}")
        self._bytes_per_s = bytes_per_s
        self._nodes = None if nodes is None else frozenset(nodes)
        self._wait_us_max = None
        if queue_bytes_max is not None:
            self._wait_us_max = queue_bytes_max * SECOND // bytes_per_s
        self._free_us: dict[Address, int] = {}

    def __call__(self, flight: Flight, /) -> Verdict:
        sender = flight.sender
        if self._nodes is not None and sender not in self._nodes:
            return PASS
        start_us = max(flight.sent_us, self._free_us.get(sender, 0))
        wait_us = start_us - flight.sent_us
        if flight.is_datagram and self._wait_us_max is not None and wait_us > self._wait_us_max:
            return DROP
        end_us = start_us - (-flight.frame_bytes * SECOND // self._bytes_per_s)
        self._free_us[sender] = end_us
        return Later(end_us - flight.sent_us)


def _retry(sent_us: int, is_lost: Callable[[int], bool]) -> Verdict:
    """TCP sends again after a timeout that doubles, until it gets through or gives up."""
    waited_us, timeout_us = 0, RETRY_US
    for _ in range(RETRIES_MAX):
        waited_us += timeout_us
        timeout_us *= 2
        if not is_lost(sent_us + waited_us):
            return Later(waited_us)
    return Refuse(waited_us + timeout_us)


def _share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise UsageError(f"{name} must be from 0 to 1, not {value}")
    return value
