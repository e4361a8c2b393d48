"""From a scenario and a seed to a plan: who broadcasts when, who joins, leaves, stops and fails.

Paper, Experimental Setting, Frequent Leaving and Joining, and Breakdown.

Rules of this file:
- Each table of the scenario draws from a stream of its own, so that adding churn to a scenario
  changes neither its origins nor its crashes.
- Whatever a table does, it does at times known beforehand; whom it happens to is settled in order
  of time, among those that are in by then.
- A node that has to speak by the scenario (`origin = "first"`, or a number) comes to no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random

from snowcast.baselines.registry import protocol
from snowcast.core.config import MS, SECOND
from snowcast.core.errors import UsageError
from snowcast.sim import incidents as i
from snowcast.sim.plan import (
    AnyStep,
    Disturb,
    Enter,
    Exit,
    Halt,
    How,
    Plan,
    Return,
    Roster,
    Say,
    draw,
)
from snowcast.sim.scenario import Scenario
from snowcast.sim.seeds import stream

_Act = Callable[[int, Roster], Sequence[AnyStep]]
_Turn = tuple[int, _Act]


def plan(scenario: Scenario, seed: int) -> Plan:
    """What happens in a run of `scenario` under `seed`."""
    scenario = scenario.drawn(seed)
    maker = _Maker(scenario, seed)
    turns = [*maker.incidents(), *maker.churn(), *maker.breakdown(), *maker.messages()]
    turns.sort(key=lambda turn: turn[0])  # stable: at one time, in the order of this list
    roster = Roster(scenario.cluster.nodes, round(scenario.workload.settle_s * SECOND), maker.kept)
    steps: list[AnyStep] = []
    for at_us, act in turns:
        steps += act(at_us, roster)
    steps += maker.pauses()
    steps.sort(key=lambda step: step.at_us)
    quiet_us = max([round(scenario.duration_s * SECOND), *map(_last_us, steps)])
    return Plan(
        booted=scenario.cluster.nodes,
        steps=tuple(steps),
        quiet_us=quiet_us,
        ends_us=quiet_us + round(scenario.quiet_s * SECOND),
    )


def _last_us(step: AnyStep) -> int:
    match step:
        case Disturb():
            return step.at_us if step.until_us is None else step.until_us
        case Halt():
            return step.at_us + step.for_us
        case _:
            return step.at_us


class _Maker:
    """Makes the turns of each table."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self._scenario = scenario
        self._seed = seed
        self._speaker = _speaker(scenario)
        self._visitors: list[int] = []
        self.kept = self._kept()

    def messages(self) -> Iterator[_Turn]:
        """`[workload]`."""
        workload = self._scenario.workload
        random = self._stream("workload")
        for number in range(workload.messages):
            yield workload.at_us(number), partial(self._say, number, random)

    def churn(self) -> Iterator[_Turn]:
        """`[churn]`: around messages or at random."""
        churn, workload = self._scenario.churn, self._scenario.workload
        random = self._stream("churn")
        if churn.every_messages:
            every = churn.every_messages
            for number in range(0, workload.messages, every):
                # Half an interval ahead, so that it joins while messages flow on both sides.
                ahead_us = round(workload.interval_ms * MS / 2)
                at_us = max(0, workload.at_us(number) - ahead_us)
                stay_us = round(every * workload.interval_ms * MS)
                yield at_us, partial(self._visit, random)
                yield at_us + stay_us, self._end_visit
            return
        for at_us in _poisson(churn.joins_per_s, churn.start_s, churn.until_s, random):
            yield at_us, partial(self._join_at_random, random)
        for at_us in _poisson(churn.leaves_per_s, churn.start_s, churn.until_s, random):
            yield at_us, partial(self._leave_at_random, random)

    def breakdown(self) -> Iterator[_Turn]:
        """`[breakdown]`."""
        every, workload = self._scenario.breakdown.every_messages, self._scenario.workload
        random = self._stream("breakdown")
        if every:
            for number in range(every, workload.messages, every):
                # Just before the message, so that it is the first to meet the silence.
                yield workload.at_us(number) - 1, partial(self._break_down, random)

    def incidents(self) -> Iterator[_Turn]:
        """Every `[[event]]`."""
        for number, incident in enumerate(self._scenario.event):
            random = self._stream("event", number)
            at_us = round(incident.at_s * SECOND)
            if isinstance(incident, i.Join):
                for later_us in _spread(incident, incident.count, random):
                    yield at_us + later_us, partial(self._join, incident.contact, random)
            else:
                yield at_us, partial(self._befall, number, incident, random)

    def pauses(self) -> Iterator[Halt | Disturb]:
        """`[pauses]`: the same nodes again and again."""
        pauses = self._scenario.pauses
        nodes = self._scenario.cluster.nodes
        chosen = draw(
            [node for node in range(nodes) if node != self._speaker],
            round(pauses.share * nodes),
            self._stream("pauses"),
        )
        for_us = round(pauses.for_s * SECOND)
        for node in chosen:
            random = self._stream("pauses", node)
            at_s = pauses.start_s + random.uniform(*pauses.gap_s)
            while at_s + pauses.for_s <= pauses.until_s:
                at_us = round(at_s * SECOND)
                if pauses.what == "process":
                    yield Halt(at_us, node, for_us)
                else:
                    stall = i.Stall(at_s=at_s, nodes=(node,), for_s=pauses.for_s)
                    yield Disturb(at_us, at_us + for_us, (node,), stall)
                at_s += pauses.for_s + random.uniform(*pauses.gap_s)

    def _say(self, number: int, random: Random, at_us: int, roster: Roster) -> list[AnyStep]:
        workload = self._scenario.workload
        modes = workload.modes(protocol(self._scenario.protocol).mode)
        # Drawn whether needed or not: a scenario's origins do not depend on its modes.
        mode, coin = modes[random.randrange(1 << 30) % len(modes)], random.random() < 0.5
        settled = roster.settled(at_us)
        if not settled:
            return []
        origin = settled[random.randrange(1 << 30) % len(settled)]
        if self._speaker is not None:
            origin = self._speaker
        reliable = coin if workload.reliable == "random" else workload.reliable is True
        return [Say(at_us, origin, number, mode, reliable, workload.payload_bytes)]

    def _visit(self, random: Random, at_us: int, roster: Roster) -> list[Enter]:
        entered = self._join("random", random, at_us, roster)
        self._visitors += [step.node for step in entered]
        return entered

    def _end_visit(self, at_us: int, roster: Roster) -> list[AnyStep]:
        visitor = self._visitors.pop(0) if self._visitors else -1
        return self._exit(visitor, How.LEAVE, at_us, roster) if roster.is_in(visitor) else []

    def _join_at_random(self, random: Random, at_us: int, roster: Roster) -> list[Enter]:
        if len(roster) >= self._scenario.churn.nodes_max:
            return []
        return self._join("random", random, at_us, roster)

    def _leave_at_random(self, random: Random, at_us: int, roster: Roster) -> list[AnyStep]:
        expendable = roster.expendable(at_us)
        if len(roster) <= self._scenario.churn.nodes_min or not expendable:
            return []
        return self._exit(random.choice(expendable), How.LEAVE, at_us, roster)

    def _break_down(self, random: Random, at_us: int, roster: Roster) -> list[AnyStep]:
        candidates = [node for node in roster.settled(at_us) if node != self._speaker]
        if not candidates:
            return []
        return self._exit(random.choice(candidates), How.CRASH, at_us, roster)

    def _join(self, contact: str, random: Random, at_us: int, roster: Roster) -> list[Enter]:
        settled = roster.settled(at_us)
        if not settled:
            return []
        through = settled[0] if contact == "first" else random.choice(settled)
        return [Enter(at_us, roster.enter(at_us), through)]

    def _exit(self, node: int, how: How, at_us: int, roster: Roster) -> list[AnyStep]:
        roster.exit(node, how)
        return [Exit(at_us, node, how)]

    def _befall(
        self, number: int, incident: i.Chosen, random: Random, at_us: int, roster: Roster
    ) -> list[AnyStep]:
        """An incident happens to those it names, or to some that are drawn."""
        candidates = roster.settled(at_us)
        if isinstance(incident, i.Restart):
            candidates = roster.down()
        if self._speaker is not None:
            candidates = [node for node in candidates if node != self._speaker]
        if incident.nodes:
            chosen = self._named(number, incident, roster)
        elif incident.share is not None:
            chosen = draw(candidates, round(incident.share * len(roster)), random)
        else:
            chosen = draw(candidates, incident.count or 0, random)
        if isinstance(incident, i.Disturbance):
            for_s = incident.for_s
            until_us = None if for_s is None else at_us + round(for_s * SECOND)
            return [Disturb(at_us, until_us, tuple(chosen), incident)]
        later_us = _spread(incident, len(chosen), random)
        return [
            self._step(incident, node, at_us + later, roster)
            for node, later in zip(chosen, later_us, strict=True)
        ]

    def _named(self, number: int, incident: i.Chosen, roster: Roster) -> list[int]:
        is_there = roster.is_down if isinstance(incident, i.Restart) else roster.is_in
        for node in incident.nodes:
            if not is_there(node):
                raise UsageError(f"event[{number}].nodes: node {node} is not there by then")
        return list(incident.nodes)

    def _step(self, incident: i.Chosen, node: int, at_us: int, roster: Roster) -> AnyStep:
        match incident:
            case i.Restart():
                roster.restart(node, at_us)
                return Return(at_us, node)
            case i.Pause():
                return Halt(at_us, node, round(incident.for_s * SECOND))
            case _:
                how = _HOW[type(incident)]
                roster.exit(node, how)
                return Exit(at_us, node, how)

    def _kept(self) -> frozenset[int]:
        """Who never leaves in random churn: the speaker, and a share of those booted."""
        booted = self._scenario.cluster.nodes
        count = round(self._scenario.churn.stable_share * booted)
        kept = draw(list(range(booted)), count, self._stream("stable"))
        return frozenset(kept if self._speaker is None else [*kept, self._speaker])

    def _stream(self, *names: str | int) -> Random:
        return stream(self._seed, "plan", *names)


_HOW: dict[type[i.Incident], How] = {i.Leave: How.LEAVE, i.Crash: How.CRASH, i.Kill: How.KILL}


def _speaker(scenario: Scenario) -> int | None:
    """The node that speaks by the scenario, if one does."""
    origin = scenario.workload.origin
    if origin == "random" or not scenario.workload.messages:
        return None
    return 0 if isinstance(origin, str) else origin


def _poisson(per_s: float, start_s: float, until_s: float, random: Random) -> Iterator[int]:
    """Times of something that happens `per_s` times a second, at random."""
    at_s = start_s
    while per_s > 0:
        at_s += random.expovariate(per_s)
        if at_s >= until_s:
            return
        yield round(at_s * SECOND)


def _spread(incident: i.Incident, count: int, random: Random) -> list[int]:
    """How much after its time the incident happens to each of `count` nodes."""
    over_us = round(incident.over_s * SECOND)
    return sorted(random.randint(0, over_us) for _ in range(count))
