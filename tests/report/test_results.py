"""The page of results: every number in it comes from a table."""

from __future__ import annotations

from snowcast.report.comparison import Entry
from snowcast.report.measured import Interval
from snowcast.report.paired import Pair
from snowcast.report.results import results_page

POINT = Interval(1, 1, 1, 20)
WIDE = Interval(1500, 1480, 1520, 20)


def test_tables_of_results() -> None:
    entries = [
        Entry("stable", "standard", "reliability", 1, POINT, POINT),
        Entry("stable", "standard", "ldt_ms", None, WIDE, None),
    ]
    page = results_page(
        "20 runs.", entries, [Pair("stable", "coloring", "standard", WIDE, 0)], ["load"]
    )
    assert "\n20 runs.\n" in page
    assert (
        "## Stable\n\n"
        "| protocol | metric | paper | simulated | real |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| Snow Standard | LDT, from the send (ms) | - | 1500 (1480 to 1520) | - |\n"
        "| Snow Standard | Reliability | 1 | 1 | 1 |\n"
    ) in page
    assert (
        "| stable | Snow Coloring | Snow Standard | 1500 (1480 to 1520) | 0 of 20 seeds |" in page
    )
    assert "![load](load.svg)" in page
    assert page.endswith("\n")


def test_what_was_not_run_is_not_spoken_of() -> None:
    page = results_page("Nothing.", [], [], [])
    assert "##" not in page
