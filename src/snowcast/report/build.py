"""A report: tables of metrics in, figures, report.json, a page and a page of results out.

    OUT/index.html        everything, in one file
    OUT/RESULTS.md        the tables, for the documents of a repository
    OUT/report.json       the numbers, for programs
    OUT/<figure>.svg      and .png

Rules of this file:
- Same tables, same bytes.
- `OUT` is there when the whole report is, and not before; a report that was there is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snowcast.core.errors import UsageError
from snowcast.report.broadcasts import broadcasts
from snowcast.report.cells import cells
from snowcast.report.comparison import Entry, compare
from snowcast.report.figures.catalogue import Drawn, draw_all
from snowcast.report.figures.style import save, svg_of
from snowcast.report.measured import Measured, open_measured, parts_of
from snowcast.report.page.build import Picture, build_page
from snowcast.report.paired import Pair, pairs
from snowcast.report.reaching import reaches
from snowcast.report.results import results_page
from snowcast.report.whole import REPORT, whole_report

TITLE = "snowcast: what was measured"
PAGE = "index.html"
SCHEMA = 1
"""Of `report.json`."""


class Report(NamedTuple):
    """What was written, and the table for a terminal."""

    out: Path
    page: Path
    figures: tuple[str, ...]
    entries: tuple[Entry, ...]


def build(simulated: Path, out: Path, real: Path | None = None) -> Report:
    """Write the report of what was simulated, and of what was measured on real nodes, to `out`."""
    tables, besides = parts_of(open_measured(simulated))
    if besides is not None and real is not None:
        raise UsageError(f"{simulated} has runs of real nodes itself: measure these apart")
    real_tables = besides if real is None else open_measured(real)
    with whole_report(out) as draft:
        entries = compare(tables, real_tables)
        figures = _write(draft, tables, real_tables, entries)
    return Report(out, out / PAGE, figures, tuple(entries))


def _write(
    draft: Path, tables: Measured, real: Measured | None, entries: Sequence[Entry]
) -> tuple[str, ...]:
    drawn = list(draw_all(tables))
    for one in drawn:
        save(one.figure, draft / one.name)
    names = tuple([one.name for one in drawn])
    paired = pairs(tables)
    setting = _setting(tables, real)
    played = broadcasts(tables, "simulated") + (broadcasts(real, "real") if real else [])
    pictures = [
        Picture(one.name, one.title, one.caption, svg_of(one.figure, is_part=True)) for one in drawn
    ]
    everything = cells(tables, real)
    page = build_page(TITLE, setting, entries, paired, pictures, played, everything)
    (draft / PAGE).write_text(page, encoding="utf-8")
    document = _document(setting, tables, real, entries, paired, drawn)
    (draft / "RESULTS.md").write_text(results_page(document), encoding="utf-8")
    (draft / REPORT).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return names


def _document(
    setting: str,
    tables: Measured,
    real: Measured | None,
    entries: Sequence[Entry],
    paired: Sequence[Pair],
    drawn: Sequence[Drawn],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "setting": setting,
        "comparison": [entry.as_dict() for entry in entries],
        "paired": [pair.as_dict() for pair in paired],
        "reached": [reach.as_dict() for reach in reaches(tables)],
        "simulated": tables.summary,
        "real": real.summary if real else [],
        "figures": [{"name": o.name, "title": o.title, "caption": o.caption} for o in drawn],
    }


def _setting(tables: Measured, real: Measured | None) -> str:
    """What was run, in a sentence."""
    said = [_runs("simulated", tables)]
    if real is not None:
        said.append(_runs("on real nodes", real))
    return " ".join(said)


def _runs(how: str, tables: Measured) -> str:
    runs = tables.rows("run_metrics")
    scenarios = ", ".join(sorted({row["scenario"] or "agents" for row in runs}))
    messages = sum(row["messages"] for row in runs)
    noun = "run" if len(runs) == 1 else "runs"
    return f"{len(runs)} {noun} {how} ({scenarios}), {messages} messages in all."
