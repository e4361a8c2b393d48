"""What the demo measured: recorded, taken through the pipeline, and shown as it came out."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from snowcast.demo.acts import ACTS
from snowcast.demo.results import (
    KINDS,
    METRICS,
    REAL,
    REPORT,
    RUNS,
    SIMULATED,
    TRACES,
    lines,
    measure,
    simulate_acts,
    table,
)
from snowcast.sim.run import run as simulate
from snowcast.trace.parquet import names_of_runs


def metrics(out: Path, kind: str, ldt_ms: float) -> None:
    """The tables that `lines` reads, as the pipeline would write them."""
    rows: list[dict[str, Any]] = [
        {
            "scenario": act.name,
            "protocol": act.protocol,
            "messages": len(act.says()),
            "reliability_live": 1.0,
            "ldt_ms": ldt_ms + place,
            "rmr_bytes": 116.1,
        }
        for place, act in enumerate(ACTS)
    ]
    for name in ("run_metrics", "summary"):
        folder = out / METRICS / kind / name
        folder.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / "part-0.parquet")


def shown(out: Path, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table(out))
    assert isinstance(console.file, io.StringIO)
    return [line for line in console.file.getvalue().splitlines() if line.strip()]


def test_every_act_is_recorded_from_simulated_nodes_as_a_run_of_a_dataset(tmp_path: Path) -> None:
    simulate_acts(tmp_path)
    runs = names_of_runs(tmp_path / RUNS / SIMULATED)
    assert runs == {f"{act.name}-{act.protocol}-simulated" for act in ACTS}


def test_the_table_has_a_line_for_each_act_with_real_beside_simulated(tmp_path: Path) -> None:
    for kind, ldt_ms in zip(KINDS, (300, 310), strict=True):
        metrics(tmp_path, kind, ldt_ms)
    assert [(line.act, line.protocol) for line in lines(tmp_path)] == [
        (act.short, act.protocol) for act in ACTS
    ]
    first, second, *acts = shown(tmp_path, 80)[: 2 + len(ACTS)]
    heads = ["act", "mode", "sent", *2 * ["reached"], *2 * ["LDT,", "ms"], *2 * ["bytes"]]
    assert first.split() == heads
    assert second.split() == ["real", "sim."] * 3
    assert " ".join(acts[0].split()) == "one tree standard 4 1 1 300 310 116.1 116.1"
    assert "…" not in "".join([first, second, *acts])


@pytest.mark.soak
def test_traces_of_the_acts_become_tables_and_a_page(tmp_path: Path) -> None:
    simulate_acts(tmp_path)
    for act in ACTS:  # as real as is needed for a trace: lines in directories
        simulate(act.scenario(), 1, name=act.name, out=tmp_path / TRACES / act.run)
    steps: list[str] = []
    measure(tmp_path, steps.append)
    assert steps
    for line in lines(tmp_path):
        assert dict(line.real) | {"run": ""} == dict(line.simulated) | {"run": ""}
    assert (tmp_path / REPORT / "index.html").is_file()
    assert {path.name for path in (tmp_path / METRICS).iterdir()} == {REAL, SIMULATED}
    shutil.rmtree(tmp_path)
