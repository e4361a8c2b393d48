"""One node of the lab through its lives, among others in one process."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

from snowcast.core.effects import Delivered
from snowcast.core.member import Member, first_incarnation
from snowcast.core.trees import Mode
from snowcast.lab.places import address_of, free_port
from snowcast.lab.resident import Resident, Surroundings, close_all
from snowcast.sim.latency import Latency
from snowcast.sim.network import Network
from snowcast.sim.plan import Say
from snowcast.trace.files import TraceReader, TraceWriter
from snowcast.trace.schema import ArrivalRow, NodeRow
from support.loops import FAST, on_loop, until


@asynccontextmanager
async def street(tmp_path: Path, count: int) -> AsyncIterator[tuple[list[Resident], list[int]]]:
    """So many nodes that know one another, one more that does not, and deliveries counted."""
    delivered: list[int] = []
    with TraceWriter(tmp_path) as writer:
        around = Surroundings(
            "r",
            partial(address_of, port=free_port(Random(time.time_ns()))),
            FAST,
            "standard",
            None,
            Network(0, [Latency.fixed(0)]),
            writer,
            lambda: 0,
            lambda: 7,
            lambda index, notice: delivered.extend([index] * isinstance(notice, Delivered)),
        )
        nodes = [Resident(index, around, stable=True) for index in range(count + 1)]
        members = tuple([Member(node.address, first_incarnation(1)) for node in nodes[:count]])
        for node in nodes[:count]:
            node.bind()
        for node in nodes[:count]:
            node.boot(members)
        try:
            yield nodes, delivered
        finally:
            await close_all(nodes)


def say(number: int) -> Say:
    return Say(0, 0, number, Mode.STANDARD, False, 20)


@on_loop
async def test_nodes_that_know_one_another_deliver_at_once_and_one_can_join(
    tmp_path: Path,
) -> None:
    async with street(tmp_path, 3) as (nodes, delivered):
        nodes[0].say(say(0))
        await until(lambda: len(delivered) == 2)
        nodes[3].join(nodes[1].address)
        await until(lambda: nodes[3].is_member)
        nodes[3].say(say(1))
        await until(lambda: len(delivered) == 5)


@on_loop
async def test_a_leaver_goes_and_a_killed_node_comes_back_in_a_new_life(tmp_path: Path) -> None:
    async with street(tmp_path, 3) as (nodes, delivered):
        nodes[1].leave()
        assert not nodes[1].is_member
        nodes[2].kill()
        assert not nodes[2].is_up
        nodes[2].join(nodes[0].address)
        await until(lambda: nodes[2].is_member)
        nodes[2].say(say(0))
        await until(lambda: len(delivered) >= 1)
        await until(lambda: not nodes[1].is_up)
    rows = {(row.node, row.life): row for row in TraceReader(tmp_path).rows(NodeRow)}
    killed = str(nodes[2].address)
    assert rows[killed, 1].crashed_us == 7
    assert rows[killed, 2].crashed_us is None
    assert rows[str(nodes[1].address), 1].left_us is not None


@on_loop
async def test_a_crashed_node_hears_nothing_and_records_nothing_more(tmp_path: Path) -> None:
    async with street(tmp_path, 3) as (nodes, delivered):
        nodes[2].crash()
        nodes[0].say(say(0))
        await until(lambda: len(delivered) == 1)
    arrivals = [row.node for row in TraceReader(tmp_path).rows(ArrivalRow) if row.kind == "data"]
    assert arrivals == [str(nodes[1].address)]


@on_loop
async def test_rows_go_to_another_run_when_asked_with_what_became_of_the_node(
    tmp_path: Path,
) -> None:
    async with street(tmp_path, 3) as (nodes, delivered):
        assert [node.known for node in nodes[:3]] == [3, 3, 3]
        nodes[2].crash()
        for node in nodes[:3]:
            node.trace("second")
        nodes[0].say(say(0))
        await until(lambda: len(delivered) == 1)
    reader = TraceReader(tmp_path)
    rows = {row.node: row for row in reader.rows(NodeRow) if row.run == "second"}
    ends = [(row.joined_us, row.crashed_us) for _, row in sorted(rows.items())]
    assert ends == [(7, None), (7, None), (7, 7)]
    assert {row.run for row in reader.rows(ArrivalRow) if row.kind == "data"} == {"second"}


@on_loop
async def test_nodes_that_end_together_do_not_look_for_one_another(tmp_path: Path) -> None:
    async with street(tmp_path, 3) as (nodes, delivered):
        nodes[0].say(say(0))
        await until(lambda: len(delivered) == 2)
        heard: list[object] = []
        for node in nodes[:3]:
            node._host.driver.observe = lambda now_us, event, effects: heard.append(event)
        await close_all(nodes)
        assert not heard
        await close_all(nodes)  # once more is nothing
