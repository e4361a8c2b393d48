"""A scenario on real nodes in several processes: as in the simulator, and nothing is left."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from snowcast.core.errors import UsageError
from snowcast.lab.crew import LabError
from snowcast.lab.run import run
from snowcast.sim.run import run as run_sim
from snowcast.sim.scenario import parse
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, Role, RunRow
from support.lab import needs_namespaces
from support.loops import on_loop, until

TABLES: dict[str, Any] = {
    "quiet_s": 4,
    "cluster": {"nodes": 24},
    "processing": {"delay_ms": [5, 40], "stragglers": "random", "straggler_ms": 100},
    "workload": {"messages": 6, "interval_ms": 200, "start_s": 0.3, "settle_s": 0},
    "churn": {"every_messages": 3},
}


def children() -> set[str]:
    """The processes that this one has started and that are still there."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@on_loop
@pytest.mark.parametrize("protocol", ["coloring", "gossip"])
async def test_the_same_scenario_is_the_same_story_on_real_nodes(
    tmp_path: Path, protocol: str
) -> None:
    scenario = parse({**TABLES, "protocol": protocol})
    before, seen = children(), []
    result = await run(
        scenario,
        5,
        tmp_path / "lab",
        name="story",
        processes=3,
        progress=lambda passed_us, all_us: seen.append((passed_us, all_us)),
    )
    simulated = run_sim(scenario, 5, name="story", out=tmp_path / "sim")

    assert (result.messages, result.skipped, result.nodes) == (6, 0, 24)
    assert seen[-1][0] == seen[-1][1] == simulated.ended_us
    assert children() == before
    real = [TraceReader(directory) for directory in (tmp_path / "lab").iterdir()]
    virtual = TraceReader(tmp_path / "sim")
    assert [row.protocol for reader in real for row in reader.rows(RunRow)] == [protocol]
    assert len([row for reader in real for row in reader.rows(MessageRow)]) == 6
    assert _roles(real) == _roles([virtual])
    if protocol == "coloring":
        # Each node that stays has each message, in the lab as in the simulator.
        stays = {node for node, (_, stable) in _roles(real).items() if stable}
        for readers in (real, [virtual]):
            had = [row for one in readers for row in one.rows(ArrivalRow) if row.first]
            own = [row for row in had if row.kind == "data" and _number(row.node) in stays]
            assert len(own) == 6 * (len(stays) - 1)


@on_loop
async def test_a_run_that_is_cut_off_leaves_no_process_and_no_trace(tmp_path: Path) -> None:
    before, out = children(), tmp_path / "lab"
    started = asyncio.Event()
    cut = asyncio.create_task(
        run(
            parse({**TABLES, "quiet_s": 600}),
            0,
            out,
            name="cut",
            processes=2,
            progress=lambda passed_us, all_us: started.set(),
        )
    )
    await started.wait()
    await until(lambda: len(children() - before) == 2)
    cut.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cut
    assert children() == before
    assert list(tmp_path.iterdir()) == []


@on_loop
async def test_a_process_that_dies_ends_the_run_with_a_word(tmp_path: Path) -> None:
    before = children()
    started = asyncio.Event()
    dying = asyncio.create_task(
        run(
            parse({**TABLES, "quiet_s": 600}),
            0,
            tmp_path / "lab",
            name="dies",
            processes=2,
            progress=lambda passed_us, all_us: started.set(),
        )
    )
    await started.wait()
    os.kill(int(min(children() - before)), 9)
    with pytest.raises(LabError, match=r"process [01] has failed: no word"):
        await dying
    assert children() == before
    assert list(tmp_path.iterdir()) == []


@needs_namespaces
@on_loop
async def test_in_namespaces_each_node_has_a_process_and_packets_meet_the_scenarios_network(
    tmp_path: Path,
) -> None:
    before = children()
    tables = {
        "quiet_s": 1,
        "cluster": {"nodes": 5},
        "network": {"latency": "fixed", "latency_ms": [30, 30]},
        "workload": {"messages": 3, "interval_ms": 500, "start_s": 0.5},
        "event": [
            {"at_s": 0.9, "do": "crash", "nodes": [3]},
            {"at_s": 1.3, "do": "join", "contact": "first"},
        ],
    }
    result = await run(parse(tables), 1, tmp_path / "lab", name="ns", in_namespaces=True)
    assert (result.processes, result.messages, result.skipped) == (6, 3, 0)
    assert result.packets["carried"] > 0
    assert result.packets["dropped"] > 0  # for the dead
    assert children() == before
    readers = [TraceReader(directory) for directory in (tmp_path / "lab").iterdir()]
    sent = {row.message: row.at_us for one in readers for row in one.rows(MessageRow)}
    had = [row for one in readers for row in one.rows(ArrivalRow) if row.first]
    took_us = [row.at_us - sent[row.message] for row in had if row.message in sent]
    assert {row.node for row in had if row.kind == "data"} >= {f"10.77.0.{n}:7946" for n in (2, 3)}
    assert min(took_us) >= 30_000
    dead = [row.at_us for row in had if row.node == "10.77.0.4:7946"]
    assert len(dead) == 1


@on_loop
async def test_too_many_namespaces_or_processes_of_ones_own_are_refused(tmp_path: Path) -> None:
    for nodes, processes, match in ((251, None, "at most 250"), (4, 2, "^processes: ")):
        with pytest.raises(UsageError, match=match):
            await run(
                parse({"cluster": {"nodes": nodes}}),
                0,
                tmp_path / "lab",
                name="ns",
                processes=processes,
                in_namespaces=True,
            )
    assert list(tmp_path.iterdir()) == []


@on_loop
async def test_nothing_is_written_over(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        await run(parse(TABLES), 0, tmp_path, name="again")


def _roles(readers: list[TraceReader]) -> dict[int, tuple[Role, bool | None]]:
    """What becomes of each node, by its number; the last row holds."""
    rows = [row for reader in readers for row in reader.rows(NodeRow)]
    return {_number(row.node): (row.role, row.stable) for row in rows}


def _number(address: str) -> int:
    """The node's number: 10.0.0.1 and 127.0.1.1 are both node 0."""
    return int(address.partition(":")[0].rpartition(".")[2]) - 1
