"""How all figures look: sizes, grids, lines with their intervals, and files of them.

Rules of this file:
- Same numbers, same bytes: no date, no random id in a file.
- What is written in ink is written in INK, which a page can replace by its own colour of text.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from snowcast.report.measured import Interval
from snowcast.report.protocols import look

INK = "#1b2430"
PNG_DPI = 160
SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.alpha": 0.25,
    "grid.color": INK,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "snowcast",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def panels(count: int, height: float = 2.8) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels beside each other."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(3.6 * count if count > 1 else 5.2, height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure, list(figure.subplots(1, count, squeeze=False)[0])


def curve(
    axes: Axes, xs: Sequence[float], ys: Sequence[Interval], protocol: str, **style: Any
) -> None:
    """A line through the means, with the intervals as a band around it."""
    shown = look(protocol)
    style = {"label": shown.title, "color": shown.colour, "linewidth": 1.4, **style}
    axes.plot(xs, [y.mean for y in ys], **style)
    low, high = [y.low for y in ys], [y.high for y in ys]
    axes.fill_between(xs, low, high, color=style["color"], alpha=0.18, linewidth=0)


def marked(protocol: str) -> dict[str, Any]:
    """The style of a line whose points were measured one by one."""
    return {"marker": look(protocol).marker, "markersize": 4}


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    figure.legend(
        list(unique.values()),
        list(unique),
        loc="outside lower center",
        ncols=min(4, len(unique)),
        labelcolor=INK,
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
