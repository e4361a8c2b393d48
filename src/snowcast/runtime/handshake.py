"""The first frame on a stream, both ways: who is there, and whether the two can be one cluster.

The dialler sends its hello and goes on at once; the other answers with its own. So both sides know
what differs, and both can say it.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

from snowcast.core.address import Address
from snowcast.core.frames import Hello

HELLO_BYTES_MAX = 1024  # a cluster name and little else


def mismatch(mine: Hello, theirs: Hello) -> tuple[str, str] | None:
    """What keeps the two apart: the name of the setting, and a sentence. None if nothing does."""
    for name, text in (
        ("cluster", "its cluster is called {theirs!r}, this one {mine!r}"),
        ("fanout", "it has fanout {theirs}, this cluster {mine}"),
        ("ring_order", "it orders the ring by {theirs}, this cluster by {mine}"),
    ):
        if getattr(theirs, name) != getattr(mine, name):
            values = {"theirs": getattr(theirs, name), "mine": getattr(mine, name)}
            return name, text.format(**values)
    if theirs.address == mine.address:
        return "address", f"it claims this node's own address {mine.address}"
    return None


def certificate_of(transport: Any) -> dict[str, Any] | None:
    """The peer's certificate, if the connection is TLS and it has shown one."""
    tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
    return None if tls is None else (tls.getpeercert() or {})


def certifies(certificate: dict[str, Any], address: Address) -> bool:
    """Whether a certificate speaks for the host of `address`."""
    wanted = ip_address(address.host)
    return any(ip_address(host) == wanted for host in _hosts(certificate))


def _hosts(certificate: dict[str, Any]) -> Iterable[str]:
    for kind, value in certificate.get("subjectAltName", ()):
        if kind == "IP Address":
            yield value
