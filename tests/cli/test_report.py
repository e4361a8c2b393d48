"""`snowcast report` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.cli.main import main
from support.metric_rows import everything, summary, write


def test_the_table_is_printed_and_the_page_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    tables = write(tmp_path / "metrics", everything())
    out = tmp_path / "report"
    assert main(["report", str(tables), "--real", str(tables), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines[:4] == [
        "Stable",
        "LDT ms LDT ms LDT ms RMR RMR RMR reach reach reach of live of live",
        "protocol paper sim. real paper sim. real paper sim. real sim. real",
        "Snow Standard 1560 1900 1900 122 116.0 116.0 1 1 1 1 1",
    ]
    assert lines[-1] == f"8 figures and the page: {out / 'index.html'}"
    assert (out / "index.html").is_file()


def test_a_report_without_the_papers_scenarios_has_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = write(tmp_path / "m", {"summary": [summary("sweep_nodes", "gossip", "ldt_ms", 1)]})
    assert main(["report", str(tables), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("1 figures and the page: ")


def test_a_directory_without_tables_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "no tables of metrics here" in capsys.readouterr().err
