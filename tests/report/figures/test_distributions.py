"""Distributions: a line for each run, of exactly what its rows say."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.figures.distributions import (
    POINTS_MAX,
    RUNS_MAX,
    delivery_times,
    load_per_node,
)
from snowcast.report.measured import open_measured
from support.metric_rows import of_run, summary, write

SUMMARY = [summary("stable", "standard", "ldt_ms", 1)]


def test_deliveries_add_up_over_time(tmp_path: Path) -> None:
    rows = [
        of_run("standard", from_us=2_000, to_us=4_000, delivered_share=1.0),
        of_run("standard", from_us=1_000, to_us=2_000, delivered_share=0.25),
    ]
    measured = open_measured(write(tmp_path, {"summary": SUMMARY, "delivery_histogram": rows}))
    figure = delivery_times(measured)
    assert figure is not None
    (line,) = figure.axes[0].get_lines()
    assert line.get_xydata().tolist() == [[1, 0], [2, 0.25], [4, 1]]
    assert delivery_times(measured, "churn") is None


def test_load_goes_from_the_busiest_to_the_idlest_of_the_roster(tmp_path: Path) -> None:
    sent = [(300, True), (0, True), (500, False), (100, True), (200, True)]
    rows = [
        of_run("gossip", f"run-{run}", node=f"n{node}", on_roster=on, data_bytes_sent=size)
        for run in range(RUNS_MAX + 2)
        for node, (size, on) in enumerate(sent)
    ]
    measured = open_measured(write(tmp_path, {"summary": SUMMARY, "node_load": rows}))
    figure = load_per_node(measured)
    assert figure is not None
    lines = figure.axes[0].get_lines()
    assert len(lines) == RUNS_MAX
    assert lines[0].get_xydata().tolist() == [[25, 0.3], [50, 0.2], [75, 0.1], [100, 0]]
    assert load_per_node(measured, "churn") is None


def test_of_many_nodes_as_many_are_drawn_as_can_be_seen_with_both_ends(tmp_path: Path) -> None:
    rows = [
        of_run("gossip", node=f"n{node}", on_roster=True, data_bytes_sent=1_000 * node)
        for node in range(500)
    ]
    figure = load_per_node(open_measured(write(tmp_path, {"summary": SUMMARY, "node_load": rows})))
    assert figure is not None
    (line,) = figure.axes[0].get_lines()
    points = line.get_xydata().tolist()
    assert len(points) == POINTS_MAX
    assert points[0] == [0.2, 499]
    assert points[-1] == [100, 0]
    assert points == sorted(points)


def test_runs_of_other_sizes_take_nobodys_place(tmp_path: Path) -> None:
    """Names of runs of 60 nodes may stand before those of 500."""
    rows = [
        of_run("gossip", f"{nodes}-{run}", node="n", nodes=nodes, on_roster=True, data_bytes_sent=1)
        for nodes in (1500, 500, 60)
        for run in range(RUNS_MAX)
    ]
    rows = [{**row, "data_bytes_sent": 1_000 * row["nodes"]} for row in rows]
    for place, kept, height, title in [
        ("all", rows, 500, ""),
        ("others", [row for row in rows if row["nodes"] != 500], 1500, "n = 1500, k = 4"),
    ]:
        tables = {"summary": SUMMARY, "node_load": kept}
        figure = load_per_node(open_measured(write(tmp_path / place, tables)))
        assert figure is not None
        lines = figure.axes[0].get_lines()
        assert [line.get_ydata().tolist() for line in lines] == [[height]] * RUNS_MAX
        assert figure.get_suptitle() == title
