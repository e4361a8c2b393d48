"""From settings to what the runtime is told; what can be checked before it starts is checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from snowcast.agent.certificates import StreamTls
from snowcast.agent.secret_files import read_keys
from snowcast.agent.settings import Settings
from snowcast.baselines.registry import Protocol, protocol
from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.errors import UsageError
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.options import Options

NAME_BYTES_MAX = 255
TAGS_BYTES_MAX = 4096


def options(settings: Settings) -> Options:
    """How the node is to be run; UsageError if the settings contradict each other."""
    node = settings.node
    if not 0 <= node.linger < float("inf"):
        raise UsageError(f"node.linger must be 0 or more seconds, not {node.linger:g}")
    if len(settings.name.encode()) > NAME_BYTES_MAX:
        raise UsageError(f"node.name has at most {NAME_BYTES_MAX} bytes")
    check_tags(node.tags)
    return Options(
        bind=node.bind,
        seeds=node.seeds,
        name=settings.name,
        tags=node.tags,
        config=settings.config,
        advertise=node.advertise or None,
        snapshot=node.snapshot or None,
        tls=tls(settings),
        keys=key_ring(settings),
        tls_option="security.certificate",
        keys_option="security.keys_file",
        limits=settings.limits,
        linger=node.linger,
        trace_dir=settings.trace.directory or None,
        trace_run=settings.trace.run,
        make_broadcaster=way(settings).make_broadcaster or SnowBroadcaster,
    )


def check_tags(tags: Mapping[str, str]) -> None:
    """UsageError if these are too many: every member keeps the tags of all."""
    size = sum([len(key.encode()) + len(value.encode()) for key, value in tags.items()])
    if size > TAGS_BYTES_MAX:
        raise UsageError(f"tags have at most {TAGS_BYTES_MAX} bytes together, not {size}")


def way(settings: Settings) -> Protocol:
    """How messages spread."""
    try:
        return protocol(settings.cluster.protocol)
    except UsageError as error:
        raise UsageError(f"cluster.protocol: {error}") from None


def tls(settings: Settings) -> StreamTls | None:
    """The certificates of the streams, if there are any."""
    security = settings.security
    files = {
        "security.certificate": security.certificate,
        "security.private_key": security.private_key,
        "security.authority": security.authority,
    }
    missing = [name for name, value in files.items() if not value]
    if len(missing) == len(files):
        return None
    if missing:
        raise UsageError(f"TLS needs {', '.join(files)}: {', '.join(missing)} not given")
    certificate, private_key, authority = files.values()
    made = StreamTls(certificate, private_key, authority, security.verify_addresses)
    made.contexts()  # a file that is no good is said now, and not at the first connection
    return made


def key_ring(settings: Settings) -> KeyRing | None:
    """The keys of the datagrams: those of the file, where there is one, else those given."""
    security = settings.security
    keys, source = list(security.keys), "security.keys"
    if security.keys_file:
        kept = read_keys(Path(security.keys_file))
        if kept:
            keys, source = kept, security.keys_file
        elif not keys:
            raise UsageError(
                f"security.keys_file: there are no keys in {security.keys_file}, and none in "
                "security.keys: `snowcast keys generate` makes one"
            )
    try:
        return KeyRing(keys) if keys else None
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None
