"""Tests that run on an event loop, on real sockets of this machine, and leave nothing behind."""

from __future__ import annotations

import asyncio
import functools
import gc
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

from snowcast.core.address import Address
from snowcast.core.config import MS, SECOND, Config
from snowcast.core.frames import Hello

SAFETY_S = 120.0
"""Nothing is measured by it: a test that hangs ends, and shows where."""

P = ParamSpec("P")

FAST = Config(
    probe_interval_us=200 * MS,
    probe_timeout_us=100 * MS,
    suspicion_min_us=600 * MS,
    hop_timeout_us=300 * MS,
    reliable_deadline_us=5 * SECOND,
    anti_entropy_us=1 * SECOND,
    heal_us=1 * SECOND,
    join_timeout_us=1 * SECOND,
)
"""Everything sooner, so that what takes ten seconds in a cluster takes one in a test."""


def on_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an async test on a loop of its own; fail if it leaves a task, a socket or a file open."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def main() -> None:
            async with asyncio.timeout(SAFETY_S):
                await test(*args, **kwargs)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, f"tasks left behind: {left}"

        asyncio.run(main())
        gc.collect()  # what was not closed warns now, and a warning is an error

    return run


async def turns(count: int = 3) -> None:
    """Let the loop go round a few times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object]) -> None:
    """Wait until `condition()` is true."""
    while not condition():
        await asyncio.sleep(0.005)


def local(port: int) -> Address:
    """A port of this machine."""
    return Address.of("127.0.0.1", port)


def hello(port: int = 7946, config: Config = FAST, life: int = 1) -> Hello:
    """What the node at that port says first."""
    return Hello(config.cluster, config.fanout, config.ring_order, local(port), life)
