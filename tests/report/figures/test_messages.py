"""The curves over messages: a line a protocol, through the means, at the messages' places."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.figures.messages import over_messages
from snowcast.report.measured import open_measured
from support.metric_rows import at_message, summary, write


def test_each_panel_has_the_means_of_its_metric(tmp_path: Path) -> None:
    metrics = {"ldt_ms": 1000.0, "rmr_bytes": 100.0, "reliability": 1.0}
    rows = [
        at_message(number, "stable", protocol, metric, mean * (number + 1))
        for protocol in ("gossip", "standard")
        for metric, mean in metrics.items()
        for number in (1, 0)
    ]
    rows.append(at_message(0, "stable", "gossip", "ldt_ms", 5, variant="a=1"))
    tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "message_summary": rows}
    measured = open_measured(write(tmp_path, tables))

    figure = over_messages(measured, "stable")
    assert figure is not None
    for axes, mean in zip(figure.axes, metrics.values(), strict=True):
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert list(lines) == ["Snow Standard", "Gossip"]
        for line in lines.values():
            assert line.get_xydata().tolist() == [[0, mean], [1, 2 * mean]]
    assert over_messages(measured, "churn") is None


def test_runs_of_other_sizes_are_in_no_curve_and_a_size_not_the_papers_is_named(
    tmp_path: Path,
) -> None:
    small = at_message(0, "stable", "gossip", "ldt_ms", 5, nodes=60)
    paper = at_message(0, "stable", "gossip", "ldt_ms", 7)
    for name, rows, height, title in [
        ("both", [small, paper, small], 7, ""),
        ("small", [small], 5, "n = 60, k = 4"),
    ]:
        tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "message_summary": rows}
        figure = over_messages(open_measured(write(tmp_path / name, tables)), "stable")
        assert figure is not None
        (line,) = figure.axes[0].get_lines()
        assert line.get_xydata().tolist() == [[0, height]]
        assert figure.get_suptitle() == title
