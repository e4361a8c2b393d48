"""What a lab run is, as one value that every process of it is given, and what they report.

Rules of this file:
- A job holds all that decides what happens: each process works out the same plan from it, so
  nothing has to be said to them but when to start.
"""

from __future__ import annotations

from typing import Any

import msgspec

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.lab.namespaces import host_of
from snowcast.lab.places import address_of
from snowcast.sim.plan import Halt, Plan
from snowcast.sim.scenario import Scenario, parse
from snowcast.sim.workload import plan

NUMBER_BYTES = 8  # each payload begins with the number of its message


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the lab, as one of its processes sees it."""

    name: str
    """What the run is called in the trace."""
    scenario_name: str
    scenario: dict[str, Any]
    seed: int
    port: int
    out: str
    processes: int
    process: int = 0
    """Which of the processes this is."""
    variant: str = ""
    """How the scenario differs from others of its name."""
    in_namespaces: bool = False
    """Whether each node has a network stack of its own, and so a process of its own."""
    namespace: int = -1
    """The descriptor of the one that this process is to enter."""

    def load(self) -> tuple[Scenario, Plan]:
        """The scenario, drawn, and what happens in it."""
        scenario = parse(self.scenario).drawn(self.seed)
        return scenario, plan(scenario, self.seed)

    def address_of(self, node: int) -> Address:
        """Where the node with this number lives."""
        if self.in_namespaces:
            return Address.of(host_of(node), self.port)
        return address_of(node, self.port)

    def is_mine(self, node: int) -> bool:
        """Whether the node with this number lives in this process."""
        return node % self.processes == self.process


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What one process has to say, a line of JSON each."""

    state: str
    """`ready`, `running` or `done`; `failed` with a `reason`."""
    passed_us: int = 0
    messages: int = 0
    deliveries: int = 0
    skipped: int = 0
    lag_us: int = 0
    """By how much the event loop was late at the worst, since the start."""
    reason: str = ""


def check(scenario: Scenario, steps: Plan) -> None:
    """Refuse what real nodes that share a process cannot do."""
    if any(isinstance(step, Halt) for step in steps.steps):
        raise UsageError("pauses: nodes of the lab share processes; only the simulator pauses one")
    if scenario.network.clock_skew_ms or scenario.network.clock_drift_ppm:
        raise UsageError("network.clock_skew_ms: nodes of the lab share one clock")
    if scenario.cluster.ipv6:
        raise UsageError("cluster.ipv6: the lab's loopback addresses are IPv4")
    if scenario.workload.messages and scenario.workload.payload_bytes < NUMBER_BYTES:
        raise UsageError(f"workload.payload_bytes: the lab needs {NUMBER_BYTES} at least")
