"""Write docs/results/differences.md: where our numbers differ from the paper's, and why.

All numbers of ours on that page come from the runs that are made here: nobody copies any by hand.
It takes some minutes. What is said about them stands in `differences.md.template` beside this file,
with a `${name}` for each number.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from string import Template
from textwrap import fill
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "differences.md"
TEMPLATE = Path(__file__).with_name("differences.md.template")
SEEDS_BY_KERNEL = range(20)
SEEDS = range(5)
PLUMTREE_SEEDS = range(2)
LATE_US = 6_000_000
FILLED: dict[str, Any] = {"width": 100, "break_on_hyphens": False, "break_long_words": False}
STRAGGLERS = {"aligned": ("aligned", 20), "random": ("random", 20), "none": ("random", 0)}
COMPILED = ("standard", "coloring", "gossip")
QUICK = {
    "cluster.config.suspicion_min_us": 100_000,
    "cluster.config.suspicion_max_factor": 1,
}
"""As good as no suspicion: whoever does not answer is evicted."""

Numbers = dict[str, str]


def main() -> None:
    """Make all runs, and write the page."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
    numbers: Numbers = {}
    for measure in (arithmetic, stragglers, one_dead, breakdown, plumtree):
        numbers |= measure()
        print(f"{measure.__name__}: {len(numbers)} numbers", file=sys.stderr)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(numbers), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")


def page(numbers: Numbers) -> str:
    """The page; KeyError for a number that nobody has measured."""
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(numbers)
    return "\n\n".join(map(_filled, text.rstrip("\n").split("\n\n"))) + "\n"


def _filled(block: str) -> str:
    """A paragraph, or a list, with its lines filled; tables and code as they are."""
    if block.startswith(("|", "#", "```", "<")):
        return block
    return "\n".join(
        fill(" ".join(item.split()), subsequent_indent="  " * item.startswith("- "), **FILLED)
        for item in block.replace("\n- ", "\0- ").split("\0")
    )


def arithmetic() -> Numbers:
    """What follows from the trees and the codec alone."""
    from snowcast.core.trees import Mode
    from snowcast.kernels.dissemination import sizes_of_frames
    from snowcast.planning.build import build_plan
    from snowcast.planning.figures import blast

    lost = blast(build_plan(500, 4, 0, Mode.STANDARD)).lost
    mean_lost = sum(lost.values()) / 499
    mean_dead = fmean(number // 10 for number in range(100))
    least, one, two = sizes_of_frames()
    return {
        "frame_bytes": f"{least}",
        "frame_bytes_1": f"{one}",
        "frame_bytes_2": f"{two}",
        "lost_mean": f"{mean_lost:.2f}",
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
    numbers: Numbers = {}
    for name, protocol, values in (
        ("standard", "standard", {}),
        ("quick", "standard", QUICK),
        ("coloring", "coloring", {}),
    ):
        runs = list(_full("breakdown", protocol, SEEDS, values))
        one = f"breakdown_{name}"
        numbers |= _spread(f"{one}_reliability", [run.reliability for run in runs], ".4f")
        numbers |= _spread(f"{one}_live", [run.reliability_live for run in runs], ".4f")
        seconds = [run.result.measured("crashes_detected")["detected_after_s"] for run in runs]
        numbers |= _spread(f"{one}_seen", seconds, ".1f")
    return numbers


def plumtree() -> Numbers:
    """Full nodes: how many messages met the paper's timers, and how fast the others were."""
    numbers: Numbers = {}
    for scenario in ("stable", "churn", "breakdown"):
        for name, protocol in (("paper", "plumtree-paper"), ("fair", "plumtree")):
            runs = list(_full(scenario, protocol, PLUMTREE_SEEDS, {}))
            messages = [one for run in runs for one in run.messages]
            rest = [one.last_us / 1_000 for one in messages if one.last_us <= LATE_US]
            late = sum(one.last_us > LATE_US for one in messages) / len(messages)
            key = f"plumtree_{name}_{scenario}"
            numbers[f"{key}_late"] = f"{100 * late:.0f} %"
            numbers[f"{key}_rest"] = f"{fmean(rest):.0f}"
            numbers[f"{key}_ldt"] = f"{fmean(run.ldt_ms for run in runs):.0f}"
            numbers[f"{key}_rmr"] = f"{fmean(run.rmr_bytes for run in runs):.0f}"
            numbers[f"{key}_reliability"] = f"{fmean(run.reliability for run in runs):.4f}"
    return numbers


def told(key: str, runs: list[Any], metric: Callable[[Any], float], form: str) -> Numbers:
    """The mean over messages of each run, as `_spread` has it."""
    return _spread(key, [fmean(map(metric, messages)) for messages in runs], form)


def _spread(key: str, values: list[float], form: str) -> Numbers:
    """The mean over seeds, and the least and the most of one seed."""
    mean, low, high = fmean(values), min(values), max(values)
    return {key: f"{mean:{form}}", f"{key}_range": f"{low:{form}} to {high:{form}}"}


def _last_ms(spread: Any) -> float:
    """When the last of all has it."""
    return float(spread.last_us) / 1_000


def _first_ms(spread: Any) -> float:
    """When the first of all has it."""
    return float(spread.first_us[spread.first_us > 0].min()) / 1_000


def _full(scenario: str, protocol: str, seeds: range, values: dict[str, Any]) -> Iterator[Any]:
    from snowcast.sim.library import find
    from snowcast.sim.scenario import load
    from support.measured import measured

    asked = load(find(scenario)).with_values({"protocol": protocol, **values})
    for seed in seeds:
        yield measured(asked, seed)


if __name__ == "__main__":
    main()
