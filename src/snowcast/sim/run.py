"""One run: a scenario and a seed in, what happened and what the checkers say out.

Rules of this file:
- What happens is settled by the plan before the run begins; here it is only done.
- A step that has become impossible (an origin that could not join in time) is counted as skipped,
  not replaced, so that every protocol is asked for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from snowcast.baselines.registry import protocol
from snowcast.core.address import Address
from snowcast.core.config import MS, SECOND
from snowcast.sim.checkers.checker import Checker, Outcome
from snowcast.sim.clocks import ClockSkew
from snowcast.sim.cluster import Cluster
from snowcast.sim.incidents import Disturbance, FlipFlop, Lossy, Partition
from snowcast.sim.latency import Latency
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.plan import AnyStep, Disturb, Enter, Exit, Halt, How, Plan, Return, Say
from snowcast.sim.processing import Processing
from snowcast.sim.rules import Bandwidth, Direction, Loss, OneWayLoss, Rule
from snowcast.sim.rules import FlipFlop as FlipFlopRule
from snowcast.sim.rules import Partition as PartitionRule
from snowcast.sim.scenario import Scenario
from snowcast.sim.simnode import SimNode
from snowcast.sim.tally import Tally
from snowcast.sim.workload import plan

TICK_US = 250 * MS
"""How often checkers look at the nodes, and progress is told."""

Progress = Callable[[int, int], None]
"""Told how much virtual time has passed, and how much there is."""
