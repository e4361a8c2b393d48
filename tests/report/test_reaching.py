"""The time until so many have it: the same end for all, and none for who does not come as far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snowcast.report.measured import Measured, open_measured
from snowcast.report.reaching import Reach, reaches
from support.metric_rows import of_run, summary, write


def measured(tmp_path: Path, rows: list[dict[str, Any]]) -> Measured:
    tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "delivery_histogram": rows}
    return open_measured(write(tmp_path, tables))


def run_of(protocol: str, run: str, ends: dict[int, float], **changes: Any) -> list[dict[str, Any]]:
    return [
        of_run(protocol, run, to_us=1_000 * to_ms, delivered_share=share, **changes)
        for to_ms, share in ends.items()
    ]


def test_who_gives_up_on_some_has_no_time_for_all(tmp_path: Path) -> None:
    rows = [
        *run_of("gossip", "g0", {300: 0.9, 600: 0.98}),
        *run_of("coloring", "c0", {500: 0.5, 700: 0.95, 900: 1.0}),
        *run_of("coloring", "c1", {800: 0.975, 1000: 1.0}),
        *run_of("coloring", "small", {1: 1.0}, nodes=60),
        *run_of("coloring", "varied", {1: 1.0}, variant="a=1"),
    ]
    assert reaches(measured(tmp_path, rows)) == [
        Reach("stable", "coloring", 0.9, 750, 700, 800, 2),
        Reach("stable", "coloring", 0.975, 850, 800, 900, 2),
        Reach("stable", "coloring", 0.99, 950, 900, 1000, 2),
        Reach("stable", "gossip", 0.9, 300, 300, 300, 1),
        Reach("stable", "gossip", 0.975, 600, 600, 600, 1),
        Reach("stable", "gossip", 0.99, None, None, None, 1),
    ]


def test_a_share_that_one_run_did_not_reach_has_no_time(tmp_path: Path) -> None:
    rows = [*run_of("gossip", "g0", {300: 0.95}), *run_of("gossip", "g1", {300: 0.89})]
    assert {one.median_ms for one in reaches(measured(tmp_path, rows))} == {None}
    assert reaches(measured(tmp_path / "none", run_of("gossip", "x", {1: 1.0}, nodes=60))) == []
