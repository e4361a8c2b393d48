"""The page of results in Markdown, from a report's document: no number in it is written by hand.

Rules of this file:
- It is made of what stands in report.json, and of the rows of `make bench`, and of nothing else:
  whoever has these has the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import msgspec

from snowcast.report.comparison import METRICS, NOT_IN_PAPER, Entry, seeds_of
from snowcast.report.measured import FEW
from snowcast.report.numbers import TITLES, amount, number, with_interval
from snowcast.report.paired import REACH, Pair
from snowcast.report.paper import DIFFERENCES, SETTINGS
from snowcast.report.protocols import look
from snowcast.report.reaching import Reach

COLUMNS = 100
HEAD = """# Results

Written by a script; nothing here is written by hand. A number is the mean over messages and runs,
a run for each seed. Below it, where it is not a point, stands the 95 % interval of the mean over
runs. **Means over fewer than {few} runs stand alone**: they have no interval worth the name, and
say little where the draw of a seed decides, as with stragglers. Every protocol met the same delays,
stragglers and faults. *Paper* is what the paper prints, *simulated* ran on a virtual clock, *real*
on agents with real sockets on one machine.
"""

PAIRED = """The difference in LDT, from the send; less than 0: the first was sooner. LDT ends
with the last of those that a protocol reaches, so that one which gives up on some may look fast:
the shares of receivers reached stand beside it, and only where these are alike is sooner better."""
REACHED = """The time from the send within which so many of all intended deliveries of a run were
made, the median over runs and the least and the most of one: the same end for all. A dash: not
every run came as far."""
PAIRED_COLUMNS = (
    *("setting", "protocol", "reached", "against", "reached"),
    *("difference (ms)", "sooner under"),
)

Document = Mapping[str, Any]
"""What `report.json` holds."""


def results_page(
    document: Document,
    bench: Mapping[str, Any] | None = None,
    place: str = "",
    more: str = "",
) -> str:
    """The whole page.

    `bench` is what `make bench` wrote, `place` what stands before the names of the figures' files,
    and `more` a page about the differences, in place of what is said of them in few words.
    """
    entries = [msgspec.convert(entry, Entry) for entry in document["comparison"]]
    pairs = [msgspec.convert(pair, Pair) for pair in document["paired"]]
    reached = [msgspec.convert(one, Reach) for one in document.get("reached", [])]
    parts = [HEAD.format(few=FEW), _folded(document["setting"])]
    if entries:
        parts += ["## The paper's table", *_settings(entries)]
    if pairs:
        parts.append(_paired(pairs))
    if reached:
        parts.append(_reached(reached))
    if document["figures"]:
        parts += ["## Figures", *[_figure(figure, place) for figure in document["figures"]]]
    if more:
        parts.append(_one_level_down(more))
    elif entries:
        parts.append(_differences())
    if bench:
        parts.append(_benchmarks(bench))
    return "\n\n".join([part.strip("\n") for part in parts]) + "\n"


def _settings(entries: Sequence[Entry]) -> list[str]:
    """A table for each setting: a row for each protocol, the sources beside each other."""
    has_real = any(entry.real for entry in entries)
    made = []
    for name, setting in SETTINGS.items():
        rows = [entry for entry in entries if entry.setting == name]
        if rows:
            text = _folded(f"{setting.text} {_seeds(rows)}")
            made.append(f"### {setting.title}\n\n{text}\n\n{_table(rows, has_real)}")
    return made


def _seeds(rows: Sequence[Entry]) -> str:
    """Under how many seeds a table's protocols were simulated, in a sentence."""
    counts = [
        seeds_of([row for row in rows if row.protocol == protocol], "simulated")
        for protocol in dict.fromkeys(row.protocol for row in rows)
    ]
    least, most = min(counts), max(counts)
    if not most:
        return "Not simulated."
    many = f"{most} seed{'s' * (most > 1)}" if least == most else f"{least} to {most} seeds"
    return f"Simulated under {many}."


def _table(rows: Sequence[Entry], has_real: bool) -> str:
    columns = [
        (metric, source)
        for metric in METRICS
        for source in ("paper", "simulated", *(["real"] if has_real else []))
        if not (source == "paper" and metric in NOT_IN_PAPER)
    ]
    sources = [source for source in ("simulated", "real") if source != "real" or has_real]
    seeds = [f"seeds, {source}" for source in sources]
    heads = ["protocol", *seeds, *[f"{TITLES[metric]}, {source}" for metric, source in columns]]
    lines = [_line(heads), _line(["---", *["---:"] * (len(seeds) + len(columns))])]
    for protocol in dict.fromkeys(entry.protocol for entry in rows):
        mine = {entry.metric: entry for entry in rows if entry.protocol == protocol}
        cells = [str(seeds_of(mine.values(), source) or "-") for source in sources]
        cells += [_cell(mine[metric], source) for metric, source in columns]
        lines.append(_line([look(protocol).title, *cells]))
    return "\n".join(lines)


def _cell(entry: Entry, source: str) -> str:
    mean, spread = entry.shown(source)
    return f"{mean}<br><sub>{spread}</sub>" if spread else mean


def _paired(pairs: Sequence[Pair]) -> str:
    lines = [
        "## Under the same seeds",
        "",
        _folded(PAIRED),
        "",
        _line(PAIRED_COLUMNS),
        _line(["---", "---", "---:", "---", "---:", "---:", "---:"]),
    ]
    for pair in pairs:
        one, other = [
            [look(name).title, number(REACH, share)]
            for name, share in ((pair.protocol, pair.reach), (pair.against, pair.reach_against))
        ]
        runs = pair.difference.runs
        seeds = f"{pair.lower} of {runs} seed{'s' * (runs != 1)}"
        difference = with_interval("ldt_ms", pair.difference)
        lines.append(_line([SETTINGS[pair.setting].title, *one, *other, difference, seeds]))
    return "\n".join(lines)


def _reached(reached: Sequence[Reach]) -> str:
    """A row for each protocol in each setting, a column for each share."""
    shares = sorted({one.share for one in reached})
    found = {(one.setting, one.protocol, one.share): one for one in reached}
    heads = [f"{100 * share:g} % (ms)" for share in shares]
    lines = [
        "## Until so many had it",
        "",
        _folded(REACHED),
        "",
        _line(["setting", "protocol", "seeds", *heads]),
        _line(["---", "---", "---:", *["---:"] * len(heads)]),
    ]
    for setting, protocol in dict.fromkeys((one.setting, one.protocol) for one in reached):
        row = [found[setting, protocol, share] for share in shares]
        titles = [SETTINGS[setting].title, look(protocol).title, str(row[0].runs)]
        lines.append(_line([*titles, *map(_reach, row)]))
    return "\n".join(lines)


def _reach(one: Reach) -> str:
    middle, least, most = [
        number("ldt_ms", value) for value in (one.median_ms, one.least_ms, one.most_ms)
    ]
    return middle if least == most else f"{middle}<br><sub>{least} to {most}</sub>"


def _differences() -> str:
    items = "\n".join([_folded(f"- **{what}.** {why}", "  ") for what, why in DIFFERENCES])
    return f"## Why some numbers differ from the paper's\n\n{items}"


def _figure(figure: Mapping[str, str], place: str) -> str:
    name, title, caption = figure["name"], figure["title"], figure["caption"]
    return f"### {title}\n\n![{title}]({place}{name}.svg)\n\n{_folded(caption)}"


def _benchmarks(bench: Mapping[str, Any]) -> str:
    """What `make bench` measured, each number beside what it is compared with, and its limit."""
    lines = [
        "## Speed and size",
        "",
        "From one run of `make bench`; what is compared was measured in turns. Limits are those",
        "that the project has set itself.",
    ]
    for name, made in bench.items():
        where = f"{made['cpus']} cores, {made['machine']}, Python {made['python']}"
        lines += ["", f"### {name}", "", f"On {where}, {made['at'][:10]}.", ""]
        lines += [_line(["what", "measured", "compared with", "ratio", "to reach", "reached"])]
        lines += [_line(["---", "---:", "---", "---:", "---:", "---"])]
        lines += [_line(_bench_cells(row)) for row in made["rows"]]
    return "\n".join(lines)


def _bench_cells(row: Mapping[str, Any]) -> list[str]:
    if row["why_not"]:
        return [row["what"], "-", "", "", "", f"not measured: {row['why_not']}"]
    rival, limit, unit = row["rival"], "", row["unit"]
    beside = f"{rival}: {amount(row['rival_measured'], unit)}" if rival else ""
    ratio = f"{row['judged']:.2f}" if rival and row["judged"] is not None else ""
    if row["limit"] is not None:
        sign = "≥" if row["at_least"] else "≤"
        limit = f"{sign} {amount(row['limit'], '' if rival else unit)}"
    reached = "" if row["limit"] is None else "yes" if row["ok"] else "**no**"
    return [row["what"], amount(row["measured"], unit), beside, ratio, limit, reached]


def _one_level_down(markdown: str) -> str:
    """The same as a part of this page: each heading a level deeper, and no word for its authors."""
    markdown = re.sub(r"\A<!--.*?-->\s*", "", markdown, flags=re.DOTALL)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.startswith("```") else re.sub(r"^#", "##", part, flags=re.MULTILINE)
        for part in parts
    )


def _folded(text: str, indent: str = "") -> str:
    """Prose in lines of 100 columns; what is indented is all but the first."""
    return fill(
        text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
