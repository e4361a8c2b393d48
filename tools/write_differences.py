"""Write docs/results/differences.md: where our numbers differ from the paper's, and why.

    tools/write_differences.py                   all runs, on all cores: half an hour on two
    tools/write_differences.py plumtree          only these, beside the numbers that are kept
    tools/write_differences.py --kept            no runs: the page again, of the numbers kept

All numbers of ours on that page come from the runs that are made here: nobody copies any by hand.
They are kept beside it, in `differences.json`. What is said about them stands in
`differences.md.template` beside this file, with a `${name}` for each number; what is said that
numbers have to carry is in VERDICTS, and no page is written that they do not carry.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template
from textwrap import fill
from typing import Any

from measure_differences import (
    Numbers,
    arithmetic,
    breakdown,
    draws,
    one_dead,
    plumtree,
    stragglers,
)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "differences.md"
TEMPLATE = Path(__file__).with_name("differences.md.template")
KEPT = PAGE.with_suffix(".json")
FILLED: dict[str, Any] = {"width": 100, "break_on_hyphens": False, "break_long_words": False}
PLUMTREE_LDT_MS = {"stable": 3183, "churn": 8099, "breakdown": 4588}
"""The paper's."""


def _is_near(ours: float, paper: float, share: float) -> bool:
    return abs(ours / paper - 1) <= share


def _near(of: Mapping[str, float]) -> list[str]:
    """In which settings the paper's LDT of Plumtree is one that a seed of ours could have."""
    return [
        setting
        for setting, paper in PLUMTREE_LDT_MS.items()
        if of[f"plumtree_paper_{setting}_ldt_low"]
        <= paper
        <= of[f"plumtree_paper_{setting}_ldt_high"]
    ]


def _gap(of: Mapping[str, float], placement: str) -> float:
    return of[f"{placement}_standard_ldt"] / of[f"{placement}_coloring_ldt"]


VERDICTS: dict[str, Callable[[Mapping[str, float]], bool]] = {
    "placed as in the paper, Snow comes within a few hundredths": lambda of: (
        _is_near(of["aligned_standard_ldt"], 1560, 0.05)
        and _is_near(of["aligned_coloring_ldt"], 652, 0.05)
    ),
    "placed anywhere, both are slower and the gap is smaller": lambda of: (
        all(of[f"random_{one}_ldt"] > of[f"aligned_{one}_ldt"] for one in ("standard", "coloring"))
        and 1 < _gap(of, "random") < _gap(of, "aligned")
    ),
    "Coloring is fast under some seeds, and under most it is not": lambda of: (
        0 < of["coloring_500_fast"] < 10 and 0 < of["coloring_501_fast"] < 10
    ),
    "one node more changes the mean little": lambda of: _is_near(
        of["coloring_501_ldt"], of["coloring_500_ldt"], 0.1
    ),
    "Gossip reaches the fixed point": lambda of: _is_near(of["random_gossip_reach"], 0.98, 0.005),
    "in Breakdown, Coloring reaches all of the living": lambda of: (
        of["breakdown_coloring_live"] > 0.99995
    ),
    "with next to no suspicion Standard ends between ours and the paper's": lambda of: (
        of["breakdown_standard_live"] < of["breakdown_quick_live"] < 0.999
    ),
    "deaths cost about what is expected": lambda of: all(
        abs(of[f"breakdown_{one}_live"] - of[f"breakdown_{one}_expected"]) < 0.01
        for one in ("standard", "quick")
    ),
    "Plumtree is near the paper in Breakdown alone": lambda of: _near(of) == ["breakdown"],
    "in Stable and Churn ours is faster": lambda of: all(
        of[f"plumtree_paper_{one}_ldt"] < PLUMTREE_LDT_MS[one] for one in ("stable", "churn")
    ),
    "`plumtree` stays below one second": lambda of: all(
        of[f"plumtree_fair_{setting}_ldt"] < 1_000 for setting in PLUMTREE_LDT_MS
    ),
    "Plumtree's RMR is about one frame": lambda of: all(
        _is_near(of[f"plumtree_paper_{setting}_rmr"], 116, 0.05) for setting in PLUMTREE_LDT_MS
    ),
}
"""What the page says of its numbers in words, and whether they carry it."""


def main(argv: Sequence[str] | None = None) -> None:
    """Make the runs that are asked for, and write the page if its numbers carry what it says."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
    parts = {
        part.__name__: part
        for part in (arithmetic, stragglers, draws, one_dead, breakdown, plumtree)
    }
    parser = argparse.ArgumentParser(description="Write docs/results/differences.md.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--kept", action="store_true", help="make no runs")
    asked = parser.parse_args(argv)
    if unknown := [name for name in asked.parts if name not in parts]:
        parser.error(f"no such part: {', '.join(unknown)}")
    numbers = kept() if asked.kept or asked.parts else {}
    for name in [] if asked.kept else asked.parts or parts:
        numbers |= parts[name]()
        print(f"{name}: {len(numbers)} numbers", file=sys.stderr)
    numbers |= derived(numbers)
    if wrong := not_carried(numbers):
        sys.exit("these numbers do not carry what the page says:\n" + "\n".join(wrong))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps(numbers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(numbers), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")


def kept() -> Numbers:
    """The numbers of the page as it is."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8")))


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


def derived(numbers: Numbers) -> Numbers:
    """What deaths should cost by arithmetic: seconds unseen, times what each of them costs."""
    cost = 9 * float(numbers["lost_mean"]) / (100 * (499 - float(numbers["dead_mean"])))
    return {
        f"breakdown_{name}_expected": f"{1 - cost * float(numbers[f'breakdown_{name}_seen']):.4f}"
        for name in ("standard", "quick")
    }


def not_carried(numbers: Numbers) -> list[str]:
    """What the page says in words, and these numbers do not."""
    of: dict[str, float] = {}
    for name, text in numbers.items():
        words = text.split()
        of[name] = float(words[0])
        if name.endswith("_range"):  # "1 to 2"
            of |= {name.replace("_range", "_low"): of[name]}
            of |= {name.replace("_range", "_high"): float(words[-1])}
    return [verdict for verdict, holds in VERDICTS.items() if not holds(of)]


if __name__ == "__main__":
    main()
