"""Telling systemd how the service is doing, where it is systemd that runs it (`Type=notify`)."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


def notify(state: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send a state, as `READY=1`; False if nobody asked to be told."""
    path = environment.get("NOTIFY_SOCKET", "")
    if not path.startswith(("/", "@")):
        return False
    address = "\0" + path[1:] if path.startswith("@") else path
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.sendto(state.encode(), address)
        return True
    return False
