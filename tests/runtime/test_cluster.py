"""A cluster as its application sees it, on real sockets."""

from __future__ import annotations

import asyncio

import pytest

import snowcast
from snowcast.core.codec import PAYLOAD_BYTES_MAX
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.options import Options
from snowcast.testing import agreed, local_cluster
from support.loops import FAST, on_loop, turns, until


@on_loop
async def test_thirty_nodes_join_through_one_and_hear_each_other_in_both_modes() -> None:
    async with local_cluster(30, config=FAST) as nodes:
        assert len({node.digest for node in nodes}) == 1
        readers = [node.messages() for node in nodes]
        for number, mode in enumerate(("standard", "coloring", snowcast.Mode.STANDARD)):
            origin = nodes[7 * number]
            payload = f"message {number}".encode()
            assert await origin.broadcast(payload, mode=mode) is None
            for node, reader in zip(nodes, readers, strict=True):
                if node is not origin:
                    message = await anext(reader)
                    assert isinstance(message, snowcast.Message)
                    assert (message.payload, message.sender) == (payload, origin.name)
        assert all(len(reader) == 0 for reader in readers), "each message came once"


@on_loop
async def test_a_reliable_message_names_a_member_that_has_crashed_and_reaches_all_others() -> None:
    async with local_cluster(20, config=FAST) as nodes:
        readers = {node.name: node.messages() for node in nodes}
        dead = nodes[11]
        await dead.abort()
        receipt = await nodes[3].broadcast(b"who is there", reliable=True)

        assert receipt.missing == ("node-11",)
        assert receipt.delivered == 18
        assert not receipt.is_complete
        for node in nodes:
            if node not in (dead, nodes[3]):
                message = await anext(readers[node.name])
                assert isinstance(message, snowcast.Message)


@on_loop
async def test_who_leaves_has_left_and_who_crashes_is_evicted() -> None:
    async with local_cluster(5, config=FAST) as nodes:
        told = nodes[0].events()
        await nodes[1].leave(linger=0.1)
        await nodes[2].abort()
        await agreed([nodes[0], nodes[3], nodes[4]])

        events = {(type(event), event.member.name) async for event in _taken(told)}
        assert (snowcast.MemberLeft, "node-1") in events
        assert (snowcast.MemberEvicted, "node-2") in events
        assert (snowcast.MemberEvicted, "node-1") not in events
        assert (snowcast.MemberLeft, "node-2") not in events


@on_loop
async def test_a_slow_reader_is_told_how_much_it_has_missed_and_holds_nobody_up() -> None:
    limits = snowcast.Limits(messages_max=10)
    async with local_cluster(3, config=FAST, limits=limits) as nodes:
        reader = nodes[1].messages()
        for number in range(25):
            await nodes[0].broadcast(bytes([number]))
        await until(lambda: nodes[1].stats()["messages_delivered"] == 25)

        assert await anext(reader) == snowcast.Lagged(15)
        message = await anext(reader)
        assert isinstance(message, snowcast.Message)
        assert message.payload == bytes([15])
        assert nodes[1].stats()["messages_lagged"] == 15


@on_loop
async def test_a_burst_larger_than_all_queues_waits_for_its_readers_and_loses_nothing() -> None:
    limits = snowcast.Limits(queue_bytes_max=1 << 20, messages_bytes_max=1 << 30)
    async with local_cluster(4, config=FAST, limits=limits) as nodes:
        count = 60
        for _ in range(count):
            await nodes[0].broadcast(bytes(200_000))
        for node in nodes[1:]:
            await until(lambda node=node: node.stats()["messages_delivered"] == count)
        assert nodes[0].stats()["queue_full"] == 0


@on_loop
async def test_all_nodes_broadcast_at_once_and_everything_arrives_once() -> None:
    async with local_cluster(12, config=FAST) as nodes:
        receipts = await asyncio.gather(
            *[node.broadcast(bytes(number), reliable=True, mode=mode)
              for number, node in enumerate(nodes) for mode in ("standard", "coloring")]
        )  # fmt: skip
        assert all(receipt.is_complete and receipt.delivered == 11 for receipt in receipts)
        assert {node.stats()["messages_delivered"] for node in nodes} == {22}


@on_loop
async def test_a_payload_that_cannot_be_sent_is_an_error_at_the_call() -> None:
    async with snowcast.join(linger=0) as node:
        with pytest.raises(snowcast.UsageError, match="over the limit"):
            await node.broadcast(bytes(PAYLOAD_BYTES_MAX + 1))
        with pytest.raises(snowcast.UsageError, match="bytes, not str"):
            await node.broadcast("text")  # type: ignore[call-overload]
        with pytest.raises(snowcast.UsageError, match="standard, coloring"):
            await node.broadcast(b"", mode="loud")
        assert (await node.broadcast(bytearray(b"x"), reliable=True)).is_complete


@on_loop
async def test_a_caller_in_a_hurry_is_told_when_the_receipt_comes_at_the_latest() -> None:
    async with local_cluster(3, config=FAST) as nodes:
        await nodes[1].abort()
        with pytest.raises(snowcast.BroadcastTimeout, match="after 5 s at the latest"):
            await nodes[0].broadcast(b"x", reliable=True, timeout=0.0)


@on_loop
async def test_a_cluster_that_was_left_says_so_and_ends_its_readers() -> None:
    async with local_cluster(2, config=FAST) as nodes:
        reader, events = nodes[1].messages(), nodes[1].events()
        pending = asyncio.create_task(nodes[1].broadcast(b"x", reliable=True))
        await asyncio.sleep(0)
        await nodes[0].abort()
        await nodes[1].leave(linger=0)
        await nodes[1].leave()

        assert [item async for item in reader] == []
        assert [item async for item in events]
        with pytest.raises(snowcast.ClosedError):
            await nodes[1].broadcast(b"x")
        await asyncio.wait([pending])
        assert pending.done()


@on_loop
async def test_who_leaves_a_second_time_waits_for_the_end_of_the_first() -> None:
    async with local_cluster(2, config=FAST) as nodes:
        node = nodes[1]
        first = asyncio.create_task(node.leave(linger=0.3))
        await turns()
        later = [asyncio.create_task(node.leave()) for _ in range(2)]
        await turns()
        assert not any(task.done() for task in later)
        later[0].cancel()
        await asyncio.wait([later[0]])
        assert not first.done(), "only one who waits was cancelled"
        await later[1]
        stats = node.stats()
        assert (stats["links"], stats["inbound"], stats["timers"]) == (0, 0, 0)
        await first


@on_loop
async def test_who_leaves_after_the_first_was_cancelled_or_aborted_finds_it_closed() -> None:
    async with local_cluster(3, config=FAST) as nodes:
        first = asyncio.create_task(nodes[1].leave(linger=60))
        await turns()
        first.cancel()
        await nodes[1].leave()
        assert nodes[1].stats()["links"] == 0
        await nodes[2].abort()
        await nodes[2].leave()
        await asyncio.wait([first])


@pytest.mark.parametrize("size", [1, 1_000, 100_000])
@on_loop
async def test_one_who_broadcasts_without_end_lets_others_run(size: int) -> None:
    async with local_cluster(2, config=FAST) as nodes:
        payload, others = bytes(size), asyncio.Event()
        asyncio.get_running_loop().call_soon(others.set)
        sent = 0
        while not others.is_set():
            sent += 1
            assert sent <= max(128, (1 << 20) // size), "by now they should have"
            await nodes[0].broadcast(payload)


@on_loop
async def test_keys_are_rotated_in_a_running_cluster_and_nobody_is_suspected() -> None:
    old, new = snowcast.generate_key(), snowcast.generate_key()
    async with local_cluster(4, config=FAST, keys=[old]) as nodes:
        for step in ("install", "use", "remove"):
            for node in nodes:
                assert node.keys is not None
                match step:
                    case "install":
                        id = node.keys.install(new)
                    case "use":
                        node.keys.use(id)
                    case "remove":
                        node.keys.remove(node.keys.ids[1])
            before = [node.stats()["datagrams_received"] for node in nodes]
            await until(
                lambda before=before: all(
                    node.stats()["datagrams_received"] > count
                    for node, count in zip(nodes, before, strict=True)
                )
            )
        assert all(not node.counters.refused for node in nodes)


@on_loop
async def test_a_queue_that_is_full_is_an_event_and_the_message_goes_round() -> None:
    limits = snowcast.Limits(queue_bytes_max=300_000, stall_timeout=1)
    async with local_cluster(6, config=FAST, limits=limits) as nodes:
        told = nodes[0].events()
        stuck = nodes[0]._running.streams
        victim = nodes[1].address
        await nodes[0].broadcast(b"warm up", reliable=True)
        if victim not in stuck._links:
            stuck.send(victim, _nack())
            await until(lambda: stuck._links[victim]._transport is not None)
        stuck._links[victim].pause_writing()
        for _ in range(4):
            await nodes[0].broadcast(bytes(200_000), mode="coloring")

        full = [event async for event in _taken(told) if isinstance(event, snowcast.QueueFull)]
        others = list(nodes[2:])
        await until(lambda: all(node.stats()["messages_delivered"] == 5 for node in others))
        assert {event.peer for event in full} <= {victim}


def test_a_cluster_that_was_not_started_says_so() -> None:
    async def ask() -> None:
        with pytest.raises(snowcast.ClosedError, match="async with"):
            _ = Cluster(Options()).address

    asyncio.run(ask())


async def _taken(reader: object):  # type: ignore[no-untyped-def]
    """What is there to be read now."""
    while len(reader):  # type: ignore[arg-type]
        yield await anext(reader)  # type: ignore[call-overload]


def _nack() -> object:
    from snowcast.core.frames import Nack

    return Nack(1)
