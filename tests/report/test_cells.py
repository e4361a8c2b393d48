"""A row for every cell there is, simulated and real beside each other."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.cells import CellRow, cells
from snowcast.report.measured import Interval, open_measured
from support.metric_rows import summary, write


def test_cells_are_found_by_scenario_variant_size_and_protocol(tmp_path: Path) -> None:
    simulated = [
        summary("demo", "coloring", "ldt_ms", 1),
        summary("demo", "coloring", "reliability", 2),
        summary("demo", "coloring", "data_bytes", 9),
        summary("demo", "standard", "ldt_ms", 3, nodes=60),
        summary("demo", "standard", "ldt_ms", 4),
    ]
    real = [
        summary("demo", "coloring", "ldt_ms", 5),
        summary("another", "gossip", "ldt_ms", 6, variant="a=1", fanout=8),
    ]
    ours = open_measured(write(tmp_path / "simulated", {"summary": simulated}))
    theirs = open_measured(write(tmp_path / "real", {"summary": real}))
    one, two, three, four, five, six = [Interval(x, x, x, 20) for x in range(1, 7)]
    assert cells(ours, theirs) == [
        CellRow("another", "a=1", "gossip", 500, 8, {}, {"ldt_ms": six}),
        CellRow("demo", "", "standard", 60, 4, {"ldt_ms": three}, {}),
        CellRow("demo", "", "standard", 500, 4, {"ldt_ms": four}, {}),
        CellRow(
            "demo", "", "coloring", 500, 4, {"ldt_ms": one, "reliability": two}, {"ldt_ms": five}
        ),
    ]
    assert cells(ours, None)[-1].real == {}


def test_agents_that_were_never_counted_come_first(tmp_path: Path) -> None:
    rows = [summary("", "coloring", "ldt_ms", 1, nodes=nodes) for nodes in (60, None)]
    found = cells(open_measured(write(tmp_path, {"summary": rows})), None)
    assert [row.nodes for row in found] == [None, 60]
