"""The paper's numbers stand beside those that they can be compared with."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.comparison import METRICS, Entry, compare
from snowcast.report.measured import Interval, open_measured
from support.metric_rows import summary, write


def test_each_protocol_that_was_run_has_all_metrics_from_all_sources(tmp_path: Path) -> None:
    simulated = write(
        tmp_path / "simulated",
        {"summary": [summary("stable", "standard", metric, 7) for metric in METRICS]},
    )
    real = write(
        tmp_path / "real",
        {
            "summary": [
                summary("stable", "standard", "ldt_ms", 8),
                summary("stable", "plumtree", "rmr_bytes", 9),
            ]
        },
    )
    entries = compare(open_measured(simulated), open_measured(real))
    seven, eight, nine = [Interval(x, x, x, 20) for x in (7, 8, 9)]
    assert entries == [
        Entry("stable", "standard", "ldt_ms", None, seven, eight),
        Entry("stable", "standard", "ldt_first_to_last_ms", 1560, seven, None),
        Entry("stable", "standard", "rmr_bytes", 122, seven, None),
        Entry("stable", "standard", "reliability", 1, seven, None),
        Entry("stable", "standard", "reliability_live", None, seven, None),
        Entry("stable", "plumtree", "ldt_ms", None, None, None),
        Entry("stable", "plumtree", "ldt_first_to_last_ms", None, None, None),
        Entry("stable", "plumtree", "rmr_bytes", None, None, nine),
        Entry("stable", "plumtree", "reliability", None, None, None),
        Entry("stable", "plumtree", "reliability_live", None, None, None),
    ]
    assert compare(open_measured(simulated), None)[0].as_dict()["simulated"]["mean"] == 7
