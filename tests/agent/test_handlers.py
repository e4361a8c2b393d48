"""What the control API does, one handler at a time, on agents that know each other."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import msgspec
import pytest

import snowcast
from snowcast.agent import handlers as h
from snowcast.agent import logs, showing
from snowcast.agent import shapes as s
from snowcast.agent.problems import Refusal
from snowcast.agent.settings import Settings
from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from snowcast.runtime.news import Receipt
from snowcast.runtime.questions import Answers, KeysAnswer
from support.agents import agent, pair
from support.certificates import Authority
from support.loops import local, on_loop, until

NO = s.Nothing()


async def refused(doing: Coroutine[Any, Any, Any]) -> Refusal:
    """Something that is not done."""
    with pytest.raises(Refusal) as error:
        await doing
    return error.value


@on_loop
async def test_members_are_listed_by_what_was_asked_for(tmp_path: Path) -> None:
    async with pair(tmp_path, node={"tags": {"zone": "a"}}) as (a, b):

        async def names(**query: Any) -> list[str]:
            return [m.name for m in (await h.members(a, s.MembersQuery(**query), None)).members]

        ring = [member.label for member in a.cluster.members]
        assert await names() == ring
        assert await names(name="b") == await names(name="[b]") == ["b"]
        assert await names(name="*", state="alive", tag="zone") == ring
        assert await names(tag="zone=a") == ring
        assert await names(tag="zone=") == await names(tag="rack") == await names(name="B") == []
        await b.cluster.leave(0.0)
        b._has_left = True
        await until(lambda: len(a.cluster.members) == 1)
        assert await names() == ["a"]
        assert await names(departed=True) == ["a", "b"]
        assert await names(state="left") == ["b"]
        assert await names(state="evicted") == []
        with pytest.raises(UsageError, match=r"no state 'gone'; there are: alive, suspect"):
            await names(state="gone")


@on_loop
async def test_a_broadcast_arrives_and_a_receipt_says_so(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        heard = b.cluster.messages()
        plain = await h.broadcast(a, s.BroadcastQuery(), b"one")
        assert plain == s.BroadcastInfo(payload_bytes=3, receipt=None)
        for mode in Mode:
            query = s.BroadcastQuery(mode=mode, reliable=True)
            sure = await h.broadcast(a, query, b"two")
            assert sure.receipt is not None
            assert (sure.receipt.is_complete, sure.receipt.delivered) == (True, 1)
        told = [await anext(heard) for _ in range(3)]
        assert [m.payload for m in told if not isinstance(m, snowcast.Lagged)] == [
            b"one", b"two", b"two",
        ]  # fmt: skip
        late = await refused(h.broadcast(a, s.BroadcastQuery(reliable=True, timeout=0), b"x"))
        assert (late.status, late.error) == (504, "no_receipt_yet")


@on_loop
async def test_everybody_is_reached_or_named(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        assert (await h.reach(a, NO, None)).is_complete
        await b.cluster.abort()
        told = await h.reach(a, NO, None)
        assert (told.is_complete, told.missing, told.delivered) == (False, ("b",), 0)


@on_loop
async def test_who_agrees_who_does_not_and_who_is_silent(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        same = await h.views(a, NO, None)
        assert (same.agree, same.differ, same.silent) == (1, (), ())
        assert (same.digest, same.members) == (b.cluster.digest, 2)

        real = b.cluster.desk._view
        b.cluster.desk._view = lambda: type(real())("00ff", 7, 1, "0.0")
        told = await h.views(a, NO, None)
        [other] = told.differ
        assert other == s.ViewInfo(
            name="b",
            address=str(b.cluster.address),
            digest="00ff",
            members=7,
            health=1,
            version="0.0",
        )
        assert (told.agree, told.silent) == (0, ())

        await b.cluster.abort()
        assert (await h.views(a, NO, None)).silent == ("b",)


@on_loop
async def test_keys_are_installed_used_and_removed_in_this_order_only(tmp_path: Path) -> None:
    old, new = snowcast.generate_key(), snowcast.generate_key()
    async with pair(tmp_path, security={"keys": [old]}) as (a, b):
        [before] = (await h.keys(a, NO, None)).keys
        insecure = await refused(h.install_key(a, NO, s.KeyInstall(key=new)))
        assert (insecure.status, insecure.error) == (409, "insecure")
        with pytest.raises(UsageError):
            await h.install_key(a, NO, s.KeyInstall(key="?", insecure=True))

        installed = await h.install_key(a, NO, s.KeyInstall(key=new, insecure=True))
        assert installed.failed == ()
        [after] = [key for key in installed.keys if key.key != before.key]
        assert (after.holders, after.primary_of, after.missing) == (2, 0, ())
        used = await refused(h.remove_key(a, NO, s.KeyChange(key=before.key)))
        assert (used.error, str(used).split(" ")[0]) == ("in_use", "2")

        assert b.cluster.keys is not None
        b.cluster.keys.remove(after.key)
        lacking = await refused(h.use_key(a, NO, s.KeyChange(key=after.key)))
        assert (lacking.status, lacking.error) == (409, "not_everywhere")
        assert str(lacking).startswith("b could not read")
        b.cluster.keys.install(new)

        now = await h.use_key(b, NO, s.KeyChange(key=after.key))
        assert {key.key: key.primary_of for key in now.keys} == {before.key: 0, after.key: 2}
        left = await h.remove_key(a, NO, s.KeyChange(key=before.key))
        assert [key.key for key in left.keys] == [after.key]
        with pytest.raises(UsageError, match=f"no key {before.key} here; there are: {after.key}"):
            await h.use_key(a, NO, s.KeyChange(key=before.key))


@on_loop
async def test_a_key_may_travel_over_tls_and_is_not_removed_while_one_is_silent(
    tmp_path: Path,
) -> None:
    tls = Authority(tmp_path).tls("127.0.0.1")
    security = {
        "certificate": str(tls.certificate),
        "private_key": str(tls.key),
        "authority": str(tls.authority),
        "keys": [snowcast.generate_key()],
    }
    async with pair(tmp_path, security=security) as (a, b):
        told = await h.install_key(a, NO, s.KeyInstall(key=snowcast.generate_key()))
        assert [key.holders for key in told.keys] == [2, 2]
        await b.cluster.abort()
        unknown = await refused(h.remove_key(a, NO, s.KeyChange(key=told.keys[1].key)))
        assert (unknown.error, str(unknown).split(" ")[0]) == ("not_known", "b")


@on_loop
async def test_without_keys_there_is_nothing_to_change(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        told = await refused(h.keys(a, NO, None))
    assert (told.status, told.error) == (409, "no_keys")


def test_keys_are_counted_over_those_who_answered() -> None:
    members = tuple(snowcast.Member(local(n), 1, name=f"n{n}") for n in (1, 2, 3))
    answers: dict[Address, Any] = {
        local(1): KeysAnswer(("one", "two")),
        local(2): KeysAnswer(("two",), error="no such key"),
    }
    receipt = Receipt("id", 2, ("n3",), 0, 0.1, 1)
    info = h._keys_info("me", KeysAnswer(("one",)), Answers(receipt, members, answers))
    assert info == s.KeysInfo(
        members=4,
        keys=(
            s.KeyInfo(key="one", holders=2, primary_of=2, missing=("n2", "n3")),
            s.KeyInfo(key="two", holders=2, primary_of=1, missing=("me", "n3")),
        ),
        failed=(
            s.KeyFailure(name="n2", reason="no such key"),
            s.KeyFailure(name="n3", reason=h.NO_ANSWER),
        ),
    )


@on_loop
async def test_a_member_that_is_gone_can_be_evicted_at_once_and_one_that_lives_is_back(
    tmp_path: Path,
) -> None:
    async with pair(tmp_path) as (a, b):
        told = await h.evict(a, NO, s.MemberChoice(member="b"))
        assert (told.name, told.state) == ("b", "evicted")
        await until(lambda: len(a.cluster.members) == 2)
        with pytest.raises(UsageError, match="that is this node itself"):
            await h.evict(a, NO, s.MemberChoice(member="a"))
        await b.cluster.abort()
        await h.evict(a, NO, s.MemberChoice(member=str(b.cluster.address)))
        assert [member.label for member in a.cluster.members] == ["a"]


@on_loop
async def test_tags_are_replaced_and_everybody_hears_of_it(tmp_path: Path) -> None:
    async with pair(tmp_path, node={"tags": {"zone": "a"}}) as (a, b):
        told = await h.retag(a, NO, s.Tags(tags={"rack": "7"}))
        assert told.tags == {"rack": "7"}

        def seen() -> dict[str, str]:
            return showing.member_info(showing.find_member(b, "a")).tags

        await until(lambda: seen() == {"rack": "7"})
        with pytest.raises(UsageError, match="at most 4096 bytes"):
            await h.retag(a, NO, s.Tags(tags={"x": "y" * 5000}))


@on_loop
async def test_secrets_are_not_among_the_settings(tmp_path: Path) -> None:
    key = snowcast.generate_key()
    async with agent(tmp_path, security={"keys": [key]}) as a:
        shown = await h.settings(a, NO, None)
    assert shown["security"]["keys"] == ["not shown"]
    assert key not in str(shown)
    assert shown["node"]["name"] == "a"


@on_loop
async def test_who_leaves_says_so_and_does_nothing_more(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        assert (await h.stats(a, NO, None)).stats["members"] == 1
        told = await h.leave(a, NO, s.LeaveOrder(linger=0.2))
        assert told.is_leaving
        assert a._linger == 0.2
        for doing in (
            h.reach(a, NO, None),
            h.views(a, NO, None),
            h.keys(a, NO, None),
            h.broadcast(a, s.BroadcastQuery(), b"x"),
            h.retag(a, NO, s.Tags(tags={})),
            h.evict(a, NO, s.MemberChoice(member="b")),
        ):
            no = await refused(doing)
            assert (no.status, no.error) == (503, "leaving")
        assert (await h.status(a, NO, None)).is_leaving


def test_names_in_a_sentence_are_few_and_harmless() -> None:
    assert h._some(["a", 'b"\n']) == 'a, b\\"\\n'
    assert h._some([str(n) for n in range(12)]).endswith("8, 9 and 2 more")


@on_loop
async def test_a_reload_tells_what_came_of_it_and_a_wrong_setting_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "set_up", lambda log: None)  # logging belongs to the tests
    async with agent(tmp_path) as a:
        node = msgspec.structs.replace(a.settings.node, tags={"zone": "b"}, linger=9.0)
        a.load = lambda: msgspec.structs.replace(a.settings, node=node)
        told = await h.reload(a, NO, None)
        assert told == s.ReloadInfo(
            changed=("node.tags",), needs_restart=("node.linger",), certificates=0
        )
        assert a.cluster.me.tags == (("zone", "b"),)

        def broken() -> Settings:
            raise UsageError("agent.toml: no TOML")

        a.load = broken
        error = await refused(h.reload(a, NO, None))
        assert (error.status, error.error) == (409, "nothing_reloaded")
        assert str(error) == "nothing reloaded: agent.toml: no TOML"
