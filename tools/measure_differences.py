"""The runs behind docs/results/differences.md, and the numbers that they come to.

Rules of this file:
- A number is text, as it stands on the page.
- Full nodes run in processes of their own, on all cores.
"""

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from statistics import fmean
from typing import Any

SEEDS_BY_KERNEL = range(20)
SEEDS = range(10)
PLUMTREE_SEEDS = range(10)
LATE_US = 6_000_000
FAST_MS = 900
"""Coloring's LDT under one seed lies well below this, or well above it."""
STRAGGLERS = {"aligned": ("aligned", 20), "random": ("random", 20), "none": ("random", 0)}
COMPILED = ("standard", "coloring", "gossip")
QUICK = {
    "cluster.config.suspicion_min_us": 100_000,
    "cluster.config.suspicion_max_factor": 1,
}
"""As good as no suspicion: whoever does not answer is evicted."""

Numbers = dict[str, str]
Metrics = dict[str, Any]
Run = tuple[str, str, dict[str, Any], int]
"""Scenario, protocol, what is changed, seed."""


def arithmetic() -> Numbers:
    """What follows from the trees and the codec alone."""
    from snowcast.core.trees import Mode
    from snowcast.kernels.dissemination import sizes_of_frames
    from snowcast.planning.build import build_plan
    from snowcast.planning.figures import blast

    lost = blast(build_plan(500, 4, 0, Mode.STANDARD)).lost
    mean_lost = sum(lost.values()) / 499
    inner = [number for number in lost.values() if number]
    mean_dead = fmean(number // 10 for number in range(100))
    least, one, two = sizes_of_frames()
    return {
        "frame_bytes": f"{least}",
        "frame_bytes_1": f"{one}",
        "frame_bytes_2": f"{two}",
        "lost_mean": f"{mean_lost:.2f}",
        "inner_count": f"{len(inner)}",
        "lost_inner": f"{fmean(inner):.2f}",
        "lost_worst": f"{max(lost.values())}",
        "dead_mean": f"{mean_dead:.1f}",
        "breakdown_best": f"{1 - mean_dead / 499:.4f}",
        "lost_a_second": f"{9 * mean_lost / (100 * (499 - mean_dead)):.4f}",
    }


def stragglers() -> Numbers:
    """LDT, bytes and reach by kernel, for each placement of the stragglers."""
    from snowcast.kernels.scenario import Prepared
    from snowcast.sim.library import find
    from snowcast.sim.scenario import load

    numbers: Numbers = {}
    for name, (placement, every) in STRAGGLERS.items():
        values = {"processing.stragglers": placement, "processing.straggler_every": every}
        for protocol in COMPILED:
            scenario = load(find("stable")).with_values({**values, "protocol": protocol})
            runs = [
                [message.spread for message in Prepared(scenario, seed).messages()]
                for seed in SEEDS_BY_KERNEL
            ]
            key = f"{name}_{protocol}"
            numbers |= told(f"{key}_ldt", runs, _last_ms, ".0f")
            numbers |= told(f"{key}_rmr", runs, lambda one: one.received_bytes.sum() / 499, ".1f")
            numbers |= told(f"{key}_reach", runs, lambda one: (one.reached - 1) / 499, ".4f")
            numbers |= told(f"{key}_head", runs, _first_ms, ".1f")
    return numbers


def draws() -> Numbers:
    """How often a draw of stragglers leaves Coloring quick, and that one node more draws anew."""
    from snowcast.kernels.scenario import Prepared
    from snowcast.sim.library import find
    from snowcast.sim.scenario import load

    numbers: Numbers = {}
    for nodes in (500, 501):
        values = {"protocol": "coloring", "cluster.nodes": nodes}
        scenario = load(find("stable")).with_values(values)
        runs = [
            [message.spread for message in Prepared(scenario, seed).messages()]
            for seed in SEEDS_BY_KERNEL
        ]
        numbers |= _fast(f"coloring_{nodes}_fast", runs)
        numbers |= told(f"coloring_{nodes}_ldt", runs, _last_ms, ".0f")
    return numbers


def one_dead() -> Numbers:
    """LDT of Coloring by kernel where one node is dead and nobody knows it."""
    from snowcast.kernels.scenario import Prepared
    from snowcast.sim.library import find
    from snowcast.sim.scenario import load

    values = {
        "protocol": "coloring",
        "event.0.share": 0.002,
        "processing.stragglers": "aligned",
        "workload.origin": "first",
    }
    scenario = load(find("undetected")).with_values(values)
    runs = [
        [message.spread for message in Prepared(scenario, seed).messages()]
        for seed in SEEDS_BY_KERNEL
    ]
    return told("one_dead_ldt", runs, _last_ms, ".0f")


def breakdown() -> Numbers:
    """Full nodes: what dies, how long it stays in the views, and what the living miss meanwhile."""
    numbers: Numbers = {"breakdown_seeds": f"{len(SEEDS)}"}
    kinds = {
        "standard": ("standard", {}),
        "quick": ("standard", QUICK),
        "coloring": ("coloring", {}),
    }
    found = _full([("breakdown", *kind, seed) for kind in kinds.values() for seed in SEEDS])
    for number, name in enumerate(kinds):
        runs = found[number * len(SEEDS) : (number + 1) * len(SEEDS)]
        one = f"breakdown_{name}"
        numbers |= _spread(f"{one}_reliability", [run["reliability"] for run in runs], ".4f")
        numbers |= _spread(f"{one}_live", [run["reliability_live"] for run in runs], ".4f")
        numbers |= _spread(f"{one}_seen", [run["detected_after_s"] for run in runs], ".1f")
    return numbers


def plumtree() -> Numbers:
    """Full nodes: how many messages met the paper's timers, and how fast the others were."""
    numbers: Numbers = {"plumtree_seeds": f"{len(PLUMTREE_SEEDS)}"}
    kinds = [
        (scenario, name, protocol)
        for scenario in ("stable", "churn", "breakdown")
        for name, protocol in (("paper", "plumtree-paper"), ("fair", "plumtree"))
    ]
    found = _full([(kind[0], kind[2], {}, seed) for kind in kinds for seed in PLUMTREE_SEEDS])
    for number, (scenario, name, _) in enumerate(kinds):
        runs = found[number * len(PLUMTREE_SEEDS) : (number + 1) * len(PLUMTREE_SEEDS)]
        numbers |= of_plumtree(f"plumtree_{name}_{scenario}", runs)
    return numbers


def of_plumtree(key: str, runs: Sequence[Metrics]) -> Numbers:
    """The numbers of one row: LDT with its range over seeds, and means of the others."""
    last_ms = [one for run in runs for one in run["last_ms"]]
    late = sum(one > LATE_US / 1_000 for one in last_ms) / len(last_ms)
    return {
        **_spread(f"{key}_ldt", [run["ldt_ms"] for run in runs], ".0f"),
        f"{key}_late": f"{100 * late:.0f} %",
        f"{key}_rest": f"{fmean(one for one in last_ms if one <= LATE_US / 1_000):.0f}",
        f"{key}_rmr": f"{fmean(run['rmr_bytes'] for run in runs):.0f}",
        f"{key}_reliability": f"{fmean(run['reliability'] for run in runs):.4f}",
    }


def told(key: str, runs: list[Any], metric: Callable[[Any], float], form: str) -> Numbers:
    """The mean over messages of each run, as `_spread` has it."""
    return _spread(key, [fmean(map(metric, messages)) for messages in runs], form)


def _spread(key: str, values: list[float], form: str) -> Numbers:
    """The mean over seeds, and the least and the most of one seed."""
    mean, low, high = fmean(values), min(values), max(values)
    return {key: f"{mean:{form}}", f"{key}_range": f"{low:{form}} to {high:{form}}"}


def _fast(key: str, runs: list[Any]) -> Numbers:
    """Under how many seeds the mean LDT is below FAST_MS."""
    return {key: f"{sum(fmean(map(_last_ms, messages)) < FAST_MS for messages in runs)}"}


def _last_ms(spread: Any) -> float:
    """When the last of all has it."""
    return float(spread.last_us) / 1_000


def _first_ms(spread: Any) -> float:
    """When the first of all has it."""
    return float(spread.first_us[spread.first_us > 0].min()) / 1_000


def _full(asked: list[Run]) -> list[Metrics]:
    """Runs on full nodes, in this order, on all cores."""
    with get_context("spawn").Pool() as pool:
        return pool.starmap(_one_full, asked, chunksize=1)


def _one_full(scenario: str, protocol: str, values: dict[str, Any], seed: int) -> Metrics:
    from snowcast.sim.library import find
    from snowcast.sim.scenario import load
    from support.measured import measured

    run = measured(load(find(scenario)).with_values({"protocol": protocol, **values}), seed)
    checks = {outcome.name: outcome.measured for outcome in run.result.outcomes}
    return {
        "reliability": run.reliability,
        "reliability_live": run.reliability_live,
        "rmr_bytes": run.rmr_bytes,
        "ldt_ms": run.ldt_ms,
        "last_ms": [one.last_us / 1_000 for one in run.messages],
        "detected_after_s": checks.get("crashes_detected", {}).get("detected_after_s"),
    }
