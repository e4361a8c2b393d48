"""Ingest as a whole: traces as they come from real machines in, a dataset out, nothing lost."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from snowcast.cli.main import main
from snowcast.pipeline.ingest.ingest import CLOCKS, REJECTS, ingest
from snowcast.pipeline.ingest.sources import find_sources
from snowcast.pipeline.measure import messages_of, write_metrics
from snowcast.pipeline.metrics.keys import run_keys
from snowcast.pipeline.reading import read_traces
from snowcast.pipeline.session import SparkFailed
from snowcast.trace.files import MANIFEST, TraceWriter, manifest
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, ProbeRow, Role, Row, RunRow
from support.datasets import content
from support.hostile import BAD_RUNS, RUNS, hostile_trace

SCENARIO = """\
duration_s = 20
[cluster]
nodes = 16
[processing]
delay_ms = [10, 60]
[workload]
messages = 12
origin = "random"
mode = "random"
[network]
"""
SKEW_MS, WITHIN_MS = 50, 2


def run_row(**changes: Any) -> RunRow:
    whole: dict[str, Any] = {
        "run": "r",
        "protocol": "snow",
        "scenario": "",
        "fanout": 4,
        "config": "{}",
        "version": "1",
        "is_virtual": False,
    }
    return RunRow(**{**whole, **changes})


def rows_of_two_agents() -> dict[str, list[Row]]:
    """What two agents write, b's clock 7 ms ahead of a's."""
    sent = MessageRow(
        run="r",
        message="a/1/1",
        origin="a",
        at_us=5_000,
        payload_bytes=9,
        mode="standard",
        reliable=True,
    )
    got = ArrivalRow(
        run="r",
        message="a/1/1",
        node="b",
        sender="a",
        kind="data",
        at_us=13_000,
        bytes=30,
        hop=1,
        tree=0,
        first=True,
    )
    ask = [
        ProbeRow(run="r", node=node, peer=peer, at_us=at, rtt_us=800, offset_us=off)
        for at, node, peer, off in ((6_000, "a", "b", 7_000), (14_000, "b", "a", -7_000))
    ]
    a: list[Row] = [
        run_row(),
        NodeRow(run="r", node="a", life=1, role=Role.PLAIN),
        sent,
        ask[0],
        ProbeRow(run="r", node="a", peer="c", at_us=6_500),
    ]
    node = NodeRow(run="r", node="b", life=1, role=Role.PLAIN)
    b: list[Row] = [
        run_row(),
        node,
        NodeRow(run="r", node="b", life=1, role=Role.PLAIN, joined_us=8_000),
        got,
        ask[1],
    ]
    return {"a": a, "b": b}


def write(directory: Path, agents: dict[str, list[Row]]) -> Path:
    for name, rows in agents.items():
        with TraceWriter(directory / name) as writer:
            for row in rows:
                writer.write(row)
    return directory


def rejects(out: Path) -> list[tuple[str, str]]:
    """By table and reason."""
    rows = pq.read_table(out / REJECTS).to_pylist()
    return sorted((row["table"], row["reason"]) for row in rows)


def test_clocks_that_are_off_by_50_ms_leave_delivery_times_within_2_ms_of_the_truth(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, skew_ms in (("right", 0), ("wrong", SKEW_MS)):
        scenario = tmp_path / f"{name}.toml"
        scenario.write_text(f"{SCENARIO}clock_skew_ms = {skew_ms}\n")
        trace = tmp_path / "traces" / name
        assert main(["sim", "run", str(scenario), "--seed", "3", "--out", str(trace)]) == 0
    capsys.readouterr()
    out = tmp_path / "out"
    assert main(["pipeline", "ingest", str(tmp_path / "traces"), "--out", str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(f" rows in {out}, 0 duplicates, 0 rejects")
    assert told[1:] == ["2 runs; the clocks of 32 nodes are set right"]
    clocks = pq.read_table(out / CLOCKS).to_pylist()
    found = [row["offset_us"] for row in clocks if row["run"] == "wrong-standard-3"]
    assert max(found) - min(found) > 1.5 * 1_000 * SKEW_MS  # there was something to set right

    traces = read_traces(spark, [out])
    rows = messages_of(traces, run_keys(traces.runs)).collect()
    ldt_ms: dict[str, dict[str, float]] = {"right-standard-3": {}, "wrong-standard-3": {}}
    for row in rows:
        assert row.reliability == 1
        ldt_ms[row.run][row.message] = row.ldt_ms
    right, wrong = ldt_ms.values()
    assert right.keys() == wrong.keys()
    assert len(right) == 12
    for message, truth in right.items():
        assert wrong[message] == pytest.approx(truth, abs=WITHIN_MS)


def test_a_trace_in_any_disorder_gives_the_same_tables_and_counts_what_it_sets_aside(
    spark: SparkSession, tmp_path: Path
) -> None:
    agents = rows_of_two_agents()
    clean = ingest(spark, find_sources([write(tmp_path / "clean", agents)]), tmp_path / "one")
    assert (clean.lines, clean.duplicates, clean.rejected, clean.clocks) == (10, 1, 0, 2)
    assert clean.rows == {"runs": 1, "nodes": 3, "messages": 1, "arrivals": 1, "probes": 3}

    mess = write(tmp_path / "mess", agents)
    random = Random(1)
    for path in sorted(mess.rglob("*.jsonl")):
        lines = 2 * path.read_bytes().splitlines(keepends=True)
        random.shuffle(lines)
        path.write_bytes(b"".join(lines))
    write(mess / "b", {"copy": [*agents["b"], run_row(run="r", fanout=6)]})
    write(mess, {"stray": [ArrivalRow(run="q", node="a", sender="b", kind="x", at_us=1, bytes=1)]})
    with (mess / "a" / "probes-00000.jsonl").open("ab") as lines:
        lines.write(b'{"run":"r","node":"a","pe')
    with (mess / "b" / "nodes-00000.jsonl").open("ab") as lines:
        lines.write(b"\x00\x00\x00\n")
    later = mess / "later"
    write(later, {"agent": [run_row(run="z")]})
    (later / "agent" / MANIFEST).write_text(manifest().replace('"schema": 1', '"schema": 9'))

    found = ingest(spark, find_sources([mess]), tmp_path / "two")
    assert content(tmp_path / "two") == content(tmp_path / "one")
    assert found.rows == clean.rows
    assert found.lines == 20 + 6 + 1 + 2 + 1
    assert found.rejects == {
        ("runs", "second row"): 1,
        ("runs", "another version"): 1,
        ("arrivals", "no run"): 1,
        ("probes", "cut off"): 1,
        ("nodes", "not JSON"): 1,
    }
    assert found.duplicates == found.lines - 9 - 5
    assert rejects(tmp_path / "two") == sorted(found.rejects)


def test_no_line_whatever_is_in_it_stops_ingest_or_metrics(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = hostile_trace(tmp_path / "trace", seed=1)
    names = [run_row(run=run) for run in (*RUNS, *BAD_RUNS)]
    write(tmp_path, {"names": names})
    told = ingest(spark, find_sources([tmp_path]), tmp_path / "out")
    assert told.lines == lines + len(names)
    assert told.duplicates >= 0
    traces = read_traces(spark, [tmp_path / "out"])
    assert {row.run for row in traces.runs.collect()} >= set(RUNS)
    assert traces.arrivals.count() == told.rows["arrivals"] > 0
    write_metrics(spark, traces, tmp_path / "metrics")


def test_a_dataset_is_there_as_a_whole_or_not_at_all(spark: SparkSession, tmp_path: Path) -> None:
    trace = write(tmp_path / "trace", rows_of_two_agents())
    sources = find_sources([trace])
    (trace / "b" / "arrivals-00000.jsonl").unlink()
    with pytest.raises(Exception, match=r"arrivals-00000\.jsonl"):
        ingest(spark, sources, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]
    assert SparkFailed  # what a command makes of it


def test_lines_that_are_all_rejects_are_kept_and_told(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = write(tmp_path / "trace", {"a": []})
    (trace / "a" / "arrivals-00000.jsonl").write_text("no\nno\n")
    out = tmp_path / "out"
    assert main(["pipeline", "ingest", str(trace), "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"2 lines in 1 files: 0 rows in {out}, 0 duplicates, 2 rejects",
        "0 runs; the clocks of 0 nodes are set right",
        "rejected: 2 of arrivals: not JSON",
    ]
    assert main(["pipeline", "metrics", str(out), "--out", str(tmp_path / "metrics")]) == 2
    assert "there is no whole run in these datasets" in capsys.readouterr().err
