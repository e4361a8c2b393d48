"""The way in: what `join` promises, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any

import pytest

import snowcast
from snowcast.runtime import snapshot
from snowcast.runtime.ports import bind
from snowcast.runtime.snapshot import load
from snowcast.testing import agreed, eventually
from support.loops import FAST, on_loop, until

is_application = ContextVar("is_application", default=False)


@on_loop
async def test_a_node_without_seeds_is_a_cluster_of_one_that_others_join() -> None:
    async with snowcast.join(name="a", tags={"zone": "1"}, config=FAST, wait=0) as first:
        assert first.is_joined
        assert [member.label for member in first.members] == ["a"]
        seeds = [str(first.address)]
        async with snowcast.join(name="b", seeds=seeds, config=FAST, wait=30) as second:
            await agreed([first, second])
            assert first.digest == second.digest
            assert {(m.name, m.tags) for m in second.members} == {
                ("a", (("zone", "1"),)),
                ("b", ()),
            }


@on_loop
async def test_a_seed_may_be_this_node_itself_by_its_own_or_another_address() -> None:
    sockets = bind("127.0.0.1:0")
    sockets.close()
    port = sockets.port
    async with snowcast.join(f"127.0.0.1:{port}", [f"127.0.0.1:{port}"], config=FAST, wait=30):
        pass
    async with snowcast.join(
        f"0.0.0.0:{port}", [f"127.0.0.2:{port}"], advertise="127.0.0.1", config=FAST, wait=30
    ) as node:
        assert not node.counters.refused


@on_loop
async def test_a_seed_may_be_known_by_another_address_than_its_members_use() -> None:
    async with snowcast.join("0.0.0.0:0", advertise="127.0.0.1", config=FAST) as first:
        seed = f"127.0.0.9:{first.address.port}"
        async with snowcast.join(seeds=[seed], config=FAST, wait=30) as second:
            await agreed([first, second])


@on_loop
async def test_a_seed_that_is_not_there_yet_is_no_error_and_is_found_when_it_is() -> None:
    sockets = bind("127.0.0.1:0")
    sockets.close()
    seed = f"127.0.0.1:{sockets.port}"
    async with snowcast.join(seeds=[seed], config=FAST) as early:
        await until(lambda: early.stats()["links_failed"] >= 2)
        assert not early.is_joined
        async with snowcast.join(seed, config=FAST) as late:
            await early.joined(60)
            await agreed([early, late])


@on_loop
async def test_a_node_that_is_not_let_in_in_time_says_whom_it_has_asked() -> None:
    sockets = bind("127.0.0.1:0")
    sockets.close()
    seed = f"127.0.0.1:{sockets.port}"
    with pytest.raises(snowcast.JoinTimeout, match=seed):
        async with snowcast.join(seeds=[seed], config=FAST, wait=0.05):
            pass


@on_loop
async def test_nodes_over_ipv6_are_a_cluster() -> None:
    async with snowcast.join("[::1]:0", config=FAST) as first:
        seeds = [str(first.address)]
        async with snowcast.join("[::1]:0", seeds, config=FAST, wait=30) as second:
            await agreed([first, second])
            assert (await second.broadcast(b"six", reliable=True)).is_complete


@on_loop
async def test_a_restarted_node_finds_the_members_it_knew_and_begins_a_later_life(
    tmp_path: Path,
) -> None:
    path = tmp_path / "node.json"
    async with snowcast.join(name="stays", config=FAST) as stays:
        seeds = [str(stays.address)]
        async with snowcast.join(seeds=seeds, config=FAST, snapshot=path, wait=30) as node:
            address, life = str(node.address), node.me.life
            await agreed([stays, node])
        kept = load(path, FAST.cluster)
        assert kept is not None
        assert (kept.life, kept.members) == (life, (str(stays.address),))

        async with snowcast.join(address, config=FAST, snapshot=path, wait=60) as again:
            assert again.me.life > life
            await agreed([stays, again])


@pytest.mark.parametrize("set_back_s", [0, 3600])
@on_loop
async def test_what_a_restarted_node_sends_is_new_whatever_its_clock_says(
    set_back_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a snapshot, and as a process of its own: it remembers nothing."""
    async with snowcast.join(name="stays", config=FAST) as stays:
        reader, seeds = stays.messages(), [str(stays.address)]
        at, address = time.time(), "127.0.0.1:0"
        lives = []
        for payload in (b"one", b"two"):
            monkeypatch.setattr(snapshot, "_begun", {})
            async with snowcast.join(address, seeds, config=FAST, wait=60, linger=0) as node:
                address = str(node.address)
                lives.append(node.me.life)
                receipt = await node.broadcast(payload, reliable=True)
                assert (receipt.delivered, receipt.missing) == (1, ())
                message = await anext(reader)
                assert isinstance(message, snowcast.Message)
                assert message.payload == payload
            monkeypatch.setattr(time, "time", lambda: at - set_back_s)
        assert lives[0] < lives[1]


@on_loop
async def test_listening_beyond_this_machine_without_tls_or_keys_warns_loudly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        async with snowcast.join("127.0.0.1:0"):
            pass
        assert not caplog.messages
        async with snowcast.join("0.0.0.0:0", advertise="127.0.0.1", keys=[bytes(32)]):
            pass
    assert "ANYBODY" in caplog.text
    assert "streams have no TLS" in caplog.text
    assert "datagrams have no keys" not in caplog.text


@on_loop
async def test_an_application_that_is_cancelled_leaves_no_task_and_no_socket() -> None:
    async with snowcast.join(config=FAST, linger=0) as first:
        seeds = [str(first.address)]

        async def application() -> None:
            async with snowcast.join(seeds=seeds, config=FAST, linger=0.01) as node:
                waiting = node.broadcast(b"x", reliable=True)
                await waiting
                async for _ in node.messages():
                    pass

        its_tasks: list[asyncio.Task[object]] = []

        def note(
            loop: asyncio.AbstractEventLoop, what: Coroutine[object, object, object], **more: Any
        ) -> asyncio.Task[object]:
            task = asyncio.Task(what, loop=loop, **more)
            if is_application.get():  # also of what its callbacks begin
                its_tasks.append(task)
            return task

        asyncio.get_running_loop().set_task_factory(note)
        for moments in range(12):
            context = copy_context()
            context.run(is_application.set, True)
            task = asyncio.create_task(application(), context=context)
            await asyncio.sleep(0.004 * moments)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert all(one.done() for one in its_tasks)
        assert any(one.get_name().startswith("snowcast") for one in its_tasks)
        await eventually(lambda: len(asyncio.all_tasks()) == 1)


@on_loop
async def test_a_port_in_use_is_an_error_that_says_so() -> None:
    async with snowcast.join(config=FAST, linger=0) as first:
        with pytest.raises(snowcast.BindError, match="another program listens there"):
            async with snowcast.join(str(first.address)):
                pass
