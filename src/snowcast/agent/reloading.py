"""What SIGHUP and `snowcast reload` do: read certificates anew, and settings that may change.

Rules of this file:
- Settings that are wrong change nothing, and are said to be wrong.
- A setting that takes a restart is named, and stays as it is.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import msgspec

from snowcast.agent import logs, setup
from snowcast.agent.settings import Settings, keys
from snowcast.agent.shapes import ReloadInfo
from snowcast.core.errors import UsageError

if TYPE_CHECKING:
    from snowcast.agent.agent import Agent

RELOADED = ("log.level", "log.format", "node.tags")
"""What may change. All else takes a restart."""

log = logging.getLogger("snowcast")


def on_hangup(agent: Agent) -> None:
    """Reload; who sent the signal reads in the log what has come of it."""
    try:
        reload(agent)
    except UsageError as error:
        log.error("nothing reloaded: %s", error)


def reload(agent: Agent) -> ReloadInfo:
    """Read all again, and say what has come of it; UsageError if something is wrong."""
    wanted = agent.load()
    setup.check_tags(wanted.node.tags)
    agent.certificates.renew()
    changed = changes(agent.settings, wanted)
    after = [path for path in changed if path not in RELOADED]
    if after:
        log.warning("changed, but only a restart will do: %s", ", ".join(after))
    logs.set_up(wanted.log)
    if "node.tags" in changed:
        agent.cluster.retag(wanted.node.tags)
    node = msgspec.structs.replace(agent.settings.node, tags=wanted.node.tags)
    agent.settings = msgspec.structs.replace(agent.settings, log=wanted.log, node=node)
    done = [path for path in changed if path in RELOADED]
    fields = {"changed": ",".join(done) or "nothing", "certificates": len(agent.certificates)}
    log.info("reloaded", extra={"fields": fields})
    return ReloadInfo(
        changed=tuple(done), needs_restart=tuple(after), certificates=len(agent.certificates)
    )


def changes(old: Settings, new: Settings) -> list[str]:
    """Which keys differ."""
    return [path for path in keys() if value(old, path) != value(new, path)]


def value(settings: Settings, path: str) -> object:
    """What a key is set to."""
    section, _, name = path.partition(".")
    return getattr(getattr(settings, section), name)
