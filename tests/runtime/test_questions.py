"""What nodes ask each other, on real sockets: everybody answers, and who does not is named."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import msgspec
import pytest

import snowcast
from snowcast.baselines.registry import protocol
from snowcast.core.frames import MessageId
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.keyring import KeyRing, generate_key
from snowcast.runtime.options import Options
from snowcast.runtime.questions import (
    PENDING_MAX,
    AskKeys,
    AskView,
    Desk,
    Inquiry,
    KeyAction,
    KeysAnswer,
    Reach,
    ViewAnswer,
)
from snowcast.testing import agreed, local_cluster
from support.loops import FAST, local, on_loop, turns, until

VIEW = ViewAnswer("00ff", 3, 0, "1.0")
ID = MessageId(local(1), 1, 1)


@on_loop
async def test_everybody_says_what_it_believes_and_no_application_hears_of_it() -> None:
    async with local_cluster(5, config=FAST) as nodes:
        readers = [node.messages() for node in nodes]
        told = await nodes[2].ask(AskView())

        others = [node for node in nodes if node is not nodes[2]]
        digest = nodes[2].digest
        assert told.receipt.is_complete
        assert {member.name for member in told.asked} == {node.name for node in others}
        assert told.answers == {
            node.address: ViewAnswer(digest, 5, 0, snowcast.__version__) for node in others
        }
        assert all(len(reader) == 0 for reader in readers)
        assert all(node.stats()["messages_delivered"] == 0 for node in nodes)


@on_loop
async def test_who_is_dead_is_named_and_not_waited_for() -> None:
    async with local_cluster(4, config=FAST) as nodes:
        await nodes[3].abort()
        reach, view = await asyncio.gather(nodes[0].ask(Reach()), nodes[0].ask(AskView(), 60))
        assert reach.receipt.missing == view.receipt.missing == ("node-3",)
        assert reach.answers == {}
        assert set(view.answers) == {nodes[1].address, nodes[2].address}


@on_loop
async def test_of_two_members_with_one_name_only_the_dead_one_is_not_waited_for() -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(snowcast.join(config=FAST, linger=0))
        seeds = [str(first.address)]
        twins = [
            await stack.enter_async_context(
                snowcast.join(seeds=seeds, name="twin", config=FAST, linger=0, wait=60)
            )
            for _ in range(2)
        ]
        await agreed([first, *twins])
        held: list[tuple[MessageId, str]] = []
        say = twins[1].desk._say
        twins[1].desk._say = lambda id, text: held.append((id, text))
        await twins[0].abort()
        asking = asyncio.create_task(first.ask(AskView(), 60))
        await until(lambda: first.counters.receipts_incomplete and held)
        await turns()
        assert not asking.done(), "the other twin is well, and has yet to answer"
        say(*held[0])
        told = await asking
        assert told.receipt.missing == ("twin",)
        assert told.receipt.missing_at == (twins[0].address,)
        assert set(told.answers) == {twins[1].address}


@on_loop
async def test_keys_are_changed_everywhere_and_each_node_says_why_not() -> None:
    old, new = generate_key(), generate_key()
    new_id = KeyRing([new]).ids[0]
    async with local_cluster(3, config=FAST, keys=[old]) as nodes:
        asker, changed = nodes[0], list[str]()
        nodes[1].desk.on_keys_changed = lambda: changed.append(nodes[1].name)

        async def everywhere(action: KeyAction, key: str = "") -> set[KeysAnswer]:
            question = AskKeys(action, key)
            told = await asker.ask(question)
            assert len(told.answers) == 2
            return {*told.answers.values(), asker.desk.answer(question)}

        [before] = await everywhere(KeyAction.LIST)
        old_id = before.keys[0]
        assert changed == []
        [refused] = await everywhere(KeyAction.USE, new_id)
        assert refused.keys == (old_id,)
        assert f"no key {new_id} on the ring" in refused.error
        assert await everywhere(KeyAction.INSTALL, new) == {KeysAnswer((old_id, new_id))}
        assert await everywhere(KeyAction.USE, new_id) == {KeysAnswer((new_id, old_id))}
        [refused] = await everywhere(KeyAction.REMOVE, new_id)
        assert "use another one first" in refused.error
        assert await everywhere(KeyAction.REMOVE, old_id) == {KeysAnswer((new_id,))}
        assert await everywhere(KeyAction.REMOVE, old_id) == {KeysAnswer((new_id,))}
        assert changed == ["node-1"] * 4
        sent = nodes[0].stats()["datagrams_received"]
        await until(lambda: nodes[0].stats()["datagrams_received"] > sent + 2)
        assert all(not node.counters.refused for node in nodes)


@on_loop
async def test_an_operator_evicts_who_is_gone_and_gives_a_node_other_tags() -> None:
    async with local_cluster(4, config=FAST) as nodes:
        told = nodes[1].events()
        await nodes[3].abort()
        nodes[0].evict(nodes[3].address)
        await until(lambda: all(len(node.members) == 3 for node in nodes[:3]))
        nodes[2].retag({"zone": "b"})
        async for event in told:
            if isinstance(event, snowcast.MemberUpdated):
                assert (event.member.name, event.member.tags) == ("node-2", (("zone", "b"),))
                break
        with pytest.raises(snowcast.UsageError, match="no other member"):
            nodes[0].evict(nodes[0].address)


@on_loop
async def test_a_baseline_has_no_receipts_and_says_so() -> None:
    gossip = protocol("gossip").make_broadcaster
    assert gossip is not None
    async with Cluster(Options(make_broadcaster=gossip, linger=0)) as node:
        for call in (node.broadcast(b"x", reliable=True), node.ask(Reach())):
            with pytest.raises(snowcast.UsageError, match="gives no receipts"):
                await call


@on_loop
async def test_a_desk_answers_only_what_it_understands_and_not_without_bound() -> None:
    said: list[tuple[MessageId, str]] = []
    desk = Desk(lambda: VIEW, lambda: None, lambda id, text: said.append((id, text)))
    desk.on_question(ID, b'{"ask": "tomorrow"}')
    desk.on_question(ID, b"\xff")
    desk.on_question(ID, msgspec.json.encode(Reach()))
    for _ in range(PENDING_MAX + 5):
        desk.on_question(ID, msgspec.json.encode(AskView()))
    await until(lambda: len(said) == PENDING_MAX)
    assert set(said) == {(ID, msgspec.json.encode(VIEW).decode())}
    answer = desk.answer(AskKeys(KeyAction.LIST))
    assert answer == KeysAnswer((), "this node has no key ring: start it with keys")
    desk.on_question(ID, msgspec.json.encode(AskView()))
    desk.close()
    assert len(said) == PENDING_MAX


@on_loop
async def test_an_inquiry_takes_one_answer_of_each_and_ends_when_all_are_here() -> None:
    inquiry = Inquiry({local(1), local(2), local(3)})
    for port, text in ((1, "a"), (1, "b"), (9, "c"), (2, "d")):
        inquiry.take(local(port), text)
    await inquiry.wait({local(3)}, 1e9)
    assert inquiry.answers == {local(1): "a", local(2): "d"}
    await Inquiry({local(1)}).wait(set(), 0)
