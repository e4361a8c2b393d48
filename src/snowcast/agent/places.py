"""Where an agent is found, unless somebody says otherwise. The commands start with this alone."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SOCKET_NAME = "agent.sock"


def default_socket() -> str:
    """Where the control API of this user's agent is."""
    if os.geteuid() == 0:
        folder = Path("/run/snowcast")
    elif "XDG_RUNTIME_DIR" in os.environ:
        folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "snowcast"
    else:
        folder = Path(tempfile.gettempdir()) / f"snowcast-{os.geteuid()}"
    return str(folder / SOCKET_NAME)
