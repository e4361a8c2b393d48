"""Which event loop to run on: uvloop where it is installed, if the application wants it.

The library runs on whatever loop it is used in. The choice is the application's: the agent makes it
by `install`, before it starts a loop.
"""

from __future__ import annotations

import asyncio


def install() -> bool:
    """Have loops made from now on be uvloop's; False if it is not installed."""
    try:
        import uvloop
    except ImportError:
        return False
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    return True
