"""The paper's numbers stand beside those that they can be compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
        Entry("stable", "standard", "ldt_first_to_last_ms", 1560, seven, None),
        Entry("stable", "standard", "ldt_ms", None, seven, eight),
        Entry("stable", "standard", "rmr_bytes", 122, seven, None),
        Entry("stable", "standard", "reliability", 1, seven, None),
        Entry("stable", "standard", "reliability_live", None, seven, None),
        Entry("stable", "plumtree", "ldt_first_to_last_ms", None, None, None),
        Entry("stable", "plumtree", "ldt_ms", None, None, None),
        Entry("stable", "plumtree", "rmr_bytes", None, None, nine),
        Entry("stable", "plumtree", "reliability", None, None, None),
        Entry("stable", "plumtree", "reliability_live", None, None, None),
    ]
    assert entries[1].as_dict()["simulated"]["mean"] == 7


def test_the_papers_stragglers_are_one_variant_of_a_sweep_whatever_its_order(
    tmp_path: Path,
) -> None:
    def row(placement: str, every: int, mean: float, is_turned: bool = False) -> dict[str, Any]:
        values = [f"processing.stragglers={placement}", f"processing.straggler_every={every}"]
        variant = ",".join(reversed(values) if is_turned else values)
        return summary("stragglers", "coloring", "ldt_first_to_last_ms", mean, variant=variant)

    for is_turned in (False, True):
        rows = [row("aligned", 10, 1), row("random", 20, 2), row("aligned", 20, 3, is_turned)]
        tables = write(tmp_path / str(is_turned), {"summary": rows})
        entry = compare(open_measured(tables), None)[0]
        assert (entry.setting, entry.paper) == ("aligned", 652)
        assert entry.simulated == Interval(3, 3, 3, 20)


def test_what_has_another_size_is_not_compared(tmp_path: Path) -> None:
    rows = [
        summary("stable", "standard", "ldt_ms", 1),
        summary("stable", "standard", "ldt_ms", 2, nodes=60),
        summary("stable", "standard", "ldt_ms", 3, fanout=8),
    ]
    entries = compare(open_measured(write(tmp_path, {"summary": rows})), None)
    (found,) = [entry.simulated for entry in entries if entry.metric == "ldt_ms"]
    assert found == Interval(1, 1, 1, 20)
