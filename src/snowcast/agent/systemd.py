"""Telling systemd how the service is doing, where it is systemd that runs it (`Type=notify`)."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

PATIENCE_S = 1.0
"""What is said once is worth a moment of waiting for systemd to take it."""


def notify(
    state: str, environment: Mapping[str, str] = os.environ, wait_s: float = PATIENCE_S
) -> bool:
    """Send a state, as `READY=1`; False if nobody asked to be told, or it did not arrive."""
    path = environment.get("NOTIFY_SOCKET", "")
    if not path.startswith(("/", "@")):
        return False
    address = "\0" + path[1:] if path.startswith("@") else path
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.settimeout(wait_s)
        sock.sendto(state.encode(), address)
        return True
    return False


async def watch(environment: Mapping[str, str] = os.environ) -> None:
    """Tell systemd that the event loop still turns, where it wants to know (`WatchdogSec=`).

    One that does not arrive is no reason to stop: the next may, and without it systemd kills us.
    """
    every_s = watchdog_s(environment)
    while every_s is not None and environment.get("NOTIFY_SOCKET"):
        notify("WATCHDOG=1", environment, wait_s=0)
        await asyncio.sleep(every_s)


def watchdog_s(environment: Mapping[str, str]) -> float | None:
    """How often systemd is to be told; None if it does not watch this process."""
    text = environment.get("WATCHDOG_USEC", "")
    is_for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(text) / 2_000_000 if is_for_us and text.isdigit() and int(text) else None
