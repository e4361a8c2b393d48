"""The control API over HTTP: on a Unix socket, on a port with a token, or both; and metrics.

Rules of this file:
- Routes are those of `routes`. Here requests are read and answers written; who may ask is decided
  in `doorkeeper`, and what is said to a refusal in `problems`.
- A port that others can reach needs TLS, and every port needs the token.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from snowcast.agent import routes
from snowcast.agent.certificates import ControlTls
from snowcast.agent.doorkeeper import Door, Doorkeeper
from snowcast.agent.listening import unix_socket
from snowcast.agent.metrics import CONTENT_TYPE
from snowcast.agent.openapi import document
from snowcast.agent.problems import Refusal, problem_of
from snowcast.agent.secret_files import token
from snowcast.agent.settings import Control
from snowcast.agent.shapes import Nothing
from snowcast.agent.sse import send_stream
from snowcast.core.codec import PAYLOAD_BYTES_MAX
from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BindError
from snowcast.runtime.ports import split_host_port

if TYPE_CHECKING:
    from snowcast.agent.agent import Agent

JSON_BYTES_MAX = 64 << 10
BODY_S = 60.0
TLS_HANDSHAKE_S = 10.0
SHUTDOWN_S = 2.0
KEEPALIVE_S = 15.0
OPEN_TO_ALL = ("/healthz", "/readyz")

log = logging.getLogger("snowcast")

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serve(agent: Agent) -> AsyncIterator[None]:
    """The control API, for the length of a block."""
    control, path = agent.settings.control, agent.settings.socket
    door = Doorkeeper(_secret(control), control.token_file, OPEN_TO_ALL)
    api = _Api(agent, door)
    async with AsyncExitStack() as stack:
        # First in, last out: the loop still has to know the socket when it stops to listen on it.
        sock = stack.enter_context(unix_socket(Path(path), control.socket_mode)) if path else None
        site = await stack.enter_async_context(_Site(api.table(), api.guard))
        if control.bind:
            context = None
            if control.certificate:
                tls = ControlTls(control.certificate, control.private_key)
                agent.certificates.add("control.certificate", tls)
                context = tls.context
            await site.listen(control.bind, context, "control API")
        if sock is not None:
            await site.listen_on(sock)
            log.info("control API", extra={"fields": {"at": path}})
        yield


@asynccontextmanager
async def metrics_server(agent: Agent) -> AsyncIterator[None]:
    """Metrics, health and readiness on a port of their own, if there is to be one."""
    bind = agent.settings.metrics.bind
    if not bind:
        yield
        return
    api = _Api(agent, Doorkeeper(None, "", ()))
    async with _Site(api.plain(), api.guard) as site:
        await site.listen(bind, None, "metrics")
        yield


class _Site:
    """Listens for HTTP, for the length of a block."""

    def __init__(self, table: list[web.RouteDef], guard: Any) -> None:
        self._table = table
        self._guard = guard
        self._servers: list[asyncio.Server] = []
        self._doors: list[Door] = []

    async def __aenter__(self) -> _Site:
        @web.middleware
        async def count(request: web.Request, handler: _Handler) -> web.StreamResponse:
            for door in self._doors:
                door.on_request(request)
            try:
                answer: web.StreamResponse = await self._guard(request, handler)
            finally:
                for door in self._doors:
                    door.on_answer(request)
            return answer

        app = web.Application(middlewares=[count])
        app.router.add_routes(self._table)
        app.on_response_prepare.append(_sign)
        self._runner = web.AppRunner(
            app,
            handler_cancellation=True,
            shutdown_timeout=SHUTDOWN_S,
            keepalive_timeout=KEEPALIVE_S,
            access_log=None,
        )
        await self._runner.setup()
        return self

    async def __aexit__(self, *error: object) -> None:
        for server in self._servers:
            server.close()
        for door in self._doors:
            door.close()
        await self._runner.cleanup()

    async def listen(self, bind: str, tls: ssl.SSLContext | None, what: str) -> None:
        """Listen on a port."""
        host, port = split_host_port(bind)
        loop, timeout = asyncio.get_running_loop(), TLS_HANDSHAKE_S if tls else None
        try:
            server = await loop.create_server(
                self._new_door(), host, port, ssl=tls, ssl_handshake_timeout=timeout
            )
        except OSError as error:
            raise BindError(f"cannot listen on {bind}: {error.strerror or error}") from None
        self._servers.append(server)
        host, port = server.sockets[0].getsockname()[:2]
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        log.info(what, extra={"fields": {"at": f"{'https' if tls else 'http'}://{at}"}})

    async def listen_on(self, sock: socket.socket) -> None:
        """Listen on a Unix socket that somebody else closes."""
        loop = asyncio.get_running_loop()
        self._servers.append(await loop.create_unix_server(self._new_door(), sock=sock))

    def _new_door(self) -> Door:
        assert self._runner.server is not None
        self._doors.append(Door(self._runner.server))
        return self._doors[-1]


class _Api:
    """Reads requests, writes answers."""

    def __init__(self, agent: Agent, doorkeeper: Doorkeeper) -> None:
        self._agent = agent
        self._doorkeeper = doorkeeper

    def table(self) -> list[web.RouteDef]:
        """Every route there is."""
        described = msgspec.json.encode(document())

        async def description(request: web.Request) -> web.Response:
            return web.Response(body=described, content_type="application/json")

        feeds = self._agent.cluster.messages, self._agent.cluster.events
        streams = zip(routes.STREAMS, feeds, strict=True)
        return [
            *(web.route(route.method, route.path, self._handler(route)) for route in routes.ROUTES),
            *(_get(stream.path, self._stream(feed)) for stream, feed in streams),
            *self.plain(),
            _get(routes.DESCRIPTION, description),
        ]

    def plain(self) -> list[web.RouteDef]:
        """Health, readiness and metrics."""
        agent = self._agent

        async def health(request: web.Request) -> web.Response:
            return web.Response(text="ok\n")

        async def ready(request: web.Request) -> web.Response:
            if agent.is_leaving or not agent.is_running or not agent.cluster.is_joined:
                why = "leaving" if agent.is_leaving else "not let in yet"
                return web.Response(text=f"{why}\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
            return web.Response(text="ok\n")

        async def metrics(request: web.Request) -> web.Response:
            return web.Response(body=agent.meters.text(), headers={"Content-Type": CONTENT_TYPE})

        handlers = health, ready, metrics
        return [_get(path, handler) for path, handler in zip(routes.PLAIN, handlers, strict=True)]

    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Let in who may; make an answer of whatever goes wrong."""
        status: int | None = None
        try:
            self._doorkeeper.check(request)
            response = await handler(request)
            status = response.status
            return response
        except Exception as error:
            status, problem = problem_of(request, error)
            response = _json(problem, status)
            if status == HTTPStatus.UNAUTHORIZED:
                response.headers["WWW-Authenticate"] = "Bearer"
            if isinstance(error, web.HTTPMethodNotAllowed):
                response.headers["Allow"] = error.headers["Allow"]
            return response
        finally:
            resource = request.match_info.route.resource
            route = resource.canonical if resource is not None else "none"
            self._agent.meters.requests[route, str(status or "gone")] += 1

    def _handler(self, route: routes.Route) -> _Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            query = _query(request, route.query)
            body: Any = None
            if route.body is bytes:
                body = await _body(request, PAYLOAD_BYTES_MAX)
            elif route.body is not None:
                data = await _body(request, JSON_BYTES_MAX)
                body = msgspec.json.decode(data or b"{}", type=route.body)
            return _json(await route.handler(self._agent, query, body), route.status)

        return handle

    def _stream(self, feed: Callable[[], Any]) -> _Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            _query(request, Nothing)
            meters, most = self._agent.meters, self._agent.settings.control.streams_max
            if meters.streams >= most:
                message = f"{most} readers are here already, as many as control.streams_max allows"
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too_many_streams", message)
            meters.streams += 1
            try:
                return await send_stream(request, feed())
            finally:
                meters.streams -= 1

        return handle


async def _sign(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "snowcast"


def _get(path: str, handler: _Handler) -> web.RouteDef:
    return web.get(path, handler, allow_head=False)


def _secret(control: Control) -> str | None:
    """The token of the port, if there is one; UsageError if it were not safe."""
    if not control.bind:
        return None
    host, _ = split_host_port(control.bind)
    if not control.token_file:
        raise UsageError("control.bind needs control.token_file: a file for the token")
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        raise UsageError(f"control.bind: an IP address of this machine, not {host!r}") from None
    if not is_loopback and not control.certificate:
        raise UsageError(
            f"control.bind: others can reach {host}, and would see the token: listen on "
            "127.0.0.1, or give control.certificate and control.private_key for TLS"
        )
    return token(Path(control.token_file))


def _query(request: web.Request, shape: type[Any]) -> Any:
    given = dict(request.query)
    allowed = [field.name for field in msgspec.structs.fields(shape)]
    for name in given:
        if name not in allowed:
            names = ", ".join(allowed) or "none"
            raise UsageError(f"no parameter {name!r}; there are: {names}")
    return msgspec.convert(given, shape, strict=False)


async def _body(request: web.Request, bytes_max: int) -> bytes:
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.content.iter_any():
                data += chunk
                if len(data) > bytes_max:
                    message = f"a request to {request.path} carries at most {bytes_max} bytes"
                    raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", message)
    except TimeoutError:
        message = f"the body of the request did not come within {BODY_S:g} s"
        raise Refusal(HTTPStatus.REQUEST_TIMEOUT, "too_slow", message) from None
    return bytes(data)


def _json(value: Any, status: int) -> web.Response:
    body = msgspec.json.encode(value)
    return web.Response(body=body, status=status, content_type="application/json")
