"""How one node is to be run: everything that `join` can be told, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.config import Config
from snowcast.core.context import MakeBroadcaster
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.limits import Limits
from snowcast.runtime.tls import Tls

LINGER_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Options:
    """How one node is to be run."""

    bind: str = "127.0.0.1:0"
    """Where to listen, TCP and UDP alike. Port 0 takes a free one."""
    seeds: Sequence[str] = ()
    """Where to ask to be let in, `host:port`; asked for ever. None: a cluster of one begins."""
    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    """What the protocol does, and what all agents of the cluster must agree on."""
    advertise: str | None = None
    """By which address others reach this node, where that is not the one it listens on."""
    snapshot: str | Path | None = None
    """A file in which to remember, across restarts, the last life and some members."""
    tls: Tls | None = None
    keys: KeyRing | Sequence[str | bytes] | None = None
    tls_option: str = "tls=..."
    keys_option: str = "keys=..."
    """What those who run this node call these two, for a warning that they are not there."""
    limits: Limits = field(default_factory=Limits)
    linger: float = LINGER_S
    """For how many seconds a node that leaves goes on forwarding, so that the news of its leave
    and what is on its way through it arrive. `Config.linger_us` is what a large cluster needs."""
    trace_dir: str | Path | None = None
    """Below this directory the node records what it sees, for the pipeline, in one of its own."""
    trace_run: str = ""
    """What the run is called in the trace; the cluster's name if nothing else."""
    make_broadcaster: MakeBroadcaster = SnowBroadcaster
