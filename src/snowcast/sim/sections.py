"""The tables of a scenario file, each a type with its defaults: the only place they stand in.

The defaults are the paper's setting where the paper has one. Times are in the unit that ends the
name, so that a file reads without a manual.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from snowcast.core.config import MS, SECOND, Config, Recovery
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.sim.processing import Placement

NODES_MAX = 1_000_000
PAYLOAD_BYTES_MAX = 16 << 20
NUMBER_MAX = 1e9  # of seconds that is 30 years; TOML also has `inf`
DRIFT_PPM_MAX = 100_000  # a tenth: no clock runs backwards, or stands still

Share = Annotated[float, Meta(ge=0, le=1)]
Positive = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Duration = Annotated[float, Meta(ge=0, le=NUMBER_MAX)]
Rate = Annotated[float, Meta(gt=0, le=NUMBER_MAX)]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all tables have in common: an unknown key is an error."""


class ClusterSection(Section, frozen=True, kw_only=True):
    """`[cluster]`: who is there at the start, and how the nodes are set up."""

    nodes: Annotated[int, Meta(ge=1, le=NODES_MAX)] = 500
    fanout: int = 4
    ring_order: RingOrder = RingOrder.ADDRESS
    recovery: Recovery = Recovery.REPAIR
    lifeguard: bool = True
    ipv6: bool = False
    config: dict[str, int | str | bool] = msgspec.field(default_factory=dict)
    """Any other setting of `core.config.Config`, under its own name and in its own unit."""

    def __post_init__(self) -> None:
        fields = Config.__struct_fields__
        for key in self.config:
            if key not in fields or key in self.__struct_fields__:
                free = [name for name in fields if name not in self.__struct_fields__]
                raise UsageError(f"config: no setting {key!r}; allowed: {', '.join(free)}")
        try:
            self.settings()
        except msgspec.ValidationError as error:
            what, _, key = str(error).partition(" - at `$.")
            raise UsageError(f"config.{key[:-1]}: {what}" if key else what) from None

    def settings(self) -> Config:
        """What each node is given."""
        own = {
            "fanout": self.fanout,
            "ring_order": self.ring_order,
            "recovery": self.recovery,
            "lifeguard": self.lifeguard,
        }
        return msgspec.convert({**self.config, **own}, Config)


class NetworkSection(Section, frozen=True, kw_only=True):
    """`[network]`: how long frames take and what happens to all of them alike."""

    latency: Literal["datacentre", "fixed", "uniform", "measured"] = "datacentre"
    latency_ms: tuple[Duration, Duration] = (1.0, 1.0)
    """The least and the most with `uniform`; the first alone with `fixed`."""
    latency_quantiles: tuple[tuple[Share, Duration], ...] = ()
    """With `measured`: pairs of a share of all frames and the ms that these take at most, from
    share 0 to share 1. `pipeline calibrate` writes them."""
    loss: Share = 0.0
    """Of datagrams; streams lose nothing, they only become slower."""
    bandwidth_bytes_per_s: Count = 0
    """What each node can send; 0 is without limit."""
    queue_bytes: Positive = 1 << 20
    """What may wait to be sent before datagrams are lost; only with a limit."""
    clock_skew_ms: Duration = 0.0
    clock_drift_ppm: Annotated[int, Meta(ge=0, le=DRIFT_PPM_MAX)] = 0

    def __post_init__(self) -> None:
        low, high = self.latency_ms
        if not 0 <= low <= high:
            raise UsageError(f"latency_ms must be [least, most], not {list(self.latency_ms)}")
        if self.latency == "measured" or self.latency_quantiles:
            self._check_quantiles()

    def _check_quantiles(self) -> None:
        shares = [share for share, _ in self.latency_quantiles]
        times = [ms for _, ms in self.latency_quantiles]
        if len(shares) < 2 or (shares[0], shares[-1]) != (0, 1):
            raise UsageError('latency_quantiles: "measured" needs pairs from share 0 to share 1')
        if any(a >= b for a, b in pairwise(shares)):
            raise UsageError("latency_quantiles: each share must be above the one before it")
        if times[0] < 0 or any(a > b for a, b in pairwise(times)):
            raise UsageError("latency_quantiles: times must be 0 or more, and never fall")


class ProcessingSection(Section, frozen=True, kw_only=True):
    """`[processing]`: how long a node works on a message before it forwards it."""

    delay_ms: tuple[Duration, Duration] = (0.0, 0.0)
    stragglers: Placement = Placement.NONE
    straggler_ms: Duration = 1_000.0
    straggler_every: Count = 20
    """One node in so many is a straggler: 20 is the paper's 5 %; with 0 none is."""
    announcements: bool = False
    """Whether membership announcements are worked on as long as messages are."""

    def __post_init__(self) -> None:
        low, high = self.delay_ms
        if not 0 <= low <= high:
            raise UsageError(f"delay_ms must be [least, most], not {list(self.delay_ms)}")

    @property
    def is_on(self) -> bool:
        """Whether anything is delayed at all."""
        return self.delay_ms[1] > 0 or self.stragglers is not Placement.NONE


class WorkloadSection(Section, frozen=True, kw_only=True):
    """`[workload]`: the messages. Nothing is sent unless `messages` is given."""

    messages: Count = 0
    interval_ms: Rate = 1_000.0
    start_s: Duration = 1.0
    payload_bytes: Annotated[int, Meta(ge=0, le=PAYLOAD_BYTES_MAX)] = 100
    mode: Literal["protocol", "standard", "coloring", "random"] = "protocol"
    """`protocol` leaves it to the protocol; `random` draws one for each message."""
    reliable: bool | Literal["random"] = False
    origin: Count | Literal["first", "random"] = "first"
    """A node's number, or a random one among those that have been in for `settle_s`."""
    settle_s: Duration = 5.0
    """How long a node has been in before it may be drawn as an origin, or to go."""

    def modes(self, protocol_mode: Mode) -> list[Mode]:
        """The modes to draw from."""
        if self.mode == "random":
            return list(Mode)
        return [protocol_mode if self.mode == "protocol" else Mode(self.mode)]

    def at_us(self, number: int) -> int:
        """When message `number` is sent; the first is number 0."""
        return round(self.start_s * SECOND) + round(number * self.interval_ms * MS)


class ChurnSection(Section, frozen=True, kw_only=True):
    """`[churn]`: nodes join and leave gracefully.

    Either around messages, as in the paper: before every `every_messages`-th message a node begins
    to join, and leaves as many messages later. Or at random: both at a rate.
    """

    every_messages: Count = 0
    joins_per_s: Duration = 0.0
    leaves_per_s: Duration = 0.0
    start_s: Duration = 1.0
    until_s: Duration = 0.0
    """When the random churn ends."""
    stable_share: Share = 0.5
    """Of the nodes there at the start, how many never leave."""
    nodes_min: Positive = 2
    nodes_max: Positive = NODES_MAX

    def __post_init__(self) -> None:
        at_random = self.joins_per_s > 0 or self.leaves_per_s > 0
        if at_random and self.every_messages:
            raise UsageError("every_messages: not together with joins_per_s or leaves_per_s")
        if at_random and self.until_s <= self.start_s:
            raise UsageError(f"until_s must be after start_s, {self.start_s:g}")
        if self.nodes_min > self.nodes_max:
            raise UsageError(f"nodes_min must be at most nodes_max, {self.nodes_max}")


class BreakdownSection(Section, frozen=True, kw_only=True):
    """`[breakdown]`: before every `every_messages`-th message a random node falls silent."""

    every_messages: Count = 0


class PausesSection(Section, frozen=True, kw_only=True):
    """`[pauses]`: a share of the nodes stop for a while, again and again, each at random times."""

    share: Share = 0.0
    what: Literal["process", "traffic"] = "process"
    """Whether nodes stand still altogether, or run on while all they send and hear has to wait."""
    for_s: Rate = 4.0
    gap_s: tuple[Duration, Duration] = (1.0, 30.0)
    """How long a node runs between two pauses: from and to."""
    start_s: Duration = 1.0
    until_s: Duration = 0.0

    def __post_init__(self) -> None:
        low, high = self.gap_s
        if not 0 <= low <= high:
            raise UsageError(f"gap_s must be [least, most], not {list(self.gap_s)}")
        if self.share and self.until_s <= self.start_s:
            raise UsageError(f"until_s must be after start_s, {self.start_s:g}")
