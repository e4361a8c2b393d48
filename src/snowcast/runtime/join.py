"""`join`: the way into a cluster, with all that can be told as keywords."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from snowcast.core.config import Config
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.limits import Limits
from snowcast.runtime.options import LINGER_S, Options
from snowcast.runtime.tls import Tls


@asynccontextmanager
async def join(
    bind: str = "127.0.0.1:0",
    seeds: Sequence[str] = (),
    *,
    name: str = "",
    tags: Mapping[str, str] | None = None,
    config: Config | None = None,
    advertise: str | None = None,
    wait: float | None = None,
    linger: float = LINGER_S,
    snapshot: str | Path | None = None,
    tls: Tls | None = None,
    keys: KeyRing | Sequence[str | bytes] | None = None,
    limits: Limits | None = None,
    trace_dir: str | Path | None = None,
    trace_run: str = "",
) -> AsyncIterator[Cluster]:
    """Be a member of a cluster for the length of a block. `Options` says what each keyword does.

    Without seeds a cluster of one begins, for others to join. With seeds the block is entered at
    once and joining goes on in the background, for ever; `wait` waits for it so many seconds, then
    raises JoinTimeout. At the end of the block the leave is announced and the node goes on
    forwarding for `linger` seconds.
    """
    options = Options(
        bind=bind,
        seeds=[seeds] if isinstance(seeds, str) else list(seeds),
        name=name,
        tags=dict(tags or {}),
        config=config or Config(),
        advertise=advertise,
        snapshot=snapshot,
        tls=tls,
        keys=keys,
        limits=limits or Limits(),
        linger=linger,
        trace_dir=trace_dir,
        trace_run=trace_run,
    )
    async with Cluster(options) as cluster:
        if wait is not None:
            await cluster.joined(wait)
        yield cluster
