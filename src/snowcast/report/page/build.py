"""Puts a report's page together: markup, style, script and data in one file.

Rules of this file:
- Whatever comes from data is escaped: text as HTML, the data block so that it cannot be closed.
- The modules become one script: imports go, and so does the word `export`. So their names must
  be told apart across files, which a test holds.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from snowcast.report.cells import METRICS as CELL_METRICS
from snowcast.report.cells import CellRow
from snowcast.report.comparison import METRICS, NOT_IN_PAPER, Entry, seeds_of
from snowcast.report.figures.style import INK
from snowcast.report.measured import FEW
from snowcast.report.numbers import TITLES, number, with_interval
from snowcast.report.paired import REACH, Pair
from snowcast.report.paper import DIFFERENCES, SETTINGS, Setting
from snowcast.report.protocols import look

CELL_COLUMNS = ("variant", "protocol", "n", "k")
MODULES = ("model.js", "ring.js", "timeline.js", "main.js")
_IMPORT = re.compile(r"^import\b[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


class Picture(NamedTuple):
    """One figure as it stands in the page."""

    name: str
    title: str
    caption: str
    svg: str


def build_page(
    title: str,
    subtitle: str,
    entries: Sequence[Entry],
    pairs: Sequence[Pair],
    pictures: Sequence[Picture],
    broadcasts: Sequence[dict[str, Any]],
    rows: Sequence[CellRow] = (),
) -> str:
    """The whole page."""
    sections = {
        "results": ("The paper's table", _results(entries) if entries else ""),
        "paired": ("Under the same seeds", _paired(pairs) if pairs else ""),
        "broadcast": ("One broadcast", _asset("timeline.html") if broadcasts else ""),
        "figures": ("Figures", _figures(pictures) if pictures else ""),
        "differences": ("Why some numbers differ", _differences() if entries else ""),
        "cells": ("All that was run", _cells(rows, is_open=not entries) if rows else ""),
    }
    present = {name: section for name, section in sections.items() if section[1]}
    links = [f'<a href="#{name}">{_text(label)}</a>' for name, (label, _) in present.items()]
    return Template(_asset("page.html")).substitute(
        title=_text(title),
        subtitle=_text(subtitle),
        style=_asset("page.css"),
        navigation="".join(links),
        sections="\n".join([markup for _, markup in present.values()]),
        broadcasts=_data(list(broadcasts)),
        script=script(),
    )


def script() -> str:
    """The modules as one script."""
    return "\n".join([_EXPORT.sub("", _IMPORT.sub("", _asset(name))) for name in MODULES])


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _text(value: str) -> str:
    return html.escape(value)


def _data(value: Any) -> str:
    """JSON that can stand in a script element: no `<` in it can open or close anything."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _results(entries: Sequence[Entry]) -> str:
    """One table for each setting: a row for each protocol, the sources beside each other."""
    has_real = any(entry.real for entry in entries)
    parts = [
        '<section id="results">\n<h2>The paper\'s table</h2>\n'
        "<p>Means over messages and runs, a run for each seed; below them, where it is not a "
        f"point, the 95 % interval. Means over fewer than {FEW} runs stand alone. "
        "Every protocol met the same delays, stragglers and faults.</p>"
    ]
    for name, setting in SETTINGS.items():
        rows = [entry for entry in entries if entry.setting == name]
        if rows:
            parts.append(_setting_table(setting, rows, has_real))
    return "\n".join([*parts, "</section>"])


def _setting_table(setting: Setting, rows: Sequence[Entry], has_real: bool) -> str:
    sources = ["paper", "simulated", *(["real"] if has_real else [])]
    shown = {metric: _sources(metric, sources) for metric in METRICS}
    tops = f'<th scope="colgroup" colspan="{len(sources) - 1}">Seeds</th>' + "".join(
        f'<th scope="colgroup" colspan="{len(names)}">{_text(TITLES[metric])}</th>'
        for metric, names in shown.items()
    )
    names = [*sources[1:], *[name for names in shown.values() for name in names]]
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = []
    for protocol in dict.fromkeys(entry.protocol for entry in rows):
        mine = {entry.metric: entry for entry in rows if entry.protocol == protocol}
        cells = [f"<td>{seeds_of(mine.values(), name) or '-'}</td>" for name in sources[1:]]
        cells += [
            f'<td class="{name}">{_cell(mine[metric], name)}</td>'
            for metric, names in shown.items()
            for name in names
        ]
        body.append(f'<tr><th scope="row">{_text(look(protocol).title)}</th>{"".join(cells)}</tr>')
    return (
        f"<h3>{_text(setting.title)}</h3>\n<p>{_text(setting.text)}</p>\n"
        '<div class="scroll"><table>\n'
        f'<thead><tr><th rowspan="2">Protocol</th>{tops}</tr><tr>{heads}</tr></thead>\n'
        f"<tbody>{''.join(body)}</tbody>\n</table></div>"
    )


def _sources(metric: str, sources: Sequence[str]) -> list[str]:
    return [name for name in sources if not (name == "paper" and metric in NOT_IN_PAPER)]


def _cell(entry: Entry, source: str) -> str:
    mean, spread = entry.shown(source)
    return f"{mean}<small>{spread}</small>" if spread else mean


def _paired(pairs: Iterable[Pair]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_text(SETTINGS[pair.setting].title)}</th>'
        f"<td>{_text(look(pair.protocol).title)}</td><td>{number(REACH, pair.reach)}</td>"
        f"<td>{_text(look(pair.against).title)}</td><td>{number(REACH, pair.reach_against)}</td>"
        f"<td>{with_interval('ldt_ms', pair.difference)}</td>"
        f"<td>{pair.lower} of {pair.difference.runs}</td></tr>"
        for pair in pairs
    )
    return (
        '<section id="paired">\n<h2>Under the same seeds</h2>\n'
        "<p>The difference in LDT between two protocols that met the same delays, stragglers and "
        "faults, with its 95 % interval. Less than 0: the first was sooner. LDT ends with "
        "the last of those reached, so the shares of receivers reached stand beside it.</p>\n"
        '<div class="scroll"><table><thead><tr><th>Setting</th><th>Protocol</th><th>reached</th>'
        "<th>against</th><th>reached</th>"
        "<th>difference (ms)</th><th>sooner under</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>\n</section>"
    )


def _cells(rows: Sequence[CellRow], is_open: bool) -> str:
    """Every cell in one table, folded away where there are the paper's to read first."""
    kinds = ["simulated", *(["real"] if any(row.real for row in rows) else [])]
    tops = "".join(
        f'<th scope="colgroup" colspan="{len(kinds)}">{_text(TITLES[metric])}</th>'
        for metric in CELL_METRICS
    )
    heads = "".join([f'<th scope="col">{kind}</th>' for kind in kinds] * len(CELL_METRICS))
    body = []
    for row in rows:
        names = row.scenario or "agents", row.variant, look(row.protocol).title
        texts = [*names[1:], "-" if row.nodes is None else str(row.nodes), str(row.fanout)]
        values = [getattr(row, kind).get(metric) for metric in CELL_METRICS for kind in kinds]
        metrics = [metric for metric in CELL_METRICS for _ in kinds]
        texts += [number(m, v and v.mean) for m, v in zip(metrics, values, strict=True)]
        cells = "".join(f"<td>{_text(text)}</td>" for text in texts)
        body.append(f'<tr><th scope="row">{_text(names[0])}</th>{cells}</tr>')
    fixed = "".join(f'<th rowspan="2">{name}</th>' for name in ("Scenario", *CELL_COLUMNS))
    return (
        f'<section id="cells">\n<h2>All that was run</h2>\n<details{" open" if is_open else ""}>'
        f"<summary>{len(rows)} cells: means over messages and runs</summary>\n"
        f'<div class="scroll"><table><thead><tr>{fixed}{tops}</tr><tr>{heads}</tr></thead>\n'
        f"<tbody>{''.join(body)}</tbody></table></div>\n</details>\n</section>"
    )


def _figures(pictures: Iterable[Picture]) -> str:
    shown = "\n".join(
        f'<figure id="figure-{picture.name}">\n<h3>{_text(picture.title)}</h3>\n'
        f"{_inline(picture)}\n<figcaption>{_text(picture.caption)}</figcaption>\n</figure>"
        for picture in pictures
    )
    return f'<section id="figures">\n<h2>Figures</h2>\n{shown}\n</section>'


def _inline(picture: Picture) -> str:
    """The SVG element alone, in the page's own ink, with ids of its own."""
    svg = picture.svg[picture.svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r'\b(id="|url\(#|href="#)', rf"\g<1>{picture.name}-", svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{_text(picture.title)}"', 1)


def _differences() -> str:
    items = "\n".join(
        f"<dt><b>{_text(what)}</b></dt><dd>{_prose(why)}</dd>" for what, why in DIFFERENCES
    )
    return (
        '<section id="differences">\n<h2>Why some numbers differ from the paper\'s</h2>\n'
        f"<dl>{items}</dl>\n</section>"
    )


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(text))
