"""Asks an agent over its control API, as the commands do. The standard library is all it needs.

Rules of this file:
- It starts fast: nothing is imported that a command does not need.
- Whatever goes wrong is one of three errors, each with what to do.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from snowcast.core.errors import SnowcastError, UsageError

OCTETS = "application/octet-stream"
CONNECT_S = 5.0
ANSWER_S = 120.0
LOOK_AGAIN_S = 0.1
SILENCE_S = 60.0  # an agent says something to its readers every 15 s


class NoAgent(SnowcastError):
    """Nobody answers there, or it does not let us in."""


class Refused(SnowcastError):
    """The agent does not do it; `error` is a word for why, the text says what to do."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error


class Event:
    """One server-sent event."""

    __slots__ = ("data", "name")

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name = name
        self.data = data


class Client:
    """Talks to one agent: at the path of its socket, or at `http://127.0.0.1:7373` with a token."""

    def __init__(self, where: str, token: str = "") -> None:
        self._where = where
        self._token = token
        self._url = _url(where)

    def get(self, path: str, **query: Any) -> Any:
        """What there is at a path."""
        return self._ask("GET", path, query, b"", {})

    def post(self, path: str, body: Any = None, *, method: str = "POST", **query: Any) -> Any:
        """Have something done; the body is JSON, or bytes as they are."""
        if isinstance(body, bytes):
            return self._ask(method, path, query, body, {"Content-Type": OCTETS})
        text = json.dumps({} if body is None else body).encode()
        return self._ask(method, path, query, text, {"Content-Type": "application/json"})

    def stream(self, path: str) -> Iterator[Event | None]:
        """What happens, as it happens: first None, once the agent listens, then its events."""
        connection = self._connection(SILENCE_S)
        try:
            response = self._request(connection, "GET", path, b"", {})
            name, data = "", ""
            for raw in response:
                line = raw.decode().rstrip("\n")
                if line == ": listening":
                    yield None
                elif line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    data += line.removeprefix("data: ")
                elif not line and name:
                    yield Event(name, json.loads(data))
                    if name == "end":
                        return
                    name, data = "", ""
            raise NoAgent(f"the agent at {self._where} has ended without a word")
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from None
        finally:
            connection.close()

    def wait_until_gone(self, pid: int, timeout: float) -> bool:
        """Wait for the agent with this process to end; False if it has not in so many seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                if self.get("/v1/status")["pid"] != pid:
                    return True  # somebody has started the next one already
            except NoAgent:
                return True
            except Refused:
                pass  # about to end
            time.sleep(LOOK_AGAIN_S)
        return False

    def _ask(
        self, method: str, path: str, query: dict[str, Any], body: bytes, headers: dict[str, str]
    ) -> Any:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        target = f"{path}?{urlencode(given, quote_via=quote)}" if given else path
        connection = self._connection(ANSWER_S)
        try:
            return json.loads(self._request(connection, method, target, body, headers).read())
        except TimeoutError:
            raise NoAgent(f"the agent at {self._where} did not answer in {ANSWER_S:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._lost(error) from None
        finally:
            connection.close()

    def _request(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: bytes,
        headers: dict[str, str],
    ) -> http.client.HTTPResponse:
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        try:
            connection.connect()
        except OSError as error:
            raise NoAgent(self._nobody(error)) from None
        # Refused while we still write, the answer is there to be read all the same.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.request(method, target, body or None, headers)
        response = connection.getresponse()
        if response.status >= 400:
            raise self._refused(response.status, response.read())
        return response

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._url is None:
            return _UnixConnection(self._where, timeout)
        assert self._url.hostname is not None
        port = self._url.port
        if self._url.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(
                self._url.hostname, port, timeout=timeout, context=context
            )
        return http.client.HTTPConnection(self._url.hostname, port, timeout=timeout)

    def _refused(self, status: int, body: bytes) -> SnowcastError:
        try:
            problem = json.loads(body)
            error, message = str(problem["error"]), str(problem["message"])
        except (ValueError, KeyError, TypeError):
            return NoAgent(f"at {self._where} is something else than an agent of snowcast")
        if status == http.HTTPStatus.UNAUTHORIZED:
            return NoAgent(f"the agent at {self._where} wants a token: --token-file names its file")
        return Refused(status, error, message)

    def _nobody(self, error: OSError) -> str:
        reason = error.strerror or str(error)
        if isinstance(error, PermissionError):
            advice = "you may not use it: become the user that the agent runs as"
        else:
            advice = "start one, with `snowcast agent`, or say where it is, with --agent"
        return f"no agent at {self._where} ({reason}): {advice}"

    def _lost(self, error: Exception) -> NoAgent:
        return NoAgent(f"lost the agent at {self._where}: {error}")


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(CONNECT_S)
            sock.connect(self._path)
            sock.settimeout(self.timeout)
        except OSError:
            sock.close()
            raise
        self.sock = sock


def token_in(path: Path) -> str:
    """The token that a file holds."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        raise UsageError(f"cannot read the token in {path}: {reason}") from None


def _url(where: str) -> SplitResult | None:
    """Where an agent is, unless it is a path; UsageError if it is neither."""
    if "://" not in where:
        host, _, port = where.rpartition(":")
        if host and port.isdigit() and "/" not in where:
            raise UsageError(f"not where an agent is: {where!r} (did you mean http://{where}?)")
        return None
    try:
        url = urlsplit(where)
        is_good = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_good = False
    if not is_good:
        raise UsageError(f"not where an agent is: {where!r} (a path, or http://host:port)")
    return url


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)
