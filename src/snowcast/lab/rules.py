"""What the network between the nodes of a lab does to a packet: loses it, or delays it, or not.

Rules of this file:
- No clock, no socket: a judge is told the time. The same seed and the same packets at the same
  times have the same fates.
- Packets from one node to another never overtake each other, whatever the jitter: a path keeps
  their order, and TCP takes disorder for loss.
"""

from __future__ import annotations

from random import Random

import msgspec

from snowcast.core.errors import UsageError

SECOND_US = 1_000_000


class Path(msgspec.Struct, frozen=True):
    """How long packets take from one node to another, where that is not what all others take."""

    sender: int
    receiver: int
    delay_us: int


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What holds now. `Rules()` is a perfect network. Nodes are numbers."""

    delay_us: int = 0
    """One way. Kept to about a millisecond."""
    jitter_us: int = 0
    """Added to the delay, uniformly between none and this."""
    paths: tuple[Path, ...] = ()
    """Delays of their own for some pairs; jitter is added to these too."""
    loss: float = 0.0
    """The share of packets that is lost, at random."""
    rate_bytes: int = 0
    """How many bytes a second each node can send; 0: as many as the machine can carry."""
    queue_bytes_max: int = 1 << 20
    """With a rate: what may wait to be sent; more is lost."""
    groups: tuple[tuple[int, ...], ...] = ()
    """A partition: packets between groups are lost. Who is in no group is in one with the rest."""
    silent: tuple[int, ...] = ()
    """Nodes that nothing comes from or goes to."""
    one_way: tuple[tuple[int, int], ...] = ()
    """Pairs (sender, receiver): packets this way are lost, those back are not."""

    def __post_init__(self) -> None:
        if not 0 <= self.loss <= 1:
            raise UsageError(f"loss is a share from 0 to 1, not {self.loss}")
        for name in ("delay_us", "jitter_us", "rate_bytes", "queue_bytes_max"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must not be negative, not {getattr(self, name)}")
        members = [node for group in self.groups for node in group]
        if len(set(members)) < len(members):
            raise UsageError("a node is in one group of a partition at most")


class Judge:
    """Applies rules, which can be changed, to one packet after the other."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self._random = Random(seed)
        self._latest_us: dict[tuple[int, int], int] = {}
        self._line_free_us: dict[int, int] = {}
        self.change(rules)

    def change(self, rules: Rules) -> None:
        """Go by these rules from now on."""
        self._rules = rules
        self._group_of = {node: at for at, group in enumerate(rules.groups) for node in group}
        self._silent = frozenset(rules.silent)
        self._one_way = frozenset(rules.one_way)
        self._delays_us = {(path.sender, path.receiver): path.delay_us for path in rules.paths}

    def is_cut(self, sender: int, receiver: int) -> bool:
        """Whether nothing gets from one to the other. True also of what was on its way already."""
        return (
            sender in self._silent
            or receiver in self._silent
            or (sender, receiver) in self._one_way
            or self._group_of.get(sender) != self._group_of.get(receiver)
        )

    def arrival_us(self, sender: int, receiver: int, size: int, now_us: int) -> int | None:
        """When a packet sent now arrives; None if it is lost."""
        rules, random = self._rules, self._random
        if self.is_cut(sender, receiver):
            return None
        if rules.loss and random.random() < rules.loss:
            return None
        at_us = self._sent_us(sender, size, now_us)
        if at_us is None:
            return None
        pair = sender, receiver
        at_us += self._delays_us.get(pair, rules.delay_us)
        if rules.jitter_us:
            at_us += random.randint(0, rules.jitter_us)
        if at_us < (latest_us := self._latest_us.get(pair, 0)):
            at_us = latest_us
        self._latest_us[pair] = at_us
        return at_us

    def _sent_us(self, sender: int, size: int, now_us: int) -> int | None:
        """When the sender's line has taken the packet; None if there is no room to wait for it."""
        rate_bytes = self._rules.rate_bytes
        if not rate_bytes:
            return now_us
        begin_us = max(now_us, self._line_free_us.get(sender, 0))
        waiting_bytes = (begin_us - now_us) * rate_bytes // SECOND_US
        if waiting_bytes + size > self._rules.queue_bytes_max:
            return None
        self._line_free_us[sender] = begin_us + size * SECOND_US // rate_bytes
        return self._line_free_us[sender]
