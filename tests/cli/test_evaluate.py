"""`snowcast evaluate`: the whole way from scenarios to the page, and what it runs by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snowcast.cli import evaluate
from snowcast.cli.evaluate import FULL, QUICK, TABLE, Part, cells_of
from snowcast.cli.main import main
from snowcast.kernels.scenario import PROTOCOLS
from snowcast.report.paper import PAPER, SETTINGS
from snowcast.trace.parquet import names_of_runs

SMALL = """\
quiet_s = 1
[cluster]
nodes = 12
[processing]
delay_ms = [10, 20]
[workload]
messages = 3
"""


@pytest.mark.parametrize("parts", [FULL, QUICK])
def test_all_that_the_paper_ran_is_run_at_its_size(parts: tuple[Part, ...]) -> None:
    cells = cells_of(parts)
    there = {(cell.scenario, cell.variant, cell.load().protocol) for cell in cells}
    for setting in SETTINGS.values():
        for protocol, published in PAPER:
            is_compared = setting.published == published
            if is_compared and not (setting.variant and protocol not in PROTOCOLS):
                assert (setting.scenario, setting.variant, protocol) in there
    assert {cell.load().cluster.nodes for cell in cells if cell.scenario in TABLE} == {500}
    over_nodes = {c.load().cluster.nodes for c in cells if c.scenario == "sweep_nodes"}
    assert over_nodes == set(range(100, 1600, 100))
    over_fanout = {c.load().cluster.fanout for c in cells if c.scenario == "sweep_fanout"}
    assert over_fanout == {2, 4, 6, 8}
    assert {"stragglers", "undetected", "repair"} <= {cell.scenario for cell in cells}


def test_what_was_quick_is_not_run_again_by_what_is_full() -> None:
    assert {cell.name for cell in cells_of(QUICK)} < {cell.name for cell in cells_of(FULL)}


def test_kernels_run_only_what_they_can() -> None:
    for part in FULL + QUICK:
        assert not part.by_kernel or set(part.protocols) <= set(PROTOCOLS)


def test_an_evaluation_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stable = tmp_path / "stable.toml"
    stable.write_text(SMALL)
    good = Part((str(stable),), ("standard", "coloring"), 2)
    bad = Part((str(stable),), ("plumtree",), 1, by_kernel=True)
    out = tmp_path / "out"

    monkeypatch.setattr(evaluate, "QUICK", (good,))
    assert main(["evaluate", "--quick", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "4 runs computed, 0 there already, 0 failed" in told
    assert f"the page: {out / 'report' / 'index.html'}" in told
    assert len(names_of_runs(out / "runs")) == 4
    first = json.loads((out / "report" / "report.json").read_text())
    assert {entry["protocol"] for entry in first["comparison"]} == {"standard", "coloring"}
    made = (out / "metrics" / "summary").stat().st_mtime_ns

    monkeypatch.setattr(evaluate, "QUICK", (good, bad))
    assert main(["evaluate", "--quick", "--out", str(out)]) == 1
    told = capsys.readouterr().out
    assert "FAILED: snowcast sim run" in told
    assert "0 runs computed, 4 there already, 1 failed" in told
    assert "metrics: there already" in told
    assert (out / "metrics" / "summary").stat().st_mtime_ns == made

    monkeypatch.setattr(evaluate, "QUICK", (good._replace(seeds=3),))
    assert main(["evaluate", "--quick", "--out", str(out)]) == 0
    assert "2 runs computed, 4 there already" in capsys.readouterr().out
    document = json.loads((out / "report" / "report.json").read_text())
    assert document["setting"].startswith("6 runs simulated")


def test_a_mistake_is_told_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    (out / "report").mkdir(parents=True)
    (out / "report" / "thesis.tex").touch()
    assert main(["evaluate", "--quick", "--out", str(out)]) == 2
    assert "no report" in capsys.readouterr().err
    assert main(["evaluate", "--out", str(tmp_path / "o"), "--real", str(tmp_path / "no")]) == 2
    assert "no tables of metrics" in capsys.readouterr().err
