"""A scenario: a file that says what a run is, as TOML that reads without a manual.

    protocol = "coloring"
    duration_s = 60
    [cluster]
    nodes = 500
    [workload]
    messages = 100
    [[event]]
    at_s = 10
    do = "crash"
    share = 0.05
    [check.delivered_once]

`sections` has the tables and their defaults, `incidents` the events, `checkers` the checks, `draws`
what a seed chooses for itself, `sweeps` what a series of runs goes through. Whatever is wrong with
a file is one error that names file, key and what was allowed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from snowcast.baselines.registry import protocol
from snowcast.core.errors import UsageError
from snowcast.sim.checkers import Checks
from snowcast.sim.draws import draw_all, extremes
from snowcast.sim.explain import explain
from snowcast.sim.incidents import AnyIncident
from snowcast.sim.sections import (
    BreakdownSection,
    ChurnSection,
    ClusterSection,
    Duration,
    NetworkSection,
    PausesSection,
    ProcessingSection,
    Section,
    WorkloadSection,
)
from snowcast.sim.sweeps import Values, combinations, with_values


class Scenario(Section, frozen=True, kw_only=True):
    """One scenario file."""

    protocol: str = "standard"
    duration_s: Duration = 0.0
    """How long things happen at least; they happen until the last step in any case."""
    quiet_s: Duration = 10.0
    """How long the run goes on when nothing is done any more."""
    cluster: ClusterSection = ClusterSection()
    network: NetworkSection = NetworkSection()
    processing: ProcessingSection = ProcessingSection()
    workload: WorkloadSection = WorkloadSection()
    churn: ChurnSection = ChurnSection()
    breakdown: BreakdownSection = BreakdownSection()
    pauses: PausesSection = PausesSection()
    event: tuple[AnyIncident, ...] = ()
    check: Checks = Checks()
    draw: dict[str, Any] = msgspec.field(default_factory=dict)
    sweep: dict[str, Any] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            protocol(self.protocol)
        except UsageError as error:
            raise UsageError(f"protocol: {error}") from None
        origin, nodes = self.workload.origin, self.cluster.nodes
        if isinstance(origin, int) and origin >= nodes:
            raise UsageError(f"workload.origin: must be below cluster.nodes, {nodes}")

    def drawn(self, seed: int) -> Scenario:
        """This scenario with what the seed draws for the keys in `[draw]`, and no `[draw]`."""
        if not self.draw:
            return self
        values: Any = msgspec.to_builtins(self)
        return msgspec.convert(draw_all(values, values.pop("draw"), seed), Scenario)

    def with_(self, nodes: int | None = None, protocol: str | None = None) -> Scenario:
        """This scenario with another number of nodes or another protocol; None keeps what is."""
        values = {"cluster.nodes": nodes, "protocol": protocol}
        return self.with_values({k: value for k, value in values.items() if value is not None})

    def with_values(self, values: Mapping[str, Any]) -> Scenario:
        """This scenario with other values, each under the path to it, like `cluster.nodes`.

        What is given a value here is neither drawn nor swept any more.
        """
        return parse(with_values(msgspec.to_builtins(self), values))


def variants(scenario: Scenario) -> list[tuple[Values, Scenario]]:
    """Every combination of what `[sweep]` names: its values, and the scenario that has them.

    Without a sweep it is the scenario itself, alone and with no values.
    """
    return [(values, scenario.with_values(values)) for values in combinations(scenario.sweep)]


def load(path: Path) -> Scenario:
    """The scenario in a file; UsageError, in one line, for whatever is wrong with it.

    `network.profile` names a file beside it, as `pipeline calibrate` writes one: its `[network]`
    holds where the scenario says nothing else.
    """
    values = _tables(path)
    network = values.get("network")
    if isinstance(network, dict) and "profile" in network:
        profile = _profile(path.parent / str(network.pop("profile")))
        values["network"] = profile | network
    try:
        return parse(values)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse(values: dict[str, Any]) -> Scenario:
    """The scenario that tables describe; UsageError with the key and what was allowed."""
    try:
        scenario = msgspec.convert(values, Scenario)
    except msgspec.ValidationError as error:
        raise UsageError(explain(error, Scenario, values)) from None
    for tried in extremes(values, scenario.draw):
        try:
            msgspec.convert(tried, Scenario)
        except msgspec.ValidationError as error:
            raise UsageError(f"draw: {explain(error, Scenario, tried)}") from None
    for combination in combinations(scenario.sweep):
        tried = with_values(values, combination)
        try:
            msgspec.convert(tried, Scenario)
        except msgspec.ValidationError as error:
            raise UsageError(f"sweep: {explain(error, Scenario, tried)}") from None
    return scenario


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from None


def _profile(path: Path) -> dict[str, Any]:
    """The network of a profile, which has nothing else."""
    values = _tables(path)
    if list(values) != ["network"]:
        raise UsageError(f"{path}: a profile has [network], and nothing else")
    try:
        parse(values)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    network: dict[str, Any] = values["network"]
    return network
