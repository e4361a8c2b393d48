"""What a scenario's network is between namespaces: rules for packets, and when they change.

Rules of this file:
- What packets can tell, the hub does to packets: latency, loss, rate, partitions, silent deaths.
  What only frames can tell (loss one way, now and then) nodes do to their own, as on loopback.
- No clock, no socket: times are those of the plan.
"""

from __future__ import annotations

import msgspec

from snowcast.core.config import MS
from snowcast.lab.rules import Rules
from snowcast.sim.incidents import Partition
from snowcast.sim.latency import quantile
from snowcast.sim.plan import Disturb, Exit, How, Plan, Return
from snowcast.sim.sections import NetworkSection

DATA_CENTRE = Rules(delay_us=770, jitter_us=60)  # the rest of 0.8 ms is the hub's own


def rules_of(network: NetworkSection) -> Rules:
    """What holds for all packets from the start."""
    least_us, most_us = (round(ms * MS) for ms in network.latency_ms)
    match network.latency:
        case "fixed":
            rules = Rules(delay_us=least_us)
        case "uniform":
            rules = Rules(delay_us=least_us, jitter_us=most_us - least_us)
        case "measured":  # the hub draws evenly: from the middle nine tenths
            ends = [quantile(network.latency_quantiles, share) for share in (0.05, 0.95)]
            least_us, most_us = (round(ms * MS) for ms in ends)
            rules = Rules(delay_us=least_us, jitter_us=most_us - least_us)
        case _:
            rules = DATA_CENTRE
    return msgspec.structs.replace(
        rules,
        loss=network.loss,
        rate_bytes=network.bandwidth_bytes_per_s,
        queue_bytes_max=network.queue_bytes,
    )


def changes(rules: Rules, plan: Plan) -> list[tuple[int, Rules]]:
    """When other rules hold than before, and which; `rules` are those of the start."""
    found: list[tuple[int, Rules]] = []
    silent: set[int] = set()
    cut: list[tuple[int, ...]] = []
    for at_us, what in _turns(plan):
        match what:
            case Exit(how=How.CRASH):
                silent.add(what.node)
            case Return():
                silent.discard(what.node)
            case Disturb() if at_us == what.at_us:
                cut.append(what.nodes)
            case Disturb():
                cut.remove(what.nodes)
        groups = _groups(cut)
        rules = msgspec.structs.replace(rules, silent=tuple(sorted(silent)), groups=groups)
        found.append((at_us, rules))
    return found


def _turns(plan: Plan) -> list[tuple[int, Exit | Return | Disturb]]:
    """What packets tell of what happens, in order; a partition also when it ends."""
    turns: list[tuple[int, Exit | Return | Disturb]] = []
    for step in plan.steps:
        match step:
            case Exit(how=How.CRASH) | Return():
                turns.append((step.at_us, step))
            case Disturb(kind=Partition()):
                turns.append((step.at_us, step))
                if step.until_us is not None:
                    turns.append((step.until_us, step))
    return sorted(turns, key=lambda turn: turn[0])


def _groups(cut: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Those cut off by each partition; a node is in the first that it is in."""
    taken: set[int] = set()
    groups = []
    for nodes in cut:
        groups.append(tuple([node for node in nodes if node not in taken]))
        taken.update(nodes)
    return tuple(groups)
