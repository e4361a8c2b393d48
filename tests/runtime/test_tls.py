"""Mutual TLS: whose certificate is good for what."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

import snowcast
from snowcast.core.errors import UsageError
from snowcast.runtime.tls import Tls
from snowcast.testing import local_cluster
from support.certificates import Authority
from support.loops import FAST, on_loop, until

LOCAL = "127.0.0.1"


@on_loop
async def test_nodes_with_certificates_of_one_authority_are_a_cluster(tmp_path: Path) -> None:
    tls = Authority(tmp_path).tls(LOCAL)
    async with local_cluster(4, config=FAST, tls=tls) as nodes:
        receipt = await nodes[1].broadcast(bytes(3_000_000), reliable=True)
        assert receipt.is_complete
        assert receipt.delivered == 3


@on_loop
async def test_a_certificate_of_another_authority_or_none_is_refused_by_both_sides(
    tmp_path: Path,
) -> None:
    good, bad = Authority(tmp_path, "good").tls(LOCAL), Authority(tmp_path, "bad").tls(LOCAL)
    async with snowcast.join(config=FAST, tls=good) as first:
        seeds = [str(first.address)]
        for tls in (bad, None):
            async with snowcast.join(config=FAST, tls=tls, seeds=seeds) as other:
                await until(lambda other=other: other.stats()["links_failed"] >= 2)
                assert not other.is_joined
        refused = first.counters.refused
        assert refused["certificate"] >= 1
        assert len(first.members) == 1


@on_loop
async def test_a_certificate_for_another_address_does_not_let_a_node_speak_as_this_one(
    tmp_path: Path,
) -> None:
    authority = Authority(tmp_path)
    good, wrong = authority.tls(LOCAL), authority.tls("127.0.0.9", verify_addresses=False)
    async with snowcast.join(config=FAST, tls=good) as first:
        async with snowcast.join(config=FAST, tls=wrong, seeds=[str(first.address)]) as liar:
            await until(lambda: first.counters.refused["certificate"] >= 1)
            assert not liar.is_joined
        assert len(first.members) == 1


@on_loop
async def test_certificates_that_name_no_address_do_where_that_is_allowed(tmp_path: Path) -> None:
    tls = Authority(tmp_path).tls(verify_addresses=False)
    async with local_cluster(3, config=FAST, tls=tls) as nodes:
        assert (await nodes[0].broadcast(b"x", reliable=True)).delivered == 2


@on_loop
async def test_connections_that_never_finish_their_handshake_are_bounded_and_closed(
    tmp_path: Path,
) -> None:
    tls = Authority(tmp_path).tls(LOCAL)
    limits = snowcast.Limits(strangers_max=5, hello_timeout=0.2)
    async with snowcast.join(config=FAST, tls=tls, limits=limits) as node:
        where = (LOCAL, node.address.port)
        idle = [socket.create_connection(where) for _ in range(30)]
        refused = node.counters.refused
        await until(lambda: refused["strangers"] + refused["silence"] >= 25)
        assert refused["strangers"]
        await until(lambda: not node._running.listener._open)
        for sock in idle:
            sock.close()
        async with snowcast.join(config=FAST, tls=tls, seeds=[str(node.address)], wait=20):
            await until(lambda: len(node.members) == 2)
        await asyncio.sleep(0)


def test_files_that_are_no_good_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.crt"):
        Tls(tmp_path / "missing.crt", tmp_path / "k", tmp_path / "ca").contexts()
