"""What can go wrong at run time, each with what to do about it in its message.

None of these comes out of the network: what others send is refused, counted and logged, not raised.
"""

from __future__ import annotations

from snowcast.core.errors import SnowcastError


class BindError(SnowcastError, OSError):
    """The address to listen on cannot be had. Nothing was started."""


class JoinTimeout(SnowcastError, TimeoutError):
    """No seed has let this node in so far. It goes on trying until the cluster is closed."""


class BroadcastTimeout(SnowcastError, TimeoutError):
    """The caller's time is up before the receipt came. The message is still on its way."""


class ClosedError(SnowcastError):
    """The cluster was left or closed before or during the call."""
