"""The cells of a sweep: every combination of scenario, protocol, n, k, variant and seed.

Rules of this file:
- A cell holds all that a run follows from, so that a machine that has no scenario files can run it.
- A cell's file is named after the run and a digest of all that, with the code that makes it. A
  scenario or a simulator that has changed since gives other names, and is told from the old one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from snowcast.core.errors import UsageError
from snowcast.pipeline.package import SIMULATING, digest_of
from snowcast.sim.checkers import Checks
from snowcast.sim.library import find
from snowcast.sim.scenario import Scenario, load, variants
from snowcast.sim.sweeps import Values, label
from snowcast.trace.schema import SCHEMA_VERSION

NAME_BYTES_MAX = 180
CELLS_MAX = 100_000
PROTOCOL, NODES, FANOUT = "protocol", "cluster.nodes", "cluster.fanout"
"""What has a column of its own in `runs`."""


class Cell(msgspec.Struct, frozen=True):
    """One run of a sweep."""

    run: str
    """What it is called in every row."""
    scenario: str
    variant: str
    seed: int
    by_kernel: bool
    content: str
    """The scenario with all its values, as JSON, without what checks it."""
    command: str
    """The command that makes the same run again."""
    code: str
    """A digest of the sources that simulate, as the driver has them."""

    @property
    def name(self) -> str:
        """What its files are called."""
        behind = [self.run, self.by_kernel, self.content, self.code, SCHEMA_VERSION]
        digest = blake2b(msgspec.json.encode(behind), digest_size=4).hexdigest()
        return f"{file_name(self.run)}.{digest}"

    def load(self) -> Scenario:
        """The scenario to run."""
        return msgspec.json.decode(self.content, type=Scenario)


def grid(
    scenarios: Sequence[str],
    seeds: Iterable[int],
    *,
    protocols: Sequence[str] = (),
    nodes: Sequence[int] = (),
    fanouts: Sequence[int] = (),
    kernel_from: int | None = None,
) -> list[Cell]:
    """The cells of these scenarios, which are names or paths; UsageError if one makes no sense.

    Where no protocols, numbers of nodes or fanouts are given those of the scenario are taken.
    Runs of `kernel_from` nodes and more are computed by kernel, the others on full nodes.
    """
    seeds = list(seeds)
    cells = [
        _cell(asked, scenario, values, seed, kernel_from)
        for asked in dict.fromkeys(scenarios)
        for values, scenario in _combinations(asked, protocols, nodes, fanouts)
        for seed in seeds
    ]
    if not 0 < len(cells) <= CELLS_MAX:
        raise UsageError(f"expected between 1 and {CELLS_MAX} runs, not {len(cells)}")
    runs: dict[str, Cell] = {}
    for cell in cells:
        if runs.setdefault(cell.run, cell) is not cell:
            raise UsageError(f"two runs would be called {cell.run}")
    return cells


def file_name(run: str) -> str:
    """A run's name as that of a file: with no character that file systems or Spark mind."""
    name = quote(run, safe=" ,=+@")
    if name.startswith((".", "_")):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) <= NAME_BYTES_MAX:
        return name
    digest = blake2b(run.encode(), digest_size=8).hexdigest()
    return f"{name[: NAME_BYTES_MAX - len(digest) - 1]}-{digest}"


def _combinations(
    asked: str, protocols: Sequence[str], nodes: Sequence[int], fanouts: Sequence[int]
) -> Iterator[tuple[Values, Scenario]]:
    """A scenario with every combination of its own values and the caller's, which go first."""
    base = load(find(asked))
    given: dict[str, Sequence[Any]] = {PROTOCOL: protocols, NODES: nodes, FANOUT: fanouts}
    fixed = {key: values[0] for key, values in given.items() if values}
    for own, _ in variants(base.with_values(fixed)):
        for values in _product(given):
            yield {**own, **values}, base.with_values({**own, **values})


def _product(given: dict[str, Sequence[Any]]) -> list[Values]:
    found: list[Values] = [{}]
    for key, values in given.items():
        if values:
            found = [{**one, key: value} for one in found for value in values]
    return found


def _cell(
    asked: str, scenario: Scenario, values: Values, seed: int, kernel_from: int | None
) -> Cell:
    name = Path(asked).stem
    other = {k: value for k, value in values.items() if k not in (PROTOCOL, NODES, FANOUT)}
    variant = label(other)
    cluster = scenario.cluster
    by_kernel = kernel_from is not None and cluster.nodes >= kernel_from
    words = [
        name,
        variant,
        scenario.protocol,
        f"n{cluster.nodes}",
        f"k{cluster.fanout}",
        f"s{seed}",
    ]
    unchecked = msgspec.structs.replace(scenario, check=Checks(), sweep={})
    return Cell(
        run="-".join(filter(None, words)),
        scenario=name,
        variant=variant,
        seed=seed,
        by_kernel=by_kernel,
        content=msgspec.json.encode(unchecked).decode(),
        command=_command(asked, values, seed, by_kernel),
        code=digest_of(SIMULATING),
    )


def _command(asked: str, values: Values, seed: int, by_kernel: bool) -> str:
    words = ["snowcast", "sim", "run", asked, "--seed", str(seed)]
    for key, value in values.items():
        option = {PROTOCOL: "--protocol", NODES: "--nodes"}.get(key)
        words += [option, str(value)] if option else ["--set", label({key: value})]
    return shlex.join([*words, "--kernel" if by_kernel else "--no-kernel"])
