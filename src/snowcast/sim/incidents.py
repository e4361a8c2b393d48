"""`[[event]]` in a scenario file: one thing that happens to nodes or to the network at a time.

`do` says what; each kind has its own keys. Whom it happens to is a `count`, a `share` or a list of
`nodes` by number; a count and a share are drawn from the seed among those that are there.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from snowcast.core.errors import UsageError
from snowcast.sim.rules import Direction
from snowcast.sim.sections import Count, Duration, Positive, Rate, Share


class Incident(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"
):
    """Something that happens at a time; with `over_s`, to each node at a random time from then."""

    at_s: Duration
    over_s: Duration = 0.0


class Join(Incident, frozen=True, kw_only=True, tag="join"):
    """New nodes come in, through the first node or through one drawn for each."""

    count: Positive = 1
    contact: Literal["first", "random"] = "random"


class Chosen(Incident, frozen=True, kw_only=True):
    """What happens to some of the nodes."""

    count: Positive | None = None
    share: Share | None = None
    nodes: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        given = [self.count is not None, self.share is not None, bool(self.nodes)]
        if sum(given) != 1:
            raise UsageError("say whom it happens to by one of count, share, nodes")


class Leave(Chosen, frozen=True, kw_only=True, tag="leave"):
    """They leave gracefully."""


class Crash(Chosen, frozen=True, kw_only=True, tag="crash"):
    """They fall silent: nothing comes in, nothing goes out, no connection is refused."""


class Kill(Chosen, frozen=True, kw_only=True, tag="kill"):
    """Their process dies; the machine refuses connections."""


class Restart(Chosen, frozen=True, kw_only=True, tag="restart"):
    """Of those that crashed or were killed, these start again at their old address."""


class Pause(Chosen, frozen=True, kw_only=True, tag="pause"):
    """They do nothing for a while, and then all that came in the meantime."""

    for_s: Rate


class Stall(Chosen, frozen=True, kw_only=True, tag="stall"):
    """What they send or should hear waits for a while; they run on, and their timers fire."""

    for_s: Rate


class Partition(Chosen, frozen=True, kw_only=True, tag="partition"):
    """They are cut off from the rest, not from each other."""

    for_s: Rate


class FlipFlop(Chosen, frozen=True, kw_only=True, tag="flipflop"):
    """They lose what comes in, or goes out, in the first half of every period."""

    period_s: Rate
    direction: Direction = Direction.INBOUND
    for_s: Rate | None = None


class Lossy(Chosen, frozen=True, kw_only=True, tag="lossy"):
    """A share of their packets is lost; streams become slow, and break when too slow."""

    rate: Share
    direction: Direction = Direction.BOTH
    for_s: Rate | None = None


Disturbance = Stall | Partition | FlipFlop | Lossy
AnyIncident = Join | Leave | Crash | Kill | Restart | Pause | Disturbance
