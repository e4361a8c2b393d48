"""The client that the commands use: three errors, each with what to do, whoever answers."""

from __future__ import annotations

import asyncio
import http
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from snowcast.agent import client as module
from snowcast.agent.client import Client, NoAgent, Refused, token_in
from snowcast.core.errors import UsageError
from support.agents import agent, ask, client, pair
from support.http import listen_to, said_at
from support.loops import on_loop, until


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """A port where each connection gets what is next, whatever it asks."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def reply(status: int, body: bytes) -> bytes:
    """An answer over HTTP."""
    head = f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@on_loop
async def test_it_asks_and_tells(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        heard = b.cluster.messages()
        assert (await ask(a, "get", "/v1/status"))["name"] == "a"
        assert (await ask(a, "get", "/v1/members", state=None, departed=True))["members"]
        told = await ask(a, "post", "/v1/broadcast", b"\xff", reliable=True)
        assert told["receipt"]["is_complete"]
        assert (await anext(heard)).payload == b"\xff"  # type: ignore[union-attr]
        tags = {"tags": {"name": "é&?"}}
        assert (await ask(a, "post", "/v1/tags", tags, method="PUT"))["tags"] == tags["tags"]
        assert (await ask(a, "get", "/v1/members", tag="name=é&?"))["members"]


@on_loop
async def test_what_the_agent_refuses_has_a_status_a_word_and_advice(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        with pytest.raises(Refused, match="no member 'x'") as error:
            await ask(a, "get", "/v1/member", member="x")
        assert (error.value.status, error.value.error) == (404, "no_such_member")
        with pytest.raises(Refused, match="at most 16777216 bytes") as error:
            await ask(a, "post", "/v1/broadcast", bytes(20 << 20))
        assert error.value.status == 413


def test_a_token_that_is_missing_or_wrong_is_said_to_be_needed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @on_loop
    async def story() -> None:
        listen_to(caplog)
        control = {"bind": "127.0.0.1:0", "token_file": str(tmp_path / "token")}
        async with agent(tmp_path, control=control):
            where = said_at(caplog, "control API")
            for token in ("", "wrong"):
                with pytest.raises(NoAgent, match="wants a token: --token-file names its file"):
                    await asyncio.to_thread(Client(where, token).get, "/v1/status")
            good = Client(where, token_in(tmp_path / "token"))
            assert (await asyncio.to_thread(good.get, "/v1/status"))["name"] == "a"

    story()


def test_where_nobody_is_it_says_what_to_do(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.sock"
    with pytest.raises(NoAgent, match=r"no agent at .*nothing\.sock \(No such file.*start one"):
        Client(str(nothing)).get("/v1/status")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NoAgent, match="Connection refused"):
        Client(f"http://127.0.0.1:{port}").get("/v1/status")


def test_who_may_not_use_a_socket_is_told_so() -> None:
    denied = PermissionError(13, "Permission denied")
    assert "become the user that the agent runs as" in Client("x.sock")._nobody(denied)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "lost the agent"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "lost the agent"),
        (reply(200, b"<html>"), "lost the agent"),
        (reply(404, b"<html>"), "something else than an agent"),
        (reply(500, b"[]"), "something else than an agent"),
        (reply(500, b'{"error": 1}'), "something else than an agent"),
    ],
)
def test_something_else_that_answers_is_no_agent(answer: bytes, said: str) -> None:
    with answering(answer) as where, pytest.raises(NoAgent, match=said):
        Client(where).get("/v1/status")


def test_an_agent_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(NoAgent, match=r"did not answer in 0\.05 s"):
            Client(where).get("/v1/status")


@on_loop
async def test_a_stream_begins_with_none_and_ends_with_the_agent(tmp_path: Path) -> None:
    def read(where: str) -> list[object]:
        return [event and event.name for event in Client(where).stream("/v1/events")]

    async with pair(tmp_path) as (a, b):
        reading = asyncio.create_task(asyncio.to_thread(read, a.settings.socket))
        await until(lambda: a.meters.streams == 1)
        b.cluster.retag({"x": "y"})
        await until(lambda: ("x", "y") in {t for m in a.cluster.members for t in m.tags})
        a.leave(0.0)
        assert await reading == [None, "event", "end"]


def test_a_stream_that_breaks_off_is_an_agent_that_is_lost() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: listening\n\n"
    with answering(head + b'event: message\ndata: {"a": 1}\n\n') as where:
        stream = Client(where).stream("/v1/messages")
        assert next(stream) is None
        event = next(stream)
        assert event is not None
        assert (event.name, event.data) == ("message", {"a": 1})
        with pytest.raises(NoAgent, match="has ended without a word"):
            next(stream)


@on_loop
async def test_it_waits_until_an_agent_has_gone(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        here = client(a)
        assert not await asyncio.to_thread(here.wait_until_gone, os.getpid(), 0.2)
        assert await asyncio.to_thread(here.wait_until_gone, os.getpid() + 1, 60.0), "another one"
    assert await asyncio.to_thread(here.wait_until_gone, os.getpid(), 60.0)


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ("127.0.0.1:7373", "did you mean http://127.0.0.1:7373"),
        ("ftp://x", "a path, or http"),
        ("http://", "a path, or http"),
        ("http://x:99999", "a path, or http"),
    ],
)
def test_what_is_no_place_is_refused_before_anything_is_asked(where: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        Client(where)


def test_a_token_is_read_without_its_line_end(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("secret\n")
    assert token_in(path) == "secret"
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="no text"):
        token_in(path)
    with pytest.raises(UsageError, match="No such file"):
        token_in(tmp_path / "nothing")
