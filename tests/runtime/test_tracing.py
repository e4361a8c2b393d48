"""A trace of real nodes is what the pipeline reads."""

from __future__ import annotations

from pathlib import Path

from snowcast.testing import local_cluster
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, RunRow
from support.loops import FAST, on_loop


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
