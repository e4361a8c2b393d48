"""docs/RESULTS.md from what was measured: no number in it is written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from snowcast.report.comparison import METRICS, Entry
from snowcast.report.numbers import TITLES, number, with_interval
from snowcast.report.paired import Pair
from snowcast.report.paper import DIFFERENCES, SCENARIOS
from snowcast.report.protocols import look

HEAD = """# Results

Written by `snowcast report`; nothing here is written by hand. Means over messages and runs, and
where it is not a point, the 95 % interval of the mean in brackets. Every protocol met the same
delays, stragglers and faults. What each metric is: [METRICS.md](METRICS.md).
"""


def results_page(
    setting: str, entries: Sequence[Entry], pairs: Sequence[Pair], figures: Sequence[str]
) -> str:
    """The whole page. `setting` says what was run, `figures` are names of the files beside it."""
    parts = [HEAD, setting]
    for scenario in SCENARIOS:
        rows = [entry for entry in entries if entry.scenario == scenario]
        if rows:
            parts.append(_scenario(scenario, rows))
    if pairs:
        parts.append(_paired(pairs))
    if entries:
        parts.append(_differences())
    if figures:
        pictures = "\n\n".join(f"![{name}]({name}.svg)" for name in figures)
        parts.append(f"## Figures\n\n{pictures}")
    return "\n\n".join([part.strip("\n") for part in parts]) + "\n"


def _scenario(scenario: str, rows: Sequence[Entry]) -> str:
    has_real = any(entry.real for entry in rows)
    heads = ["protocol", "metric", "paper", "simulated", *(["real"] if has_real else [])]
    lines = [f"## {scenario.capitalize()}", "", _line(heads), _line(["---"] * len(heads))]
    for entry in sorted(rows, key=lambda entry: METRICS.index(entry.metric)):
        cells = [
            look(entry.protocol).title,
            TITLES[entry.metric],
            number(entry.metric, entry.paper),
            with_interval(entry.metric, entry.simulated),
        ]
        if has_real:
            cells.append(with_interval(entry.metric, entry.real))
        lines.append(_line(cells))
    return "\n".join(lines)


def _paired(pairs: Sequence[Pair]) -> str:
    lines = [
        "## Under the same seeds",
        "",
        "The difference in LDT; less than 0: the first was sooner.",
        "",
        _line(["scenario", "protocol", "against", "difference (ms)", "sooner under"]),
        _line(["---"] * 5),
    ]
    for pair in pairs:
        names = [look(name).title for name in (pair.protocol, pair.against)]
        seeds = f"{pair.lower} of {pair.difference.runs} seeds"
        cells = [pair.scenario, *names, with_interval("ldt_ms", pair.difference), seeds]
        lines.append(_line(cells))
    return "\n".join(lines)


def _differences() -> str:
    items = "\n".join(f"- **{what}.** {why}" for what, why in DIFFERENCES)
    return f"## Why some numbers differ from the paper's\n\n{items}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
