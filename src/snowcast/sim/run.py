"""One run: a scenario and a seed in, what happened and what the checkers say out.

Rules of this file:
- What happens is settled by the plan before the run begins; here it is only done.
- A step that has become impossible (an origin that is not in yet) is counted as skipped and not
  replaced, so that every protocol is asked for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import assert_never

import msgspec

from snowcast.baselines.registry import protocol
from snowcast.core.config import MS
from snowcast.core.effects import Joined, Notice
from snowcast.core.errors import UsageError
from snowcast.sim.checkers.checker import Outcome
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.plan import AnyStep, Disturb, Enter, Exit, Halt, How, Return, Say
from snowcast.sim.recording import Recording
from snowcast.sim.scenario import Scenario
from snowcast.sim.simnode import SimNode
from snowcast.sim.staging import make_cluster, make_rule
from snowcast.sim.tally import Tally
from snowcast.sim.workload import plan
from snowcast.trace.files import MANIFEST, TraceWriter
from snowcast.trace.recorder import Write

TICK_US = 250 * MS
"""How often checkers look at the nodes, and progress is told."""

Progress = Callable[[int, int], None]
"""Told how much virtual time has passed, and how much there is."""


def _tell_nobody(passed_us: int, all_us: int) -> None:
    pass


class RunResult(msgspec.Struct, frozen=True):
    """What there is to say about a run when it is over."""

    seed: int
    protocol: str
    nodes: int
    """How many there were at the start."""
    joined: int
    ended_us: int
    messages: int
    deliveries: int
    skipped: int
    """Steps that had become impossible when their time came."""
    frames: dict[str, int]
    """How many of each kind have arrived."""
    lost: dict[str, int]
    """How many have not, by the reason."""
    outcomes: tuple[Outcome, ...]

    @property
    def is_ok(self) -> bool:
        """Whether every invariant that the protocol promises held."""
        return all(outcome.is_ok for outcome in self.outcomes)

    def measured(self, checker: str) -> dict[str, float]:
        """The numbers of one checker."""
        return next(outcome.measured for outcome in self.outcomes if outcome.name == checker)


def run(
    scenario: Scenario,
    seed: int,
    observers: Sequence[Observer] = (),
    *,
    name: str = "",
    variant: str = "",
    out: Path | None = None,
    progress: Progress = _tell_nobody,
) -> RunResult:
    """Run `scenario`, which may have a name, under `seed`; write a trace to `out`, if given.

    `variant` is how it differs from others of the same name.
    """
    if out is None:
        return _Run(scenario.drawn(seed), seed, observers).go(progress)
    if (out / MANIFEST).exists():
        raise UsageError(f"{out}: there is a trace already")
    try:
        with TraceWriter(out) as writer:
            write, names = writer.write, {"name": name, "variant": variant}
            return record(scenario, seed, write, observers, **names, progress=progress)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None


def record(
    scenario: Scenario,
    seed: int,
    write: Write,
    observers: Sequence[Observer] = (),
    *,
    name: str = "",
    variant: str = "",
    label: str = "",
    progress: Progress = _tell_nobody,
) -> RunResult:
    """Run `scenario` under `seed` and hand every row of its trace to `write`.

    `label` is what the run is called in all rows; `variant` is how it differs from others of the
    same name.
    """
    scenario = scenario.drawn(seed)
    words = name or "run", variant, scenario.protocol, str(seed)
    label = label or "-".join(filter(None, words))
    recording = Recording(label, write)
    ran = _Run(scenario, seed, [*observers, recording])
    result = ran.go(progress)
    recording.finish(ran.cluster, scenario.protocol, name, variant)
    return result


class _Members(Observer):
    """Who has been announced, and so can broadcast."""

    def __init__(self) -> None:
        self.lives: dict[int, int] = {}  # of which node, in which of its lives

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, Joined):
            self.lives[node.index] = node.life

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        if what is NodeChange.BOOTED:
            self.lives[node.index] = node.life

    def has(self, node: SimNode) -> bool:
        return self.lives.get(node.index) == node.life


class _Run:
    """A plan being carried out."""

    def __init__(self, scenario: Scenario, seed: int, observers: Sequence[Observer]) -> None:
        self._scenario = scenario
        self._plan = plan(scenario, seed)
        self._checkers = scenario.check.make()
        self._tally = Tally()
        self._members = _Members()
        self._messages = self._skipped = 0
        own = [self._tally, self._members, *self._checkers]
        self.cluster = make_cluster(scenario, seed, [*own, *observers])

    def go(self, progress: Progress) -> RunResult:
        """Everything, from the first node to the last tick."""
        cluster, ends_us = self.cluster, self._plan.ends_us
        for checker in self._checkers:
            checker.begin(cluster, self._plan)
        cluster.boot(self._plan.booted)
        for step in self._plan.steps:
            cluster.at(step.at_us, partial(self._do, step))
        self._advance(self._plan.quiet_us, progress)
        for checker in self._checkers:
            checker.on_quiet(cluster.now_us)
        self._advance(ends_us, progress)
        for checker in self._checkers:
            checker.finish(cluster.now_us)
        return self._result()

    def _advance(self, until_us: int, progress: Progress) -> None:
        cluster = self.cluster
        while cluster.now_us < until_us:
            cluster.run_until(min(until_us, cluster.now_us + TICK_US))
            for checker in self._checkers:
                checker.on_tick(cluster.now_us)
            progress(cluster.now_us, self._plan.ends_us)

    def _do(self, step: AnyStep) -> None:
        """Do what the plan says, or count it as skipped if it cannot be done any more."""
        match step:
            case Enter():
                node = self.cluster.join(self.cluster.nodes[step.contact])
                assert node.index == step.node, "nodes are numbered as they come"
                return
            case Disturb():
                self._disturb(step)
                return
        node = self.cluster.nodes[step.node]
        if self._is_possible(step, node):
            self._do_to(step, node)
        else:
            self._skipped += 1

    def _is_possible(self, step: AnyStep, node: SimNode) -> bool:
        match step:
            case Say():
                return bool(node.running) and self._members.has(node)
            case Exit(how=How.LEAVE):
                return bool(node.running)
            case Return():
                return not node.is_up
            case _:
                return node.is_up

    def _do_to(self, step: Exit | Return | Halt | Say, node: SimNode) -> None:
        cluster = self.cluster
        match step:
            case Say():
                self._messages += 1
                payload = step.number.to_bytes(8, "big")[: step.payload_bytes]
                payload = payload.ljust(step.payload_bytes, b".")
                cluster.broadcast(node, payload, step.mode, step.is_reliable)
            case Exit(how=How.LEAVE):
                cluster.leave(node)
            case Exit(how=How.CRASH):
                cluster.crash(node)
            case Exit():
                cluster.kill(node)
            case Return():
                cluster.restart(node)
            case Halt():
                cluster.pause(node, step.for_us)
            case _:
                assert_never(step)

    def _disturb(self, step: Disturb) -> None:
        rule = make_rule(step, [self.cluster.nodes[node].address for node in step.nodes])
        self.cluster.install(rule)
        if step.until_us is not None:
            self.cluster.at(step.until_us, partial(self.cluster.uninstall, rule))

    def _result(self) -> RunResult:
        tally, nodes = self._tally, len(self.cluster.nodes)
        is_snow = protocol(self._scenario.protocol).is_snow
        return RunResult(
            seed=self.cluster.seed,
            protocol=self._scenario.protocol,
            nodes=self._plan.booted,
            joined=nodes - self._plan.booted,
            ended_us=self.cluster.now_us,
            messages=self._messages,
            deliveries=tally.deliveries,
            skipped=self._skipped,
            frames=dict(sorted(tally.frames.items())),
            lost=dict(sorted(tally.lost.items())),
            outcomes=tuple([checker.outcome(is_snow) for checker in self._checkers]),
        )
