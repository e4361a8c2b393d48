"""Being told to stop: SIGTERM ends a command as the keyboard does, with everything put away."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_until_stopped(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on a loop; SIGINT and SIGTERM cancel it, and are a KeyboardInterrupt after."""
    stopped = False

    async def run() -> T:
        task = asyncio.current_task()
        assert task is not None

        def stop() -> None:
            nonlocal stopped
            if not stopped:  # once: what is being put away then is not to be disturbed
                stopped = True
                task.cancel()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        return await main

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        if not stopped:
            raise
        raise KeyboardInterrupt from None
