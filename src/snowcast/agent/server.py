"""The control API over HTTP: on a Unix socket, on a port with a token, or both; and metrics.

Rules of this file:
- Routes are those of `routes`. Here requests are read, let in or refused, and answers written.
- A refusal is JSON that says what to do, whatever went wrong.
- A port that others can reach needs TLS, and every port needs the token.
"""

from __future__ import annotations

import hmac
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from snowcast.agent import routes
from snowcast.agent.handlers import Refusal
from snowcast.agent.listening import unix_socket
from snowcast.agent.metrics import CONTENT_TYPE
from snowcast.agent.openapi import document
from snowcast.agent.secret_files import token
from snowcast.agent.settings import Control
from snowcast.agent.shapes import Nothing, Problem
from snowcast.agent.sse import send_stream
from snowcast.core.codec import PAYLOAD_BYTES_MAX
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.runtime.errors import BindError, ClosedError
from snowcast.runtime.ports import split_host_port

if TYPE_CHECKING:
    from snowcast.agent.agent import Agent

JSON_BYTES_MAX = 64 << 10
SHUTDOWN_S = 2.0
OPEN_TO_ALL = ("/healthz", "/readyz")

log = logging.getLogger("snowcast")

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serve(agent: Agent) -> AsyncIterator[None]:
    """The control API, for the length of a block."""
    settings = agent.settings
    secret = _check(settings.control)
    api = _Api(agent, secret)
    app = web.Application(middlewares=[api.guard])
    api.add_to(app)
    async with _running(app) as runner:
        if settings.socket:
            path = Path(settings.socket)
            with unix_socket(path, settings.control.socket_mode) as sock:
                await web.SockSite(runner, sock).start()
                log.info("control API at %s", path)
                if settings.control.bind:
                    await _listen(runner, settings.control.bind, _tls(settings.control))
                yield
            return
        await _listen(runner, settings.control.bind, _tls(settings.control))
        yield


@asynccontextmanager
async def metrics_server(agent: Agent) -> AsyncIterator[None]:
    """Metrics, health and readiness on a port of their own, if there is to be one."""
    if not agent.settings.metrics.bind:
        yield
        return
    app = web.Application(middlewares=[_Api(agent, None).guard])
    _add_plain(app, agent)
    async with _running(app) as runner:
        await _listen(runner, agent.settings.metrics.bind, None)
        yield


class _Api:
    """Reads requests, writes answers."""

    def __init__(self, agent: Agent, secret: str | None) -> None:
        self._agent = agent
        self._secret = secret

    def add_to(self, app: web.Application) -> None:
        """Every route there is."""
        for route in routes.ROUTES:
            app.router.add_route(route.method, route.path, self._handler(route))
        feeds = self._agent.cluster.messages, self._agent.cluster.events
        for stream, feed in zip(routes.STREAMS, feeds, strict=True):
            app.router.add_get(stream.path, self._stream(feed))
        described = msgspec.json.encode(document())
        app.router.add_get(routes.DESCRIPTION, lambda request: _answer(described))
        _add_plain(app, self._agent)

    @web.middleware
    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Let in who may; make an answer of whatever goes wrong."""
        status = 0
        try:
            self._check_token(request)
            response = await handler(request)
            status = response.status
            return response
        except Exception as error:
            status, problem = _problem(request, error)
            headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
            return _json(problem, status, headers)
        finally:
            resource = request.match_info.route.resource
            name = resource.canonical if resource is not None else "none"
            self._agent.meters.requests.labels(name, str(status or "gone")).inc()

    def _check_token(self, request: web.Request) -> None:
        if self._secret is None or request.path in OPEN_TO_ALL:
            return
        transport = request.transport
        if transport is None or transport.get_extra_info("socket").family == socket.AF_UNIX:
            return  # whoever may open the socket may ask
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        is_right = hmac.compare_digest(given.strip().encode(), self._secret.encode())
        if scheme.lower() != "bearer" or not is_right:
            where = self._agent.settings.control.token_file
            message = f"send `Authorization: Bearer` and the token, which is in {where}"
            raise Refusal(HTTPStatus.UNAUTHORIZED, "unauthorized", message)

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


def _add_plain(app: web.Application, agent: Agent) -> None:
    """Health, readiness and metrics."""

    async def health(request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def ready(request: web.Request) -> web.Response:
        if agent.is_leaving or not agent.is_running or not agent.cluster.is_joined:
            why = "leaving" if agent.is_leaving else "not let in yet"
            return web.Response(text=f"{why}\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
        return web.Response(text="ok\n")

    async def metrics(request: web.Request) -> web.Response:
        return web.Response(body=agent.meters.text(), headers={"Content-Type": CONTENT_TYPE})

    for path, handler in zip(routes.PLAIN, (health, ready, metrics), strict=True):
        app.router.add_get(path, handler)


def _check(control: Control) -> str | None:
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


def _tls(control: Control) -> ssl.SSLContext | None:
    if not control.certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(control.certificate, control.private_key or None)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"cannot use control.certificate {control.certificate}: {error}") from None
    return context


@asynccontextmanager
async def _running(app: web.Application) -> AsyncIterator[web.AppRunner]:
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        yield runner
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, bind: str, tls: ssl.SSLContext | None) -> None:
    host, port = split_host_port(bind)
    site = web.TCPSite(runner, host, port, ssl_context=tls)
    try:
        await site.start()
    except OSError as error:
        raise BindError(f"cannot listen on {bind}: {error.strerror or error}") from None
    log.info("listening for HTTP", extra={"fields": {"at": _where(runner)}})


def _where(runner: web.AppRunner) -> str:
    where = runner.addresses[-1]
    return f"{where[0]}:{where[1]}" if isinstance(where, tuple) else str(where)


def _query(request: web.Request, shape: type[Any]) -> Any:
    given = dict(request.query)
    allowed = msgspec.structs.fields(shape)
    for name in given:
        if name not in {field.name for field in allowed}:
            names = ", ".join(field.name for field in allowed) or "none"
            raise UsageError(f"no parameter {name!r}; there are: {names}")
    return msgspec.convert(given, shape, strict=False)


async def _body(request: web.Request, bytes_max: int) -> bytes:
    data = bytearray()
    async for chunk in request.content.iter_any():
        data += chunk
        if len(data) > bytes_max:
            message = f"the body of a request to {request.path} has at most {bytes_max} bytes"
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", message)
    return bytes(data)


def _problem(request: web.Request, error: Exception) -> tuple[int, Problem]:
    """The status and the words for something that went wrong."""
    match error:
        case Refusal():
            return error.status, Problem(error=error.error, message=str(error))
        case UsageError() | msgspec.MsgspecError():
            return HTTPStatus.BAD_REQUEST, Problem(error="bad_request", message=str(error))
        case ClosedError():
            message = "this agent is starting or ending: ask again, or another one"
            return HTTPStatus.SERVICE_UNAVAILABLE, Problem(error="not_running", message=message)
        case web.HTTPNotFound():
            message = f"no route {request.path}: {routes.DESCRIPTION} lists those there are"
            return HTTPStatus.NOT_FOUND, Problem(error="no_such_route", message=message)
        case web.HTTPMethodNotAllowed():
            message = f"{request.path} takes {', '.join(sorted(error.allowed_methods))}"
            return HTTPStatus.METHOD_NOT_ALLOWED, Problem(error="wrong_method", message=message)
        case web.HTTPException():
            return error.status, Problem(error="bad_request", message=error.reason)
        case SnowcastError():
            message = str(error)
        case _:
            message = "a bug in the agent: its log says more"
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, Problem(error="internal", message=message)


def _json(value: Any, status: int, headers: dict[str, str] | None = None) -> web.Response:
    body = msgspec.json.encode(value)
    response = web.Response(body=body, status=status, content_type="application/json")
    response.headers.update(headers or {})
    return response


async def _answer(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")
