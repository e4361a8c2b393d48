"""What the page plays is what the tables say, in the order of time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snowcast.report import broadcasts as module
from snowcast.report.broadcasts import broadcasts
from snowcast.report.measured import open_measured
from support.metric_rows import broadcast, summary, write


def tables(tmp_path: Path) -> Path:
    rows = {"summary": [summary("stable", "coloring", "ldt_ms", 1)], **broadcast()}
    return write(tmp_path, rows)


def test_a_broadcast_is_numbers_for_the_model_of_the_page(tmp_path: Path) -> None:
    (made,) = broadcasts(open_measured(tables(tmp_path)), "simulated")
    assert made == {
        "label": "stable, Snow Coloring, 4 nodes, simulated",
        "run": "r",
        "message": "m",
        "scenario": "stable",
        "protocol": "coloring",
        "source": "simulated",
        "fanout": 4,
        "hop_timeout_us": 1_000_000,
        "origin": 1,
        "nodes": [
            ["10.0.0.1:1", "plain", 0],
            ["10.0.0.2:1", "plain", 0],
            ["10.0.0.3:1", "straggler", 0],
            ["10.0.0.4:1", "plain", 1],
        ],
        "frames": [
            [2_000, 1, 2, 1, 1, 1],
            [2_500, 1, 2, 2, 1, 0],
            [1_002_000, 1, 0, 1, 2, 1],
        ],
    }


def test_what_no_browser_would_play_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRAMES_MAX", 2)
    assert broadcasts(open_measured(tables(tmp_path)), "simulated") == []


def test_what_is_there_to_be_looked_at_comes_first(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"broadcast_nodes": [], "broadcast_frames": []}
    order = [("churn", "coloring"), ("repair", "coloring"), ("repair", "standard")]
    for number, (scenario, protocol) in enumerate(order):
        for table, found in broadcast().items():
            changes = {"run": f"r{number}", "scenario": scenario, "protocol": protocol}
            rows[table] += [{**row, **changes} for row in found]
    summaries = [summary("stable", "coloring", "ldt_ms", 1)]
    made = broadcasts(open_measured(write(tmp_path, {"summary": summaries, **rows})), "simulated")
    assert [(one["scenario"], one["protocol"]) for one in made] == [
        ("repair", "standard"),
        ("repair", "coloring"),
        ("churn", "coloring"),
    ]


def test_only_snow_sends_in_the_place_of_others(tmp_path: Path) -> None:
    rows = {
        table: [{**row, "protocol": "plumtree"} for row in found]
        for table, found in broadcast().items()
    }
    summaries = [summary("stable", "plumtree", "ldt_ms", 1)]
    (made,) = broadcasts(open_measured(write(tmp_path, {"summary": summaries, **rows})), "real")
    assert made["hop_timeout_us"] is None
