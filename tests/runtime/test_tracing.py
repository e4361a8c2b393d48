"""A trace of real nodes is what the pipeline reads."""

from __future__ import annotations

import logging
import resource
from pathlib import Path

import pytest

from snowcast.testing import local_cluster
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, RunRow
from support.loops import FAST, on_loop, until


@on_loop
async def test_each_node_records_what_it_sends_and_receives(tmp_path: Path) -> None:
    async with local_cluster(3, config=FAST, trace_dir=tmp_path, trace_run="r") as nodes:
        origin = str(nodes[0].address)
        receipt = await nodes[0].broadcast(b"12345", reliable=True)
        assert receipt.is_complete

    readers = [TraceReader(directory) for directory in tmp_path.iterdir()]
    assert [row.run for reader in readers for row in reader.rows(RunRow)] == ["r"] * 3
    messages = [row for reader in readers for row in reader.rows(MessageRow)]
    assert [(row.message, row.origin, row.payload_bytes) for row in messages] == [
        (receipt.id, origin, 5)
    ]
    arrivals = [row for reader in readers for row in reader.rows(ArrivalRow)]
    assert len([row for row in arrivals if row.message == receipt.id and row.first]) == 2
    names = {row.name for reader in readers for row in reader.rows(NodeRow)}
    assert names == {"node-0", "node-1", "node-2"}


@on_loop
async def test_a_node_whose_disk_is_full_ends_its_trace_and_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with local_cluster(3, config=FAST, trace_dir=tmp_path) as nodes:
        ticks: list[int] = []
        nodes[0]._running.on_tick = lambda: ticks.append(1)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, hard))
        try:
            with caplog.at_level(logging.ERROR):
                await until(lambda: all(node.stats()["traces_broken"] for node in nodes))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        before = len(ticks)
        for node in nodes:
            assert (await node.broadcast(bytes(1_000), reliable=True)).is_complete
        await until(lambda: len(ticks) > before)
        assert [node.stats()["traces_broken"] for node in nodes] == [1, 1, 1]
    assert sum("cannot be written" in message for message in caplog.messages) == 3
    for directory in tmp_path.iterdir():
        assert max(path.stat().st_size for path in directory.glob("*.jsonl")) <= 4_000


@on_loop
async def test_what_a_node_does_about_an_event_is_done_though_its_trace_breaks(
    tmp_path: Path,
) -> None:
    async with local_cluster(2, config=FAST, trace_dir=tmp_path) as nodes:
        reader = nodes[1].messages()
        tracer = nodes[0]._running.tracer
        assert tracer is not None
        tracer.flush()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            sent = 0
            while not tracer.is_broken:  # its buffer overflows in the middle of some event
                await nodes[0].broadcast(b"x", mode="coloring")
                sent += 1
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        for _ in range(sent):
            await anext(reader)
