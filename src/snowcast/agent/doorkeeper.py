"""Who is let in over HTTP: by token, by the name of the host, and how many at once.

Rules of this file:
- On the Unix socket the rights of the file decide, on a port the token does.
- A plain port on loopback goes by names of loopback only. Otherwise a page in somebody's browser
  could have its own name point here, and read what this machine keeps to itself.
- A connection that asks nothing is closed after a while, one too many is closed at once.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Container
from http import HTTPStatus
from ipaddress import ip_address

from aiohttp import web

from snowcast.agent.problems import Refusal

CONNECTIONS_MAX = 256
FIRST_REQUEST_S = 10.0


class Doorkeeper:
    """Decides about requests. `open_to_all` are paths that need no token."""

    def __init__(self, secret: str | None, where: str, open_to_all: Container[str]) -> None:
        self._secret = secret
        self._where = where
        self._open_to_all = open_to_all

    def check(self, request: web.Request) -> None:
        """Refusal if this request may not come in."""
        transport = request.transport
        sock = None if transport is None else transport.get_extra_info("socket")
        if sock is None or sock.family == socket.AF_UNIX:
            return
        is_plain = request.scheme == "http"
        host = request.headers.get("Host", "")  # `request.host` looks one up where none is given
        if is_plain and _is_loopback(sock.getsockname()[0]) and not _names_loopback(host):
            message = f"this is not {host!a}: ask for 127.0.0.1 or localhost"
            raise Refusal(HTTPStatus.FORBIDDEN, "wrong_host", message)
        if self._secret is None or request.path in self._open_to_all:
            return
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # Bytes that are no UTF-8 are surrogates here.
        sent = given.strip().encode("utf-8", "surrogateescape")
        is_right = hmac.compare_digest(sent, self._secret.encode())
        if scheme.lower() != "bearer" or not is_right:
            message = f"send `Authorization: Bearer` and the token, which is in {self._where}"
            raise Refusal(HTTPStatus.UNAUTHORIZED, "unauthorized", message)


class Door:
    """Makes a protocol for each connection, for as many as may be here. Give it to a loop."""

    def __init__(
        self,
        server: web.Server,
        connections_max: int = CONNECTIONS_MAX,
        first_request_s: float = FIRST_REQUEST_S,
    ) -> None:
        self._server = server
        self._connections_max = connections_max
        self._first_request_s = first_request_s
        self._silent: dict[web.RequestHandler, asyncio.TimerHandle] = {}
        """Those that have asked nothing yet, a TLS handshake under way included."""

    def __call__(self) -> asyncio.Protocol:
        if len(self._silent.keys() | self._server.connections) >= self._connections_max:
            return _Closed()
        protocol = self._server()
        loop = asyncio.get_running_loop()
        self._silent[protocol] = loop.call_later(self._first_request_s, self._on_late, protocol)
        return protocol

    def on_request(self, request: web.Request) -> None:
        """This connection has asked something."""
        handle = self._silent.pop(request.protocol, None)
        if handle is not None:
            handle.cancel()

    def close(self) -> None:
        """Wait for nobody any more."""
        for handle in self._silent.values():
            handle.cancel()
        self._silent.clear()

    def _on_late(self, protocol: web.RequestHandler) -> None:
        del self._silent[protocol]
        protocol.force_close()


class _Closed(asyncio.Protocol):
    """A connection that is not to be."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _names_loopback(host: str) -> bool:
    """Whether a `Host` header, with or without a port, means this machine and nothing else."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() == "localhost" or _is_loopback(name)
