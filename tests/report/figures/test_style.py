"""Files of figures: the same figure is the same file, and ink can be replaced."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from matplotlib.figure import Figure

from snowcast.report.figures.style import INK, curve, legend_below, marked, panels, save, svg_of
from snowcast.report.measured import Interval


def figure() -> Figure:
    made, axes = panels(2)
    for panel in axes:
        ys = [Interval(y, y - 0.1, y + 0.1, 5) for y in (1, 2, 4)]
        curve(panel, [1, 2, 3], ys, "standard", **marked("standard"))
    legend_below(made, axes[0])
    return made


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save(figure(), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_written_is_text_in_ink_and_a_protocol_is_named_once() -> None:
    svg = svg_of(figure())
    ElementTree.fromstring(svg)
    assert svg.count("Snow Standard</text>") == 1
    assert INK in svg
