"""A run by kernel: its trace is the simulator's, row by row, wherever nothing is left to chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from snowcast.core.errors import UsageError
from snowcast.sim import run as simulator
from snowcast.sim.scenario import Scenario, parse
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, ProbeRow, Row, RunRow

WHY = "needs the extra: pip install 'snowcast[kernels]'"
pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
kernel = pytest.importorskip("snowcast.kernels.run", reason=WHY)

UNSEEN = {"probe_interval_us": 86_400_000_000_000}
PROCESSING = {"delay_ms": [10, 200], "stragglers": "random", "straggler_every": 10}


def scenario(nodes: int, **tables: Any) -> Scenario:
    """Some nodes, a few of them dead, and messages from anybody; all frames take a millisecond."""
    return parse(
        {
            "cluster": {"nodes": nodes, "config": UNSEEN},
            "network": {"latency": "fixed"},
            "processing": PROCESSING,
            "workload": {"messages": 12, "interval_ms": 10_000, "origin": "random"},
            "event": [
                {"do": "crash", "at_s": 0.5, "share": 0.05},
                {"do": "crash", "at_s": 39, "over_s": 2, "share": 0.05},
            ],
            "quiet_s": 5,
            **tables,
        }
    )


def recorded(record: Any, scenario: Scenario, seed: int) -> list[bytes]:
    """All rows of a trace that are about messages and nodes, in an order of their own."""
    rows: list[Row] = []
    record(scenario, seed, rows.append, name="name", variant="variant")
    return sorted(msgspec.json.encode(row) for row in rows if _is_about_data(row))


def _is_about_data(row: Row) -> bool:
    if isinstance(row, ArrivalRow):
        return row.kind == "data"
    return not isinstance(row, ProbeRow)


@pytest.mark.parametrize("protocol", ["standard", "coloring"])
@pytest.mark.parametrize("nodes", [1, 2, 3, 7, 150])
def test_the_trace_is_that_of_as_many_full_nodes(nodes: int, protocol: str) -> None:
    for seed in range(3):
        same = scenario(nodes, protocol=protocol)
        assert recorded(kernel.record, same, seed) == recorded(simulator.record, same, seed)


@pytest.mark.parametrize(
    "tables",
    [
        {"workload": {"messages": 6, "mode": "random", "origin": 3, "payload_bytes": 0}},
        {"processing": {"delay_ms": [0, 0]}},
        {"processing": {**PROCESSING, "stragglers": "aligned", "straggler_ms": 5}},
        {"processing": {**PROCESSING, "straggler_every": 0}},
        {"cluster": {"nodes": 90, "fanout": 8, "ipv6": True, "config": UNSEEN}},
        {"draw": {"cluster": {"fanout": [2, 6]}}},
        {"network": {"latency": "fixed", "latency_ms": [40, 40], "loss": 0.3}},
    ],
)
def test_so_it_is_with_other_settings(tables: dict[str, Any]) -> None:
    same = scenario(90, **tables)
    assert recorded(kernel.record, same, 7) == recorded(simulator.record, same, 7)


def test_arrivals_can_be_had_in_columns() -> None:
    same = scenario(40, protocol="coloring")
    rows: list[Row] = []
    told: list[Row] = []

    def write_arrivals(message: str, arrivals: Any, names: Any) -> None:
        told.extend(kernel.arrival_rows("name-coloring-1", message, arrivals, names))

    kernel.record(same, 1, rows.append, name="name")
    others: list[Row] = []
    kernel.record(same, 1, others.append, write_arrivals, name="name")

    assert told == [row for row in rows if isinstance(row, ArrivalRow)]
    assert others == [row for row in rows if not isinstance(row, ArrivalRow)]


def test_the_result_adds_up_what_is_in_the_trace(tmp_path: Path) -> None:
    same = scenario(60, protocol="gossip")
    result = kernel.run(same, 2, name="mine", out=tmp_path / "trace")

    reader = TraceReader(tmp_path / "trace")
    arrivals = list(reader.rows(ArrivalRow))
    dead = [row for row in reader.rows(NodeRow) if row.crashed_us is not None]
    (run,) = reader.rows(RunRow)
    assert (run.run, run.scenario, run.nodes) == ("mine-gossip-2", "mine", 60)
    assert len(dead) == 6
    assert len(list(reader.rows(MessageRow))) == result.messages == 12
    assert result.frames == len(arrivals)
    assert result.received_bytes == sum(row.bytes for row in arrivals)
    assert result.deliveries == sum(row.first is True for row in arrivals)
    assert result.hops_max >= max(row.hop or 0 for row in arrivals if row.first)
    assert result.lost > 0
    assert result == kernel.run(same, 2)
    with pytest.raises(UsageError, match="there is a trace already"):
        kernel.run(same, 2, out=tmp_path / "trace")


def test_those_who_are_not_reached_are_counted() -> None:
    crash = [{"do": "crash", "at_s": 0, "nodes": list(range(10, 40))}]
    workload = {"messages": 4, "origin": "first"}
    result = kernel.run(scenario(100, event=crash, workload=workload), 1)

    assert result.missed > 0
    assert result.deliveries + result.missed == 4 * 69


def test_progress_is_told_with_each_message() -> None:
    told: list[tuple[int, int]] = []
    kernel.run(scenario(9), 1, progress=lambda done, of: told.append((done, of)))

    assert told == [(number, 12) for number in range(1, 13)]


def test_a_trace_that_cannot_be_written_is_the_callers_business(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match="file"):
        kernel.run(scenario(9), 1, out=tmp_path / "file" / "trace")
