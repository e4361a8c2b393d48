"""Rapid's catalogue of failures (Suresh et al., ATC 2018): the sick do not bring down the healthy.

Stated outcome, of both: no healthy node is evicted, whatever the sick one says of it. The sick one
may be evicted while it hears nothing, and comes back by itself: once it is well, all views are
equal within two minutes. Without Lifeguard the same node has the healthy evicted: that is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from promises.figures import Figure, spread
from snowcast.sim.run import RunResult, run
from support.scenarios import findings, held, shipped

FLIPFLOP, LOSSY = "flipflop", "lossy_nodes"


def sick(name: str, lifeguard: bool = True, **changes: Any) -> Any:
    """The shipped scenario; `nodes` and `for_s` make it smaller and shorter."""
    cluster: dict[str, Any] = {"lifeguard": lifeguard}
    scenario = shipped(name)
    if "nodes" in changes:
        cluster["nodes"] = changes["nodes"]
    event = msgspec.to_builtins(scenario.event[0])
    event |= {key: value for key, value in changes.items() if key != "nodes"}
    return shipped(name, cluster=cluster, event=[event])


def outcome(name: str, seeds: Iterable[int], figure: Figure, **changes: Any) -> None:
    """The stated outcome, under each seed."""
    results = [held(sick(name, **changes), seed) for seed in seeds]
    assert all(counts(result)["suspected_healthy"] > 0 for result in results), "was it sick at all?"
    converged_s = [result.measured("views_converge")["converged_after_s"] for result in results]
    figure("views equal after it is well", spread(converged_s, "s"))
    for what in ("suspected_healthy", "evicted_healthy", "evicted"):
        figure(what, spread([counts(result)[what] for result in results]))


def counts(result: RunResult) -> dict[str, float]:
    """Who was suspected and evicted."""
    return result.measured("no_false_evictions")


def test_a_node_that_is_deaf_by_turns_has_no_healthy_one_evicted(figure: Figure) -> None:
    outcome(FLIPFLOP, range(3), figure, nodes=40, for_s=80)


def test_a_node_that_loses_80_percent_has_no_healthy_one_evicted(figure: Figure) -> None:
    outcome(LOSSY, [0], figure, nodes=40, for_s=60)


@pytest.mark.parametrize("name", [FLIPFLOP, LOSSY])
def test_without_lifeguard_the_same_node_has_healthy_ones_evicted(
    name: str, figure: Figure
) -> None:
    result = run(sick(name, lifeguard=False, nodes=40, for_s=40), 0)
    figure("evicted of the healthy", f"{counts(result)['evicted_healthy']:g} of 39")
    assert counts(result)["evicted_healthy"] > 0
    assert "no_false_evictions" in findings(result)
    assert "views_converge" not in findings(result), "even so all come back"


@pytest.mark.soak
@pytest.mark.parametrize("name", [FLIPFLOP, LOSSY])
def test_sick_nodes_among_100_for_five_minutes(name: str, figure: Figure) -> None:
    outcome(name, range(5), figure)


@pytest.mark.soak
@pytest.mark.parametrize("direction", ["inbound", "outbound", "both"])
def test_a_node_that_flips_whichever_way(direction: str, figure: Figure) -> None:
    outcome(FLIPFLOP, range(3), figure, direction=direction)


@pytest.mark.soak
@pytest.mark.parametrize("direction", ["inbound", "outbound"])
def test_a_node_that_loses_80_percent_of_one_way(direction: str, figure: Figure) -> None:
    outcome(LOSSY, range(3), figure, direction=direction)
