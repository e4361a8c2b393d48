"""Many runs, held to the invariants that their scenarios name; on several processes at once.

A run that fails is named by its case, and a case is all it takes to see the same failure again.
"""

from __future__ import annotations

import multiprocessing
import shlex
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import msgspec

from snowcast.core.errors import UsageError
from snowcast.sim.library import find
from snowcast.sim.run import RunResult, run
from snowcast.sim.scenario import Scenario, load, variants
from snowcast.sim.sweeps import label, parse_values

AHEAD = 4  # cases handed out before their turn, for each process


class Case(msgspec.Struct, frozen=True):
    """One run to be made."""

    scenario: str
    """A name or a path."""
    seed: int
    nodes: int | None = None
    protocol: str | None = None
    settings: tuple[str, ...] = ()
    """Other values for keys of the file: `cluster.fanout=8`."""

    def load(self) -> Scenario:
        """The scenario, with what the case wants to be different."""
        scenario = load(find(self.scenario)).with_(self.nodes, self.protocol)
        return scenario.with_values(parse_values(self.settings)) if self.settings else scenario

    def variants(self) -> Iterator[tuple[Case, str, Scenario]]:
        """What the scenario's sweep makes of it: cases of their own; itself if there is none.

        Beside each is what tells it from the others, in a word.
        """
        for values, scenario in variants(self.load()):
            settings = [label({key: value}) for key, value in values.items()]
            case = msgspec.structs.replace(self, settings=(*self.settings, *settings))
            yield case, label(values), scenario

    def command(self) -> str:
        """The command that makes the same run again."""
        words = ["snowcast", "sim", "run", self.scenario, "--seed", str(self.seed)]
        if self.nodes is not None:
            words += ["--nodes", str(self.nodes)]
        if self.protocol is not None:
            words += ["--protocol", self.protocol]
        for setting in self.settings:
            words += ["--set", setting]
        return shlex.join(words)


class Verdict(msgspec.Struct, frozen=True):
    """What came out of a case: a result, or what broke before there was one."""

    case: Case
    result: RunResult | None = None
    broken: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether the run came to its end and every invariant held."""
        return self.result is not None and self.result.is_ok

    def complaints(self) -> list[str]:
        """What is wrong, a line each."""
        if self.result is None:
            return [self.broken]
        wrong = [outcome for outcome in self.result.outcomes if not outcome.is_ok]
        return [f"{one.name}: {finding}" for one in wrong for finding in one.findings]


def check(cases: Iterable[Case], jobs: int = 1) -> Iterator[Verdict]:
    """Run the cases, `jobs` at a time; their verdicts come in the order of the cases."""
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}")
    if jobs == 1:
        yield from map(judge, cases)
        return
    # Spawned, not forked: what a child inherits must not decide what it does.
    context = multiprocessing.get_context("spawn")
    rest = iter(cases)
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: list[Future[Verdict]] = []
        try:
            while True:
                room = jobs * AHEAD - len(waiting)
                waiting += [pool.submit(judge, case) for case in islice(rest, room)]
                if not waiting:
                    return
                yield waiting.pop(0).result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def judge(case: Case) -> Verdict:
    """Run one case. Whatever breaks in it is a verdict too; only the caller's mistakes raise."""
    scenario = case.load()
    try:
        return Verdict(case, run(scenario, case.seed, name=Path(case.scenario).stem))
    except UsageError:
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
        return Verdict(case, broken=f"{type(error).__name__}: {error} ({where})")


def parse_seeds(text: str) -> range:
    """`7` as one seed, `0..2000` as those from 0 on that are below 2000."""
    first, dots, end = text.partition("..")
    try:
        seeds = range(int(first), int(end)) if dots else range(int(first), int(first) + 1)
    except ValueError:
        seeds = range(0)
    if not seeds or seeds.start < 0:
        raise UsageError(f"seeds: expected 7 or 0..2000, not {text!r}")
    return seeds
