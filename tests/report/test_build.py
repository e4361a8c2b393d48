"""A whole report from a few rows: its files, what replaces what, and that it is repeatable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.report.build import build
from snowcast.report.measured import Interval
from support.metric_rows import everything, summary, write

FIGURES = ("stable", "churn", "breakdown", "sweeps", "stragglers", "undetected", "load", "delivery")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("metrics"), everything())


@pytest.fixture
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables that make a report without figures, which is soon drawn."""
    rows = [summary("stable", "standard", "ldt_ms", 1)]
    return write(tmp_path_factory.mktemp("few"), {"summary": rows})


def test_a_report_is_complete_and_the_same_every_time(tables: Path, tmp_path: Path) -> None:
    made = build(tables, tmp_path / "one", real=tables)
    assert made.figures == FIGURES
    assert made.page == tmp_path / "one" / "index.html"
    names = {"index.html", "RESULTS.md", "report.json"}
    names |= {f"{figure}.{kind}" for figure in FIGURES for kind in ("svg", "png")}
    assert {path.name for path in made.out.iterdir()} == names

    build(tables, tmp_path / "two", real=tables)
    for path in made.out.iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_the_numbers_are_there_for_programs(tables: Path, tmp_path: Path) -> None:
    made = build(tables, tmp_path / "report")
    document = json.loads((made.out / "report.json").read_text())
    assert document["schema"] == 1
    assert document["real"] == []
    assert [figure["name"] for figure in document["figures"]] == list(FIGURES)
    first = document["comparison"][0]
    assert (first["protocol"], first["metric"], first["real"]) == (
        "standard",
        "ldt_first_to_last_ms",
        None,
    )
    assert len(document["comparison"]) == len(made.entries) == 40


def test_a_report_replaces_a_report_and_nothing_else(few: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    build(few, out)
    (out / "old.svg").touch()
    build(few, out)
    assert not (out / "old.svg").exists()

    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").touch()
    with pytest.raises(UsageError, match="not empty, and no report"):
        build(few, tmp_path / "thesis")


def test_a_report_that_fails_leaves_the_one_before(few: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    build(few, out)
    before = (out / "report.json").read_bytes()
    broken = write(tmp_path / "broken", {"summary": [{"scenario": "stable"}]})
    with pytest.raises(KeyError):
        build(broken, out)
    assert (out / "report.json").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"report", "broken"}


def test_what_was_simulated_and_what_was_real_stand_beside_each_other(tmp_path: Path) -> None:
    rows = [
        {**summary("stable", "standard", "ldt_ms", mean), "is_virtual": is_virtual}
        for mean, is_virtual in ((1, True), (2, False))
    ]
    both = write(tmp_path / "both", {"summary": rows})
    made = build(both, tmp_path / "report")
    (entry,) = [entry for entry in made.entries if entry.metric == "ldt_ms"]
    assert entry.simulated == Interval(1, 1, 1, 20)
    assert entry.real == Interval(2, 2, 2, 20)
    with pytest.raises(UsageError, match="measure these apart"):
        build(both, tmp_path / "report", real=both)
