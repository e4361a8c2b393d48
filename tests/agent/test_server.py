"""The control API over HTTP: what is read, what is answered, and what is too much."""

from __future__ import annotations

import asyncio
import json
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from snowcast.agent import doorkeeper, server
from snowcast.agent.agent import Agent
from snowcast.agent.settings import Control
from snowcast.core.errors import UsageError
from support.agents import agent, settings
from support.http import Speaker, listen_to, said_at, speaker
from support.loops import on_loop, until


async def problem(to: Speaker, method: str, path: str, **rest: Any) -> tuple[int, str, str]:
    """How something was refused: status, word, text."""
    answer = await to.ask(method, path, **rest)
    assert answer.headers["content-type"] == "application/json"
    told = json.loads(answer.body)
    return answer.status, told["error"], told["message"]


@on_loop
async def test_what_cannot_be_read_is_refused_with_what_could_be(tmp_path: Path) -> None:
    async with agent(tmp_path) as a, speaker(a) as to:
        told = await problem(to, "GET", "/v1/members?stat=alive")
        assert told[:2] == (400, "bad_request")
        assert told[2] == "no parameter 'stat'; there are: state, name, tag, departed"
        told = await problem(to, "GET", "/v1/status?x=1")
        assert told[2] == "no parameter 'x'; there are: none"
        assert (await problem(to, "GET", "/v2/status"))[:2] == (404, "no_such_route")
        status, word, text = await problem(to, "DELETE", "/v1/tags")
        assert (status, word, text) == (405, "wrong_method", "/v1/tags takes PUT")
        answer = await to.ask("DELETE", "/v1/tags")
        assert answer.headers["allow"] == "PUT"
        assert answer.headers["server"] == "snowcast"
        for body in ("{", "[]", '{"key": 1}', '{"key": "x", "more": 1}'):
            assert (await problem(to, "POST", "/v1/keys/use", data=body))[:2] == (
                400, "bad_request",
            )  # fmt: skip


@on_loop
async def test_too_much_or_too_slow_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "BODY_S", 0.05)
    async with agent(tmp_path) as a, speaker(a) as to:
        told = await problem(to, "POST", "/v1/evict", data=bytes(server.JSON_BYTES_MAX + 1))
        assert told == (413, "too_large", "a request to /v1/evict carries at most 65536 bytes")
        reader, writer = await asyncio.open_unix_connection(a.settings.socket)
        writer.write(b"POST /v1/evict HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
        writer.close()
        await writer.wait_closed()


@on_loop
async def test_garbage_is_refused_and_the_agent_stays(tmp_path: Path) -> None:
    async with agent(tmp_path) as a, speaker(a) as to:
        for junk in (b"\x16\x03\x01\x02\x00\n\n", b"GET\r\n\r\n", b"\0" * 70_000, b"A" * 70_000):
            reader, writer = await asyncio.open_unix_connection(a.settings.socket)
            writer.write(junk)
            writer.write_eof()
            assert b" 200 " not in await reader.read()
            writer.close()
            await writer.wait_closed()
        assert await to.status("GET", "/healthz") == 200


@on_loop
async def test_a_bug_is_an_answer_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with agent(tmp_path) as a, speaker(a) as to:
        monkeypatch.setattr(type(a.cluster), "stats", lambda self: 1 / 0)
        told = await problem(to, "GET", "/v1/stats")
        assert told == (500, "internal", "a bug in the agent: its log says more")


@on_loop
async def test_as_many_readers_as_allowed_and_no_more(tmp_path: Path) -> None:
    async with agent(tmp_path, control={"streams_max": 1}) as a, speaker(a) as to:
        response = await to.session.get(to.base + "/v1/events")
        await until(lambda: a.meters.streams == 1)
        told = await problem(to, "GET", "/v1/messages")
        assert told[:2] == (503, "too_many_streams")
        assert (await problem(to, "GET", "/v1/events?x=1"))[0] == 400
        response.close()
        await until(lambda: a.meters.streams == 0)
        response = await to.session.get(to.base + "/v1/messages")
        assert response.status == 200
        response.close()


@on_loop
async def test_one_connection_too_many_is_closed_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorkeeper.Door.__init__, "__defaults__", (4, 0.3))
    async with agent(tmp_path) as a, speaker(a) as to:
        idle = [await asyncio.open_unix_connection(a.settings.socket) for _ in range(40)]
        for reader, writer in idle:
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
        assert await to.status("GET", "/healthz") == 200


@on_loop
async def test_a_crowd_of_strangers_shuts_nobody_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorkeeper.Door.__init__, "__defaults__", (4, 600))
    listen_to(caplog)
    control = {"bind": "127.0.0.1:0", "token_file": str(tmp_path / "token")}
    async with agent(tmp_path, control=control) as a, speaker(a) as here:
        at = said_at(caplog, "control API")
        host, port = at.removeprefix("http://").split(":")
        crowd = [await asyncio.open_connection(host, int(port)) for _ in range(40)]
        assert await here.status("GET", "/v1/status") == 200
        async with speaker(at) as there:
            assert await there.status("GET", "/healthz") == 200
        for _, writer in crowd:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@on_loop
async def test_health_readiness_and_metrics_on_a_port_of_their_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    seeds = {"node": {"seeds": ("127.0.0.1:1",)}}
    async with (
        agent(tmp_path, metrics={"bind": "127.0.0.1:0"}, **seeds) as a,
        speaker(said_at(caplog, "metrics")) as to,
    ):
        assert await to.status("GET", "/healthz") == 200
        not_yet = await to.ask("GET", "/readyz")
        assert (not_yet.status, not_yet.body) == (503, b"not let in yet\n")
        assert b"snowcast_joined 0.0" in (await to.ask("GET", "/metrics")).body
        assert await to.status("GET", "/v1/status") == 404, "nothing else is served there"
        a.is_leaving = True
        assert (await to.ask("GET", "/readyz")).body == b"leaving\n"


@on_loop
async def test_requests_are_counted_by_route_and_not_by_what_was_asked(tmp_path: Path) -> None:
    async with agent(tmp_path) as a, speaker(a) as to:
        for path in ("/v1/member?member=x", "/v1/status", "/v1/status", "/a", "/b"):
            await to.ask("GET", path)
        assert dict(a.meters.requests) == {
            ("/v1/member", "404"): 1,
            ("/v1/status", "200"): 2,
            ("none", "404"): 2,
        }


@on_loop
async def test_nothing_but_the_owner_may_use_the_socket(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        assert stat.S_IMODE(Path(a.settings.socket).stat().st_mode) == 0o600
    async with agent(tmp_path, control={"socket_mode": "0660"}) as a:
        assert stat.S_IMODE(Path(a.settings.socket).stat().st_mode) == 0o660


@on_loop
async def test_with_a_port_there_need_be_no_socket(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    control = {"socket": "", "bind": "127.0.0.1:0", "token_file": str(tmp_path / "token")}
    async with agent(tmp_path, control=control), speaker(said_at(caplog, "control API")) as to:
        assert await to.status("GET", "/readyz") == 200
    assert not list(tmp_path.glob("*.sock"))


@pytest.mark.parametrize(
    ("control", "said"),
    [
        ({"bind": "127.0.0.1:1"}, "control.bind needs control.token_file"),
        ({"bind": "0.0.0.0:1", "token_file": "t"}, "others can reach 0.0.0.0"),
        ({"bind": "agent.example:1", "token_file": "t"}, "an IP address of this machine"),
    ],
)
def test_a_port_that_were_not_safe_is_not_opened(control: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        server._secret(Control(**control))


@on_loop
async def test_a_program_that_asks_before_the_node_runs_is_told_to_come_back(
    tmp_path: Path,
) -> None:
    a = Agent(settings(tmp_path))
    async with server.serve(a), speaker(a) as to:
        assert await to.status("GET", "/healthz") == 200
        assert await to.status("GET", "/readyz") == 503
        assert (await problem(to, "GET", "/v1/status"))[:2] == (503, "not_running")
        assert (await problem(to, "POST", "/v1/reach"))[:2] == (503, "not_running")
        assert (await problem(to, "GET", "/metrics"))[:2] == (503, "not_running")
