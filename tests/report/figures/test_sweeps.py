"""Sweeps: each point is at the setting that its runs had."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from snowcast.report.figures.sweeps import (
    over_nodes_and_fanout,
    over_stragglers,
    over_undetected,
)
from snowcast.report.measured import Measured, open_measured
from support.metric_rows import Rows, summary, write


def measured(tmp_path: Path, rows: Rows) -> Measured:
    return open_measured(write(tmp_path, {"summary": rows}))


def points(axes: Axes) -> list[list[float]]:
    (line,) = axes.get_lines()
    found: list[list[float]] = line.get_xydata().tolist()
    return found


def test_nodes_and_fanout_are_columns(tmp_path: Path) -> None:
    rows = [
        summary("sweep_nodes", "standard", "ldt_ms", 30, nodes=900),
        summary("sweep_nodes", "standard", "ldt_ms", 20, nodes=100),
        summary("sweep_nodes", "standard", "rmr_bytes", 7, nodes=100),
        summary("sweep_fanout", "standard", "ldt_ms", 40, fanout=2),
    ]
    figure = over_nodes_and_fanout(measured(tmp_path, rows))
    assert figure is not None
    assert [points(axes) for axes in figure.axes] == [[[100, 20], [900, 30]], [[100, 7]], [[2, 40]]]


def test_stragglers_are_shares_at_their_placement(tmp_path: Path) -> None:
    rows = [
        summary(
            "stragglers",
            "coloring",
            "ldt_ms",
            mean,
            variant=f"processing.stragglers={placement},processing.straggler_every={every}",
        )
        for placement, every, mean in [("aligned", 0, 1), ("aligned", 20, 2), ("random", 10, 3)]
    ]
    figure = over_stragglers(measured(tmp_path, rows))
    assert figure is not None
    assert [points(axes) for axes in figure.axes] == [[[0, 1], [5, 2]], [[10, 3]]]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_undetected_deaths_are_a_share(tmp_path: Path) -> None:
    rows = [
        summary("undetected", "coloring", "reliability_live", 0.99, variant="event.0.share=0.1"),
        summary("undetected", "coloring", "reliability_live", 1, variant="event.0.share=0"),
    ]
    figure = over_undetected(measured(tmp_path, rows))
    assert figure is not None
    assert points(figure.axes[0]) == [[0, 1], [10, 0.99]]


def test_without_runs_there_is_no_figure(tmp_path: Path) -> None:
    nothing = measured(tmp_path, [summary("stable", "coloring", "ldt_ms", 1)])
    assert over_nodes_and_fanout(nothing) is None
    assert over_stragglers(nothing) is None
    assert over_undetected(nothing) is None
