"""Snow, a self-organizing broadcast protocol for clusters.

    async with snowcast.join(seeds=["10.0.0.1:7946"], name="api-1") as cluster:
        await cluster.broadcast(b"hello")

The names below are loaded when they are first used: who needs the core alone loads no sockets.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snowcast.core.address import Address
    from snowcast.core.config import Config
    from snowcast.core.errors import SnowcastError, UsageError
    from snowcast.core.member import Member, State
    from snowcast.core.trees import Mode
    from snowcast.runtime.cluster import Cluster
    from snowcast.runtime.errors import BindError, BroadcastTimeout, ClosedError, JoinTimeout
    from snowcast.runtime.feeds import Lagged
    from snowcast.runtime.join import join
    from snowcast.runtime.keyring import KeyRing, generate_key
    from snowcast.runtime.limits import Limits
    from snowcast.runtime.news import (
        Joined,
        MemberEvicted,
        MemberJoined,
        MemberLeft,
        MemberRefuted,
        MemberSuspected,
        MemberUpdated,
        Message,
        QueueFull,
        Receipt,
    )
    from snowcast.runtime.options import Options
    from snowcast.runtime.tls import Tls

__version__ = "0.1.0"

_HOMES = {
    "core.address": ("Address",),
    "core.config": ("Config",),
    "core.errors": ("SnowcastError", "UsageError"),
    "core.member": ("Member", "State"),
    "core.trees": ("Mode",),
    "runtime.cluster": ("Cluster",),
    "runtime.errors": ("BindError", "BroadcastTimeout", "ClosedError", "JoinTimeout"),
    "runtime.feeds": ("Lagged",),
    "runtime.join": ("join",),
    "runtime.keyring": ("KeyRing", "generate_key"),
    "runtime.limits": ("Limits",),
    "runtime.news": (
        "Joined",
        "MemberEvicted",
        "MemberJoined",
        "MemberLeft",
        "MemberRefuted",
        "MemberSuspected",
        "MemberUpdated",
        "Message",
        "QueueFull",
        "Receipt",
    ),
    "runtime.options": ("Options",),
    "runtime.tls": ("Tls",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Address",
    "BindError",
    "BroadcastTimeout",
    "ClosedError",
    "Cluster",
    "Config",
    "JoinTimeout",
    "Joined",
    "KeyRing",
    "Lagged",
    "Limits",
    "Member",
    "MemberEvicted",
    "MemberJoined",
    "MemberLeft",
    "MemberRefuted",
    "MemberSuspected",
    "MemberUpdated",
    "Message",
    "Mode",
    "Options",
    "QueueFull",
    "Receipt",
    "SnowcastError",
    "State",
    "Tls",
    "UsageError",
    "generate_key",
    "join",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'snowcast' has no attribute {name!r}")
    value = getattr(import_module(f"snowcast.{home}"), name)
    globals()[name] = value
    return value
