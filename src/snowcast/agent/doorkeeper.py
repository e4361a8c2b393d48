"""Who is let in over HTTP: by token, by the name of the host, and how many at once.

Rules of this file:
- On the Unix socket the rights of the file decide, on a port the token does.
- A plain port on loopback goes by names of loopback only. Otherwise a page in somebody's browser
  could have its own name point here, and read what this machine keeps to itself.
- A connection that asks nothing is closed after a while. With one too many, the one that has been
  idle for longest is closed: strangers who wait cannot shut out who asks.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Callable, Container
from http import HTTPStatus
from ipaddress import ip_address
from typing import cast

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
    """Makes a protocol for each connection, for as many as may be here. Give it to a loop.

    Each place to listen at has its own, so that a crowd at one keeps nobody out of another.
    """

    def __init__(
        self,
        server: web.Server,
        connections_max: int = CONNECTIONS_MAX,
        first_request_s: float = FIRST_REQUEST_S,
    ) -> None:
        self._server = server
        self._connections_max = connections_max
        self._first_request_s = first_request_s
        self._visits: dict[web.RequestHandler, _Visit] = {}
        """Who is here, a TLS handshake under way included; who has been idle for longest first."""

    def __call__(self) -> asyncio.Protocol:
        if len(self._visits) >= self._connections_max and not self._make_room():
            return _Closed()
        handler = self._server()
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._first_request_s, self._on_late, handler)
        visit = self._visits[handler] = _Visit(handler, timer, self._forget)
        return visit

    def on_request(self, request: web.Request) -> None:
        """This connection has asked something, and waits for the answer."""
        visit = self._visits.get(request.protocol)
        if visit is not None:
            visit.timer.cancel()
            visit.is_idle = False

    def on_answer(self, request: web.Request) -> None:
        """It has its answer, or will have it in a moment."""
        visit = self._visits.pop(request.protocol, None)
        if visit is not None:
            visit.is_idle = True
            self._visits[request.protocol] = visit  # the last of all to be closed

    def close(self) -> None:
        """Wait for nobody any more."""
        for visit in self._visits.values():
            visit.timer.cancel()
        self._visits.clear()

    def _make_room(self) -> bool:
        """Close who has been idle for longest, if somebody is. A handshake cannot be ended."""
        for handler, visit in self._visits.items():
            if visit.is_idle and visit.transport is not None:
                self._forget(handler)
                visit.transport.abort()
                return True
        return False

    def _on_late(self, handler: web.RequestHandler) -> None:
        self._forget(handler)
        handler.force_close()

    def _forget(self, handler: web.RequestHandler) -> None:
        visit = self._visits.pop(handler, None)
        if visit is not None:
            visit.timer.cancel()


class _Visit(asyncio.Protocol):
    """One connection: what the handler of its requests hears, and when it begins and ends."""

    def __init__(
        self,
        handler: web.RequestHandler,
        timer: asyncio.TimerHandle,
        on_end: Callable[[web.RequestHandler], None],
    ) -> None:
        self.timer = timer
        self.is_idle = True
        self.transport: asyncio.Transport | None = None
        self._handler = handler
        self._on_end = on_end

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one by its methods
        self._handler.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._on_end(self._handler)
        self._handler.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        self._handler.data_received(data)

    def eof_received(self) -> None:
        self._handler.eof_received()

    def pause_writing(self) -> None:
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        self._handler.resume_writing()


class _Closed(asyncio.Protocol):
    """A connection that is not to be."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _names_loopback(host: str) -> bool:
    """Whether a `Host` header, with or without a port, means this machine and nothing else."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() == "localhost" or _is_loopback(name)
