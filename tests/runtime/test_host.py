"""A node and all its sockets: what it survives, and what it leaves behind."""

from __future__ import annotations

import asyncio
import socket
from random import Random

import snowcast
from snowcast.core.codec import encode
from snowcast.core.frames import Data, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.testing import local_cluster
from support.loops import FAST, hello, local, on_loop, until
from support.sockets import dialled, rest


@on_loop
async def test_a_node_under_fire_goes_on_serving_its_cluster() -> None:
    limits = snowcast.Limits(strangers_max=16, hello_timeout=1)
    random = Random(7)
    async with local_cluster(3, config=FAST, limits=limits) as nodes:
        address = nodes[0].address
        idle = [socket.create_connection((address.host, address.port)) for _ in range(50)]
        attacks = [
            random.randbytes(300),
            b"GET / HTTP/1.1\r\n\r\n",
            encode(Nack(1)),
            encode(hello(address.port, life=9)),
            encode(hello(9)) + random.randbytes(400),
            encode(hello(9)) + encode(_misdirected()),
        ]
        for attack in attacks:
            async with dialled(address) as (reader, writer):
                writer.write(attack)
                if attack is not attacks[-1]:
                    writer.write_eof()
                    await rest(reader)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
            for _ in range(100):
                noise.sendto(random.randbytes(60), (address.host, address.port))
        receipt = await nodes[1].broadcast(b"still there?", reliable=True)

        assert receipt.is_complete
        await until(lambda: nodes[0].stats()["frames_bad"] == 1)
        assert {"datagram", "hello", "frame", "strangers"} <= set(nodes[0].counters.refused)
        for sock in idle:
            sock.close()


@on_loop
async def test_aborting_leaves_no_socket_and_no_timer() -> None:
    async with local_cluster(3, config=FAST) as nodes:
        await nodes[2].abort()
        stats = nodes[2].stats()
        assert (stats["links"], stats["inbound"], stats["timers"]) == (0, 0, 0)
        await asyncio.sleep(0)


@on_loop
async def test_what_waits_for_a_member_that_is_evicted_comes_back_and_its_link_is_broken() -> None:
    async with local_cluster(3, config=FAST) as nodes:
        host, other = nodes[0]._running, nodes[1].address
        host.streams.send(other, Nack(1))
        await until(lambda: other in host.streams._links and not host.streams.queued_bytes)
        old = host.streams._links[other]
        nodes[0].evict(other)
        assert host.streams._links.get(other) is not old
        # It lives, says so, and is reached over a new one.
        await until(lambda: all(len(node.members) == 3 for node in nodes))
        receipt = await nodes[0].broadcast(b"are you back?", reliable=True)
        assert receipt.delivered == 2


def _misdirected() -> Data:
    """A message whose region does not contain its receiver."""
    id = MessageId(local(9), 1, 1)
    return Data(id, Tree.STANDARD, local(1), local(2), b"x")
