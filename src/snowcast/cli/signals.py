"""Being told to stop: SIGTERM ends a command as the keyboard does, with everything put away."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stopped_by_sigterm() -> Iterator[None]:
    """Within the block SIGTERM raises KeyboardInterrupt, so that what is under way is undone."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
