"""How all figures look: sizes, grids, lines with their intervals, and files of them.

Rules of this file:
- Same numbers, same bytes: no date, no random id in a file.
- What is written in ink is written in INK, which a page can replace by its own colour of text.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from snowcast.report.measured import Interval
from snowcast.report.protocols import is_ours, look

INK = "#1b2430"
PNG_DPI = 160
SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.axisbelow": True,
    "grid.alpha": 0.14,
    "grid.color": INK,
    "grid.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "snowcast",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


WIDTHS = {1: 7.2, 2: 8.4, 3: 11.4}
"""Of a figure with so many panels, in inches."""

LEGEND_COLUMN = 1.9
"""How wide a column of a legend has to be."""


def panels(count: int, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels beside each other."""
    with matplotlib.rc_context(SETTINGS):
        layout = ConstrainedLayoutEngine(w_pad=0.1)
        figure = Figure(figsize=(WIDTHS[count], height), layout=layout)
        FigureCanvasAgg(figure)
        return figure, list(figure.subplots(1, count, squeeze=False)[0])


def curve(
    axes: Axes, xs: Sequence[float], ys: Sequence[Interval], protocol: str, **style: Any
) -> None:
    """A line through the means, with the intervals, where there are any, as a band around it."""
    shown = look(protocol)
    front = {"linewidth": 1.8, "zorder": 3} if is_ours(protocol) else {"linewidth": 1.1}
    style = {"label": shown.title, "color": shown.colour, **front, **style}
    axes.plot(xs, [y.mean for y in ys], **style)
    ends = [y.ends or (y.mean, y.mean) for y in ys]
    low, high = [low for low, _ in ends], [high for _, high in ends]
    axes.fill_between(xs, low, high, color=style["color"], alpha=0.18, linewidth=0)


def marked(protocol: str) -> dict[str, Any]:
    """The style of a line whose points were measured one by one."""
    return {"marker": look(protocol).marker, "markersize": 4}


def titled(figure: Figure, text: str) -> None:
    """Write a line above all panels; none if there is nothing to say."""
    if text:
        figure.suptitle(text, fontsize=SETTINGS["font.size"], color=INK)


def logarithmic(axes: Axes) -> None:
    """Make the y axis logarithmic, with numbers that people read: 500, 1000, 2000."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def shares(axes: Axes) -> None:
    """Let the y axis end at 1, and begin below the least that is drawn, or below 0.99."""
    least = min(0.99, axes.dataLim.y0)
    room = 0.05 * (1 - least)
    axes.set_ylim(least - room, 1 + room)


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    columns_max = int(figure.get_figwidth() / LEGEND_COLUMN)
    rows = ceil(len(unique) / columns_max)
    figure.legend(
        list(unique.values()),
        list(unique),
        loc="outside lower center",
        ncols=ceil(len(unique) / rows),
        labelcolor=INK,
        frameon=False,
    )


def svg_of(figure: Figure, is_part: bool = False) -> str:
    """The figure as SVG, the same text for the same figure; on no ground as a part of a page."""
    out = io.StringIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(
            out,
            format="svg",
            transparent=is_part,
            facecolor="none" if is_part else "white",
            metadata={"Date": None, "Creator": None},
        )
    return "".join([f"{line.rstrip()}\n" for line in out.getvalue().splitlines()])


def save(figure: Figure, path: Path) -> None:
    """Write `path`.svg and `path`.png, on white."""
    path.with_suffix(".svg").write_text(svg_of(figure), encoding="utf-8")
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(
            path.with_suffix(".png"),
            dpi=PNG_DPI,
            facecolor="white",
            metadata={"Software": None},
        )
