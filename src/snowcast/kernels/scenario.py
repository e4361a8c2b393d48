"""A scenario by kernel: its messages under a seed, one after the other, with no node anywhere.

Paper, Evaluation. Who sends when, who is dead by then, who is a straggler and how long each node
works on each message are those of the simulator: node i is at place i of the ring. What the
simulator draws in the order of its events, latencies and gossip's targets, is drawn here under
names of its own.

Rules of this file:
- There is no membership: views are equal, nobody joins or leaves, and the dead are never missed. A
  scenario in which that would matter is refused, and the error says what of it.
- Metrics are the pipeline's: what is summed up here is one message at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from snowcast.core.config import MS
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.kernels.dissemination import (
    draw_targets,
    sizes_of_frames,
    spread_gossip,
    spread_snow,
    trees_of,
)
from snowcast.kernels.jit import Flags, Times
from snowcast.kernels.results import Arrivals, GossipSpread, TreeSpread
from snowcast.sim import plan as p
from snowcast.sim.latency import Latency
from snowcast.sim.processing import Placement
from snowcast.sim.scenario import Scenario
from snowcast.sim.sections import ProcessingSection
from snowcast.sim.seeds import derive, stream
from snowcast.sim.staging import make_rules
from snowcast.sim.workload import plan

PROTOCOLS = ("standard", "coloring", "gossip")

_NO_KERNEL: dict[type, str] = {
    p.Enter: "nodes that join",
    p.Return: "nodes that restart",
    p.Halt: "nodes that pause",
    p.Disturb: "a disturbed network",
}


@dataclass(frozen=True)
class Sent:
    """One message and what became of it at each node."""

    number: int
    at_us: int
    """When it was sent, in the time of the run."""
    origin: int
    sequence: int
    """How many messages its origin had sent by then, this one included."""
    mode: Mode
    payload_bytes: int
    spread: TreeSpread | GossipSpread

    @property
    def ends_us(self) -> int:
        """When its last frame arrives, in the time of the run."""
        return self.at_us + max(0, int(self.spread.at_us.max(initial=0)))

    def arrivals(self) -> Arrivals:
        """Every frame of it that arrived, at the time of the run."""
        found = self.spread.arrivals()
        return replace(found, at_us=found.at_us + self.at_us)


class Prepared:
    """A scenario under a seed, ready to be run; UsageError for what no kernel does."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        scenario = scenario.drawn(seed)
        _check(scenario)
        self.scenario = scenario
        self.seed = seed
        self._plan = plan(scenario, seed)
        _check_steps(scenario, self._plan)
        self.stragglers = straggler_flags(self._plan.booted, scenario.processing, seed)

    @property
    def crashed_us(self) -> dict[int, int]:
        """Which nodes crash, and when."""
        return {step.node: step.at_us for step in self._plan.steps if isinstance(step, p.Exit)}

    def messages(self) -> Iterator[Sent]:
        """What becomes of each message, in order; UsageError if somebody dies meanwhile."""
        scenario, seed = self.scenario, self.seed
        deaths_us = sorted(self.crashed_us.values())
        quantiles = np.array(cast(Latency, make_rules(scenario.network)[-1]).quantiles, np.int64)
        dead, number = np.zeros(self._plan.booted, np.bool_), 0
        sequences: Counter[int] = Counter()
        for step in self._plan.steps:
            if isinstance(step, p.Exit):
                dead = dead.copy()  # the one before belongs to results that are out
                dead[step.node] = True
            elif isinstance(step, p.Say):
                number += 1
                sequences[step.node] += 1
                sequence = sequences[step.node]
                delay_us = delays(number, self.stragglers, scenario.processing, seed)
                spread = _spread(scenario, seed, number, step, sequence, quantiles, delay_us, dead)
                about = step.at_us, step.node, sequence, step.mode, step.payload_bytes
                sent = Sent(number, *about, spread)
                died = bisect_right(deaths_us, step.at_us)
                if died < len(deaths_us) and deaths_us[died] <= sent.ends_us:
                    raise UsageError("no kernel for nodes that die while a message is under way")
                yield sent


def straggler_flags(n: int, processing: ProcessingSection, seed: int) -> Flags:
    """Who is a straggler, as `sim.processing.Processing` says of the nodes there at the start."""
    flags, every = np.zeros(n, np.bool_), processing.straggler_every
    if every and processing.stragglers is Placement.ALIGNED:
        flags[every - 1 :: every] = True
    elif every and processing.stragglers is Placement.RANDOM:
        flags[stream(seed, "stragglers", n).sample(range(n), n // every)] = True
    return flags


def delays(number: int, stragglers: Flags, processing: ProcessingSection, seed: int) -> Times | int:
    """How long each node works on message `number`, the first being 1, as `Processing` says."""
    if not processing.is_on:
        return 0
    n = len(stragglers)
    size = max(16, 1 << (n - 1).bit_length())
    raw = stream(seed, "processing", f"message {number}").randbytes(4 * size)
    least_us, most_us = (round(ms * MS) for ms in processing.delay_ms)
    draws = np.frombuffer(raw, "<u4")[:n].astype(np.int64)
    usual = least_us + draws % (most_us - least_us + 1)
    return np.where(stragglers, np.int64(round(processing.straggler_ms * MS)), usual)


def _spread(
    scenario: Scenario,
    seed: int,
    number: int,
    say: p.Say,
    sequence: int,
    quantiles: Times,
    delay_us: Times | int,
    dead: Flags,
) -> TreeSpread | GossipSpread:
    n, fanout = len(dead), scenario.cluster.fanout
    sizes = sizes_of_frames(say.payload_bytes, scenario.cluster.ipv6, sequence=sequence)
    random = _generator(seed, "latency", number)
    if scenario.protocol == "gossip":
        targets = draw_targets(n, fanout, _generator(seed, "targets", number))
        latency_us = _drawn(quantiles, targets.shape, random)
        given = {"latency_us": latency_us, "delay_us": delay_us}
        return spread_gossip(targets, say.node, **given, dead=dead, frame_sizes=sizes)
    latency_us = _drawn(quantiles, (len(trees_of(say.mode, n)), n), random)
    given = {"latency_us": latency_us, "delay_us": delay_us}
    return spread_snow(n, fanout, say.mode, say.node, **given, dead=dead, frame_sizes=sizes)


def _check(scenario: Scenario) -> None:
    """What a kernel cannot do whatever the plan is."""
    network, name = scenario.network, scenario.protocol
    if name not in PROTOCOLS:
        raise UsageError(f"protocol: no kernel for {name!r}; allowed: {', '.join(PROTOCOLS)}")
    if scenario.workload.reliable:
        raise UsageError("workload.reliable: no kernel for reliable messages")
    if scenario.cluster.ring_order is not RingOrder.ADDRESS:
        raise UsageError("cluster.ring_order: no kernel for another order than 'address'")
    for key in ("bandwidth_bytes_per_s", "clock_skew_ms", "clock_drift_ppm"):
        if getattr(network, key):
            raise UsageError(f"network.{key}: no kernel for it; allowed: 0")


def _check_steps(scenario: Scenario, happens: p.Plan) -> None:
    """What a kernel cannot do of all that happens."""
    for step in happens.steps:
        what = _NO_KERNEL.get(type(step))
        if isinstance(step, p.Exit) and step.how is not p.How.CRASH:
            what = "nodes that leave" if step.how is p.How.LEAVE else "nodes that are killed"
        if what is not None:
            raise UsageError(f"no kernel for {what}")
        unseen_us = scenario.cluster.settings().probe_interval_us
        if isinstance(step, p.Exit) and unseen_us < happens.ends_us:
            raise UsageError(
                "no kernel for dead nodes that are detected; "
                f"cluster.config.probe_interval_us would have to be {happens.ends_us} or more"
            )


def _drawn(quantiles: Times, shape: tuple[int, ...], random: np.random.Generator) -> Times | int:
    """A latency for each frame, or the one that there is."""
    if len(quantiles) == 1:
        return int(quantiles[0])
    drawn: Times = quantiles[random.integers(0, len(quantiles), size=shape, dtype=np.int32)]
    return drawn


def _generator(seed: int, name: str, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(derive(seed, "kernel", name, number)))
