"""HTTP as any program would speak it to an agent, on its socket or on a port."""

from __future__ import annotations

import io
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
import pytest

from snowcast.agent.agent import Agent


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes


class Speaker:
    """Sends requests; made by `speaker`."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self.session = session
        self.base = base

    async def ask(self, method: str, path: str, **rest: Any) -> Answer:
        """Send one request, read its answer."""
        if isinstance(rest.get("data"), bytes):
            rest["data"] = io.BytesIO(rest["data"])
        async with self.session.request(method, self.base + path, **rest) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, await response.read())

    async def status(self, method: str, path: str, **rest: Any) -> int:
        """Send one request; how it ended."""
        return (await self.ask(method, path, **rest)).status


@asynccontextmanager
async def speaker(where: Agent | str, **rest: Any) -> AsyncIterator[Speaker]:
    """Speaks to an agent's socket, or to `http://host:port`."""
    if isinstance(where, str):
        connector: Any = aiohttp.TCPConnector(force_close=True, **rest)
        base = where
    else:
        connector = aiohttp.UnixConnector(where.settings.socket, force_close=True)
        base = "http://localhost"
    async with aiohttp.ClientSession(connector=connector) as session:
        yield Speaker(session, base)


def said_at(caplog: pytest.LogCaptureFixture, what: str) -> str:
    """Where an agent of this process has said that it listens: `metrics` or `control API`."""
    found = [
        record.fields["at"]  # type: ignore[attr-defined]
        for record in caplog.records
        if record.name == "snowcast" and record.getMessage() == what
    ]
    urls = [at for at in found if at.startswith("http")]
    assert urls, f"nothing said of {what}: call caplog.set_level(INFO, 'snowcast') first"
    return str(urls[-1])


def listen_to(caplog: pytest.LogCaptureFixture) -> None:
    """Keep what agents say from now on."""
    caplog.set_level(logging.INFO, "snowcast")
