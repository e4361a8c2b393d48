"""For the tests of programs that use snowcast: clusters on loopback, as a pytest fixture.

    async def test_everybody_hears(cluster):
        async with cluster(3) as nodes:
            await nodes[0].broadcast(b"hello")

pytest finds the fixture by itself once snowcast is installed. It works with any plugin that runs
`async` tests on asyncio, and with `asyncio.run`. `local_cluster` is the same without pytest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from snowcast.runtime.cluster import Cluster

MakeCluster = Callable[..., "AbstractAsyncContextManager[list[Cluster]]"]

LOOK_AGAIN_S = 0.01
PATIENCE_S = 60.0


@pytest.fixture
def cluster() -> MakeCluster:
    """Makes clusters of nodes that all know each other: `async with cluster(5) as nodes`."""
    return local_cluster


@asynccontextmanager
async def local_cluster(nodes: int, **options: Any) -> AsyncIterator[list[Cluster]]:
    """So many nodes on loopback, called node-0 and so on; `options` are those of `join`."""
    from snowcast.runtime.join import join

    options = {"linger": 0.0, **options}
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(join(name="node-0", **options))
        others = [
            await stack.enter_async_context(
                join(name=f"node-{number}", seeds=[str(first.address)], **options)
            )
            for number in range(1, nodes)
        ]
        members = [first, *others]
        await agreed(members)
        yield members


async def agreed(nodes: list[Cluster], timeout: float = PATIENCE_S) -> None:
    """Wait until these nodes know each other, and nobody else."""
    wanted = {node.address for node in nodes}
    async with asyncio.timeout(timeout):
        while any({member.address for member in node.members} != wanted for node in nodes):
            await asyncio.sleep(LOOK_AGAIN_S)


async def eventually(condition: Callable[[], object], timeout: float = PATIENCE_S) -> None:
    """Wait until `condition()` is true."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(LOOK_AGAIN_S)
