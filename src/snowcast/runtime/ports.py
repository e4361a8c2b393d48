"""The sockets to listen on, TCP and UDP with one port number, and the address others are told.

Rules of this file:
- A wildcard is never advertised: what others are told is asked of the routing table, or given.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import NamedTuple

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BindError

BACKLOG = 1024
PORT_TRIES = 100  # of free TCP ports until one is free for UDP as well
DATAGRAM_BUFFER_BYTES = 1 << 20


class Sockets(NamedTuple):
    """What a node listens on."""

    stream: socket.socket
    datagram: socket.socket
    host: str
    port: int

    def close(self) -> None:
        """Close both."""
        self.stream.close()
        self.datagram.close()


def split_host_port(text: str) -> tuple[str, int]:
    """`host:port` or `[v6]:port` as its parts."""
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or not port.isascii() or not port.isdigit() or (":" in host) != bracketed:
        raise UsageError(f"not an address: {text!r} (want 10.0.0.1:7946, [fd00::1]:7946, host:0)")
    if int(port) >= 1 << 16:
        raise UsageError(f"port must be 0 to 65535, not {port}")
    return host[1:-1] if bracketed else host, int(port)


def bind(text: str) -> Sockets:
    """Listen on `text`; port 0 takes one that is free for both TCP and UDP."""
    host, port = split_host_port(text)
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        raise UsageError(f"bind to an IP address of this machine, not {host!r}") from None
    family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
    for _ in range(1 if port else PORT_TRIES):
        stream = socket.socket(family, socket.SOCK_STREAM)
        datagram = socket.socket(family, socket.SOCK_DGRAM)
        sockets = Sockets(stream, datagram, host, port)
        try:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if ip.version == 6:
                only_v6 = int(not ip.is_unspecified)
                for sock in (stream, datagram):
                    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only_v6)
            stream.bind((host, port))
            free = stream.getsockname()[1]
            datagram.bind((host, free))
            stream.listen(BACKLOG)
            datagram.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, DATAGRAM_BUFFER_BYTES)
            datagram.setblocking(False)
            return sockets._replace(port=free)
        except OSError as error:
            sockets.close()
            if port or error.errno != errno.EADDRINUSE:
                raise _bind_error(text, error) from None
    raise BindError(f"no port is free for both TCP and UDP on {host}: name one, as {host}:7946")


def advertised(sockets: Sockets, text: str | None, towards: Address | None) -> Address:
    """The address that others are told: the one given, or else the one that is listened on."""
    if text is not None:
        given, port = _with_port(text, sockets.port)
        return Address.of(given, port)
    if not ipaddress.ip_address(sockets.host).is_unspecified:
        return Address.of(sockets.host, sockets.port)
    host = _own_host(towards) or _own_host(Address.of("192.0.2.1", 9))
    if host is None:
        raise UsageError(
            f"{sockets.host} is no address that others can reach: say which one is, with "
            f"advertise='10.0.0.1' or advertise='10.0.0.1:{sockets.port}'"
        )
    return Address.of(host, sockets.port)


def is_exposed(sockets: Sockets) -> bool:
    """Whether others than this machine can reach what is listened on."""
    return not ipaddress.ip_address(sockets.host).is_loopback


def _own_host(towards: Address | None) -> str | None:
    """This machine's address on the way to another. Asks the routing table; sends nothing."""
    if towards is None:
        return None
    family = socket.AF_INET if towards.is_ipv4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((towards.host, towards.port))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _with_port(text: str, default: int) -> tuple[str, int]:
    """`10.0.0.1`, `fd00::1` or `[fd00::1]` with the default port, or what has a port of its own."""
    bare = text.strip("[]")
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        host, port = split_host_port(text)
        return host, port or default
    return bare, default


def _bind_error(text: str, error: OSError) -> BindError:
    match error.errno:
        case errno.EADDRINUSE:
            hint = "another program listens there: stop it, or take another port (0 finds one)"
        case errno.EADDRNOTAVAIL:
            hint = "this machine has no such address: bind one it has, or 0.0.0.0 for all"
        case errno.EACCES:
            hint = "ports below 1024 need more rights: take a higher one"
        case _:
            hint = error.strerror or str(error)
    return BindError(f"cannot listen on {text}: {hint}")
