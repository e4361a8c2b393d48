"""What can go wrong, and whose fault it is.

`UsageError`: the caller asked for something impossible; no state has changed.
`FrameError`: bytes from the network are not a frame; the decoder raises nothing else.
A broken promise inside the core is an `AssertionError` and always a bug of ours.
"""


class SnowcastError(Exception):
    """The base of every error that snowcast raises on purpose."""


class UsageError(SnowcastError, ValueError):
    """The caller's mistake: the message says what was expected. No state has changed."""


class FrameError(SnowcastError):
    """Bytes that are not a frame of this protocol. Drop them; nothing was applied."""
