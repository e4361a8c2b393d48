"""The page of results: every number in it comes from a report's document, or from `make bench`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import write_results
from snowcast.report.comparison import METRICS, Entry
from snowcast.report.measured import FEW, Interval
from snowcast.report.paired import Pair
from snowcast.report.reaching import Reach
from snowcast.report.results import results_page

POINT = Interval(1, 1, 1, 20)
WIDE = Interval(1500, 1480, 1520, 20)


def document(real: Interval | None = None, **changes: Any) -> dict[str, Any]:
    """A report's document as JSON would have it."""
    entries = [Entry("stable", "standard", metric, 122, WIDE, real) for metric in METRICS]
    pairs = [Pair("aligned", "coloring", "standard", WIDE, 0, 1.0, 0.98049)]
    full = {
        "setting": "20 runs.",
        "comparison": [entry.as_dict() for entry in entries],
        "paired": [pair.as_dict() for pair in pairs],
        "figures": [{"name": "load", "title": "Load per node", "caption": "Who sends."}],
    }
    return {**full, **changes}


def test_a_table_has_a_row_for_each_protocol_and_the_sources_beside_each_other() -> None:
    page = results_page(document())
    assert "\n20 runs.\n" in page
    assert "\n### Stable\n" in page
    assert "Simulated under 20 seeds." in " ".join(page.split())
    assert (
        "| protocol | seeds, simulated | LDT (ms), paper | LDT (ms), simulated "
        "| LDT from the send (ms), sim" in page
    )
    assert (
        "| Snow Standard | 20 | 122 | 1500<br><sub>1480 to 1520</sub> "
        "| 1500<br><sub>1480 to 1520</sub> | 122 |"
    ) in page
    assert ", real" not in page
    assert (
        "| Stable, stragglers where the paper has them | Snow Coloring | 1 "
        "| Snow Standard | 0.9805 | 1500 (1480 to 1520) | 0 of 20 seeds |"
    ) in page
    assert page.endswith("\n")


def test_real_nodes_have_columns_when_there_are_any() -> None:
    page = results_page(document(real=POINT))
    heads = next(line for line in page.splitlines() if line.startswith("| protocol |"))
    assert heads.count(", real |") == len(METRICS) + 1  # and the number of seeds
    assert " | 1 |\n" in page


def test_a_mean_over_few_seeds_has_no_interval_and_its_table_says_how_few() -> None:
    one = Interval(3113, 3113, 3113, 1)
    two = Interval(1500, 1400, 1600, 2)
    entries = [Entry("stable", "standard", metric, 122, one, None) for metric in METRICS]
    entries += [Entry("stable", "gossip", metric, 122, two, None) for metric in METRICS]
    pairs = [Pair("stable", "coloring", "standard", two, 0).as_dict()]
    rows = [entry.as_dict() for entry in entries]
    page = results_page(document(comparison=rows, paired=pairs))
    assert "Simulated under 1 to 2 seeds." in " ".join(page.split())
    assert "| Snow Standard | 1 | 122 | 3113 | 3113 |" in page
    assert "| Gossip | 2 | 122 | 1500 | 1500 |" in page
    assert "| Snow Coloring | - | Snow Standard | - | 1500 | 0 of 2 seeds |" in page
    assert "<sub>" not in page
    assert "Means over fewer than 5 runs stand alone" in page


def test_the_time_until_so_many_had_it_has_a_dash_for_who_did_not_come_as_far() -> None:
    reached = [
        Reach("stable", "gossip", 0.9, 500.0, 480.0, 520.0, 10),
        Reach("stable", "gossip", 0.99, None, None, None, 10),
        Reach("churn", "coloring", 0.9, 400.0, 400.0, 400.0, 1),
        Reach("churn", "coloring", 0.99, 600.0, 600.0, 600.0, 1),
    ]
    page = results_page(document(reached=[one.as_dict() for one in reached]))
    assert "| setting | protocol | seeds | 90 % (ms) | 99 % (ms) |" in page
    assert "| Stable | Gossip | 10 | 500<br><sub>480 to 520</sub> | - |" in page
    assert "| Frequent leaving and joining | Snow Coloring | 1 | 400 | 600 |" in page
    assert "Until so many had it" not in results_page(document())


def test_figures_are_found_where_they_are() -> None:
    page = results_page(document(), place="results/")
    assert "### Load per node\n\n![Load per node](results/load.svg)\n\nWho sends." in page


def test_benchmarks_stand_beside_what_they_are_compared_with() -> None:
    row = {"what": "frames", "measured": 9000.0, "unit": "frames/s", "rival": "SimPy"}
    row |= {"rival_measured": 6000.0, "judged": 1.5, "limit": 0.15, "at_least": True}
    alone = {"what": "ring", "measured": 2.5, "unit": "MB", "rival": "", "rival_measured": None}
    alone |= {"judged": 2.5, "limit": 2.0, "at_least": False, "ok": False, "why_not": ""}
    broken = {**alone, "what": "NATS", "measured": None, "why_not": "no NATS here"}
    told = {**alone, "what": "rows", "limit": None, "ok": True}
    made = {"at": "2026-01-02T03:04:05+00:00", "machine": "x86_64", "cpus": 2, "python": "3.11.2"}
    rows = [{**row, "ok": True, "why_not": ""}, alone, broken, told]
    page = results_page(document(), bench={"sim": {**made, "rows": rows}})
    assert "### sim\n\nOn 2 cores, x86_64, Python 3.11.2, 2026-01-02.\n" in page
    assert "| frames | 9,000 frames/s | SimPy: 6,000 frames/s | 1.50 | ≥ 0.15 | yes |" in page
    assert "| ring | 2.5 MB |  |  | ≤ 2 MB | **no** |" in page
    assert "| NATS | - |  |  |  | not measured: no NATS here |" in page
    assert "| rows | 2.5 MB |  |  |  |  |" in page


def test_more_about_the_differences_is_a_part_of_the_page() -> None:
    more = "<!-- Written by a tool. -->\n\n# Why\n\ntext\n\n```sh\n# a comment\n```\n\n## Because\n"
    page = results_page(document(), more=more)
    assert "\n\n## Why\n\ntext\n\n```sh\n# a comment\n```\n\n### Because\n" in page
    assert "Written by a tool" not in page
    assert "Why some numbers differ" not in page
    assert "Why some numbers differ" in results_page(document())


def test_prose_is_no_wider_than_the_house_has_it() -> None:
    page = results_page(document(setting="word " * 100))
    prose = [line for line in page.splitlines() if not line.startswith(("|", "!"))]
    assert max(map(len, prose)) <= 100


def test_what_was_not_run_is_not_spoken_of() -> None:
    page = results_page({"setting": "Nothing.", "comparison": [], "paired": [], "figures": []})
    assert "##" not in page


def test_the_page_of_this_repository_is_what_its_kept_numbers_give() -> None:
    assert write_results.is_current(), "run tools/write_results.py"


def test_a_report_of_few_seeds_is_not_kept_unless_that_is_asked_for(
    tmp_path: Path,
) -> None:
    few = Interval(3113, 3113, 3113, FEW - 1)
    rows = [Entry("stable", "standard", metric, 122, few, POINT) for metric in METRICS]
    rows += [Entry("stable", "flooding", metric, None, few, None) for metric in METRICS]
    made = document(comparison=[row.as_dict() for row in rows], figures=[])
    (tmp_path / "report.json").write_text(json.dumps(made))
    docs = tmp_path / "docs"
    with pytest.raises(SystemExit) as refused:
        write_results.main(["--report", str(tmp_path)], docs)
    assert str(refused.value) == (
        "fewer than 5 runs of standard in stable: run the full evaluation, or give --allow-few"
    )
    assert not docs.exists()
    write_results.main(["--report", str(tmp_path), "--allow-few"], docs)
    assert "Simulated under 4 seeds." in (docs / "RESULTS.md").read_text()


def test_each_part_of_the_page_can_be_renewed_alone(tmp_path: Path) -> None:
    report, docs = tmp_path / "report", tmp_path / "docs"
    report.mkdir()
    (report / "load.svg").write_text("<svg/>\n")
    (report / "report.json").write_text(json.dumps({**document(), "simulated": ["much"]}))
    write_results.main(["--report", str(report)], docs)
    first = (docs / "RESULTS.md").read_text()
    assert "](results/load.svg)" in first
    assert (docs / "results" / "load.svg").exists()
    assert "much" not in (docs / "results" / "results.json").read_text()
    assert write_results.is_current(docs)

    (docs / "results" / "differences.md").write_text("# Why not\n")
    assert not write_results.is_current(docs)
    made = {"at": "2026-01-02T03:04:05+00:00", "machine": "x86_64", "cpus": 2, "python": "3.11.2"}
    (tmp_path / "bench.json").write_text(json.dumps({"sim": {**made, "rows": []}}))
    write_results.main(["--bench", str(tmp_path / "bench.json")], docs)
    second = (docs / "RESULTS.md").read_text()
    assert "## Why not\n" in second
    assert "### sim\n" in second
    assert "### Stable\n" in second

    (report / "report.json").write_text(json.dumps(document(figures=[])))
    write_results.main(["--report", str(report)], docs)
    assert not (docs / "results" / "load.svg").exists()
    assert "### sim\n" in (docs / "RESULTS.md").read_text()
