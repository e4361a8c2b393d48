"""Differences under the same seeds: those in LDT, in the paper's settings, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snowcast.report.measured import Interval, open_measured
from snowcast.report.paired import Pair, pairs
from support.metric_rows import pair, summary, write


def test_pairs_stand_in_the_order_of_settings_with_snow_first(tmp_path: Path) -> None:
    rows = [
        pair("churn", "coloring", "gossip", -7),
        pair("stable", "gossip", "standard", 3, equal=1),
        pair("stable", "coloring", "standard", -8),
        pair("stable", "coloring", "gossip", -9),
        pair("stable", "gossip", "plumtree", -9),
        pair("sweep_nodes", "coloring", "gossip", -9),
        {**pair("stable", "coloring", "gossip", 1), "metric": "rmr_bytes"},
        {**pair("stable", "coloring", "gossip", 1), "variant": "a=1"},
    ]
    tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "comparisons": rows}
    found = pairs(open_measured(write(tmp_path, tables)))
    assert found == [
        Pair("stable", "coloring", "standard", Interval(-8, -13, -3, 20), 16),
        Pair("stable", "coloring", "gossip", Interval(-9, -14, -4, 20), 16),
        Pair("stable", "standard", "gossip", Interval(-3, -8, 2, 20), 3),
        Pair("churn", "coloring", "gossip", Interval(-7, -12, -2, 20), 16),
    ]
    assert (found[0].reach, found[0].reach_against) == (None, None)
    assert found[0].as_dict()["difference"] == {"mean": -8, "low": -13, "high": -3, "runs": 20}


def test_what_is_faster_for_those_it_reaches_is_told_with_how_many_these_are(
    tmp_path: Path,
) -> None:
    def reach(protocol: str, mean: float, against: str, mean_against: float) -> dict[str, Any]:
        row = pair("stable", protocol, against, mean - mean_against)
        return {**row, "metric": "reliability", "mean": mean, "mean_against": mean_against}

    rows = [
        pair("stable", "coloring", "gossip", -9),
        pair("stable", "gossip", "standard", 3),
        reach("coloring", 1.0, "gossip", 0.98),
        reach("gossip", 0.97, "standard", 0.99),
        {**reach("coloring", 0.5, "gossip", 0.5), "nodes": 60},
    ]
    tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "comparisons": rows}
    found = pairs(open_measured(write(tmp_path, tables)))
    assert [(one.protocol, one.reach, one.against, one.reach_against) for one in found] == [
        ("coloring", 1.0, "gossip", 0.98),
        ("standard", 0.99, "gossip", 0.97),
    ]
