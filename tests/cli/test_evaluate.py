"""`snowcast evaluate`: the whole way from scenarios to the page, and what it runs by itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from snowcast.cli import evaluate
from snowcast.cli.evaluate import (
    FULL,
    MADE_OF,
    QUICK,
    SNOW,
    TABLE,
    Part,
    cells_of,
    is_current,
    made_of,
)
from snowcast.cli.main import main
from snowcast.kernels.scenario import PROTOCOLS
from snowcast.pipeline import package
from snowcast.pipeline.session import open_session
from snowcast.report.measured import FEW
from snowcast.report.paper import PAPER, SETTINGS
from snowcast.trace.parquet import make_dataset, names_of_runs
from support.metric_rows import of_run, write

SMALL = """\
quiet_s = 1
[cluster]
nodes = 12
[processing]
delay_ms = [10, 20]
[workload]
messages = 3
"""

SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
}
"""For many small jobs: compiling less pays."""


@pytest.fixture
def spark() -> Iterator[SparkSession]:
    """A session that every command in the test finds and leaves running."""
    with open_session("tests", "local[2]", SPARK) as session:
        yield session


@pytest.mark.parametrize("parts", [FULL, QUICK])
def test_all_that_the_paper_ran_is_run_at_its_size(parts: tuple[Part, ...]) -> None:
    cells = cells_of(parts)
    there = {(cell.scenario, cell.variant, cell.load().protocol) for cell in cells}
    for protocol, published in PAPER:
        for setting in SETTINGS.values():
            is_its = setting.published == published
            if is_its and (protocol in SNOW or not setting.variant):
                assert (setting.scenario, setting.variant, protocol) in there
    assert {cell.load().cluster.nodes for cell in cells if cell.scenario in TABLE} == {500}
    over_nodes = {c.load().cluster.nodes for c in cells if c.scenario == "sweep_nodes"}
    assert over_nodes == set(range(100, 1600, 100))
    over_fanout = {c.load().cluster.fanout for c in cells if c.scenario == "sweep_fanout"}
    assert over_fanout == {2, 4, 6, 8}
    assert {"stragglers", "undetected", "repair"} <= {cell.scenario for cell in cells}


def test_what_was_quick_is_not_run_again_by_what_is_full() -> None:
    assert {cell.name for cell in cells_of(QUICK)} < {cell.name for cell in cells_of(FULL)}


def test_whatever_stands_beside_a_number_of_the_paper_is_run_often_enough_for_an_interval() -> None:
    seeds = Counter((cell.scenario, cell.variant, cell.load().protocol) for cell in cells_of(FULL))
    for protocol, published in PAPER:
        for setting in SETTINGS.values():
            count = seeds[setting.scenario, setting.variant, protocol]
            assert setting.published != published or count == 0 or count >= FEW


def test_kernels_run_only_what_they_can() -> None:
    for part in FULL + QUICK:
        assert not part.by_kernel or set(part.protocols) <= set(PROTOCOLS)


@pytest.mark.usefixtures("spark")
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
    assert {row["protocol"] for row in first["simulated"]} == {"standard", "coloring"}
    made = (out / "metrics" / "summary").stat().st_mtime_ns
    assert json.loads((out / "metrics" / MADE_OF).read_text()) == made_of(out / "runs")

    monkeypatch.setattr(evaluate, "QUICK", (good, bad))
    assert main(["evaluate", "--quick", "--out", str(out)]) == 1
    told = capsys.readouterr().out
    assert "FAILED: snowcast sim run" in told
    assert "0 runs computed, 4 there already, 1 failed" in told
    assert "metrics: there already" in told
    assert (out / "metrics" / "summary").stat().st_mtime_ns == made


def test_metrics_are_current_for_the_same_runs_and_the_same_code_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, metrics = tmp_path / "runs", tmp_path / "metrics"
    make_dataset(runs)
    for name in ("one", "two"):
        (runs / "runs" / f"{name}.parquet").touch()
    wanted = made_of(runs)
    assert wanted["runs"] == ["one", "two"]
    assert not is_current(metrics, wanted)
    write(metrics, {"run_metrics": [of_run("gossip", "one"), of_run("gossip", "two")]})
    assert not is_current(metrics, wanted)  # nobody knows what they were made of
    (metrics / MADE_OF).write_text(json.dumps(wanted))
    assert is_current(metrics, wanted)
    (runs / "runs" / "two.parquet").rename(runs / "runs" / "three.parquet")  # as many as before
    assert not is_current(metrics, made_of(runs))
    (runs / "runs" / "three.parquet").rename(runs / "runs" / "two.parquet")
    assert is_current(metrics, made_of(runs))
    monkeypatch.setattr(package, "digest_of", lambda rooms: "other code")
    assert not is_current(metrics, made_of(runs))


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
