"""Differences under the same seeds: those in LDT, in the paper's scenarios, in order."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.measured import Interval, open_measured
from snowcast.report.paired import Pair, pairs
from support.metric_rows import pair, summary, write


def test_pairs_stand_in_the_order_of_scenarios_and_protocols(tmp_path: Path) -> None:
    rows = [
        pair("churn", "coloring", "gossip", -7),
        pair("stable", "gossip", "standard", 3),
        pair("stable", "coloring", "gossip", -9),
        pair("sweep_nodes", "coloring", "gossip", -9),
        {**pair("stable", "coloring", "gossip", 1), "metric": "rmr_bytes"},
        {**pair("stable", "coloring", "gossip", 1), "variant": "a=1"},
    ]
    tables = {"summary": [summary("stable", "gossip", "ldt_ms", 1)], "comparisons": rows}
    found = pairs(open_measured(write(tmp_path, tables)))
    assert found == [
        Pair("stable", "coloring", "gossip", Interval(-9, -14, -4, 20), 19),
        Pair("stable", "gossip", "standard", Interval(3, -2, 8, 20), 19),
        Pair("churn", "coloring", "gossip", Interval(-7, -12, -2, 20), 19),
    ]
    assert found[0].as_dict()["difference"] == {"mean": -9, "low": -14, "high": -4, "runs": 20}
