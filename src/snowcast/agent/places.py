"""Where an agent is found, unless somebody says otherwise. The commands start with this alone."""

from __future__ import annotations

import os
from pathlib import Path

from snowcast.core.errors import UsageError

SOCKET_NAME = "agent.sock"


def default_socket() -> str:
    """Where the control API of this user's agent is."""
    if os.geteuid() == 0:
        folder = Path("/run/snowcast")
    elif "XDG_RUNTIME_DIR" in os.environ:
        folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "snowcast"
    else:
        folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"snowcast-{os.geteuid()}"
        _check_owner(folder)
    return str(folder / SOCKET_NAME)


def _check_owner(folder: Path) -> None:
    """Anybody may have put a folder there, with a socket of their own in it."""
    try:
        owner = folder.lstat().st_uid
    except FileNotFoundError:
        return
    if owner != os.geteuid():
        raise UsageError(
            f"{folder} belongs to somebody else (user {owner}): name the agent's socket, with "
            "--control-socket for the agent and --agent for the commands"
        )
