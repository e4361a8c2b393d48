"""Files of figures: the same figure is the same file, and ink can be replaced."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from snowcast.report.figures.style import (
    INK,
    curve,
    legend_below,
    logarithmic,
    marked,
    panels,
    save,
    shares,
    svg_of,
)
from snowcast.report.measured import Interval
from snowcast.report.protocols import LOOKS


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


def test_a_figure_stands_on_white_and_as_a_part_of_a_page_on_nothing() -> None:
    assert "fill: #ffffff" in svg_of(figure())
    assert "fill: #ffffff" not in svg_of(figure(), is_part=True)


def test_a_mean_over_few_runs_is_drawn_without_a_band() -> None:
    _, (axes,) = panels(1)
    curve(axes, [1, 2], [Interval(5, None, None, 1), Interval(7, 1, 9, 2)], "standard")
    (band,) = axes.collections
    assert band.get_datalim(axes.transData).height == 2


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_legend_of_all_protocols_fits_below_any_figure(count: int) -> None:
    made, axes = panels(count)
    for protocol in LOOKS:
        curve(axes[0], [1, 2], [Interval(1, 1, 1, 1)] * 2, protocol)
    legend_below(made, axes[0])
    made.draw_without_rendering()
    box = made.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= made.bbox.x1
    assert box.y1 <= axes[0].get_window_extent().y0


def test_numbers_on_a_logarithmic_axis_are_written_out() -> None:
    made, (axes,) = panels(1)
    logarithmic(axes)
    axes.set_ylim(400, 6_000)
    made.draw_without_rendering()
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert {"500", "1000", "2000", "5000"} <= set(shown)


@pytest.mark.parametrize(("values", "bottom"), [([1, 1], 0.9895), ([0.5, 1], 0.475)])
def test_an_axis_of_shares_ends_at_one(values: list[float], bottom: float) -> None:
    _, (axes,) = panels(1)
    axes.plot(range(len(values)), values)
    shares(axes)
    low, high = axes.get_ylim()
    assert low == pytest.approx(bottom)
    assert 1 < high < 1.03
