"""Who gets in over HTTP: by token, by host name, and how many at once."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from snowcast.agent import doorkeeper
from snowcast.agent.doorkeeper import Door
from support.agents import agent
from support.certificates import Authority
from support.http import listen_to, said_at, speaker
from support.loops import SAFETY_S, on_loop, until

LOOPBACK = ["127.0.0.1", "127.0.0.1:80", "127.9.9.9:1", "localhost", "LocalHost:7373", "[::1]"]
LOOPBACK += ["[::1]:7373"]
OTHERS = ["evil.example", "evil.example:7373", "10.0.0.1", "localhost.evil.example", "[fe80::1]:1"]
OTHERS += ["", ":7373", "127.0.0.1.evil.example:80", "localhost:localhost:80"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_names_of_this_machine_are_let_in(host: str) -> None:
    assert doorkeeper._names_loopback(host)


@pytest.mark.parametrize("host", OTHERS)
def test_all_other_names_are_not(host: str) -> None:
    assert not doorkeeper._names_loopback(host)


@given(st.text(max_size=20))
def test_whatever_a_host_header_holds_it_is_yes_or_no(host: str) -> None:
    assert doorkeeper._names_loopback(host) in (True, False)


@pytest.fixture
def guarded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    """The control API on a port, with a token."""
    listen_to(caplog)
    (tmp_path / "token").write_text("a-token-of-some-length\n")
    (tmp_path / "token").chmod(0o600)
    return {"control": {"bind": "127.0.0.1:0", "token_file": str(tmp_path / "token")}}


def bearer(token: str) -> dict[str, dict[str, str]]:
    """Headers with a token."""
    return {"headers": {"Authorization": f"Bearer {token}"}}


def test_a_port_asks_for_the_token_and_the_socket_does_not(
    tmp_path: Path, guarded: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    @on_loop
    async def story() -> None:
        async with agent(tmp_path, **guarded) as a:
            async with speaker(said_at(caplog, "control API")) as to:
                refused = await to.ask("GET", "/v1/status")
                assert refused.status == 401
                assert refused.headers["www-authenticate"] == "Bearer"
                assert b"token, which is in" in refused.body
                good = bearer("a-token-of-some-length")
                basic = {"headers": {"Authorization": "Basic a-token-of-some-length"}}
                assert await to.status("GET", "/v1/status", **good) == 200
                for wrong in (bearer("another"), bearer(""), bearer("ä"), basic):
                    assert await to.status("GET", "/v1/status", **wrong) == 401
                assert await to.status("GET", "/metrics") == 401
                assert await to.status("GET", "/openapi.json") == 401
                assert await to.status("GET", "/nothing") == 401, "not even what there is"
                for path in ("/healthz", "/readyz"):
                    assert await to.status("GET", path) == 200
            async with speaker(a) as to:
                assert await to.status("GET", "/v1/status") == 200

    story()


def test_bytes_that_are_no_text_are_refused_as_any_other_stranger(
    tmp_path: Path, guarded: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def answered(at: str, *lines: bytes) -> bytes:
        host, port = at.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"\r\n".join((*lines, b"Connection: close", b"", b"")))
        answer = await reader.read()
        await end(writer)
        return answer

    @on_loop
    async def story() -> None:
        async with agent(tmp_path, **guarded):
            at = said_at(caplog, "control API")
            here, get = b"Host: localhost", b"GET /v1/status HTTP/1.1"
            for given in (b"Bearer \xff\xfe", b"\xff", b"Bearer \xe2\x82"):
                told = await answered(at, get, here, b"Authorization: " + given)
                assert told.startswith(b"HTTP/1.1 401 ")
            told = await answered(at, get, b"Host: \xff\xfe")
            assert told.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 "))
            told = await answered(at, b"GET /v1/status HTTP/1.0")
            assert told.startswith(b"HTTP/1.0 403 "), "no name is no name of this machine"

    story()


def test_no_name_is_looked_up_for_who_gives_none(
    tmp_path: Path,
    guarded: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked_up() -> str:
        raise AssertionError("a lookup may take seconds, and all wait for it")

    @on_loop
    async def story() -> None:
        async with agent(tmp_path, **guarded):
            monkeypatch.setattr("socket.getfqdn", looked_up)
            host, port = said_at(caplog, "control API").removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /v1/status HTTP/1.0\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.0 403 ")
            await end(writer)

    story()


def test_a_page_of_elsewhere_that_points_here_reads_nothing(
    tmp_path: Path, guarded: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    @on_loop
    async def story() -> None:
        async with agent(tmp_path, **guarded, metrics={"bind": "127.0.0.1:0"}):
            for what in ("control API", "metrics"):
                async with speaker(said_at(caplog, what)) as to:
                    foreign = {"headers": {"Host": "evil.example"}}
                    answer = await to.ask("GET", "/healthz", **foreign)
                    assert answer.status == 403
                    assert b"wrong_host" in answer.body
                    local = {"headers": {"Host": "localhost:1"}}
                    assert await to.status("GET", "/healthz", **local) == 200

    story()


def test_with_tls_certificates_say_who_is_who(
    tmp_path: Path, guarded: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    tls = Authority(tmp_path).tls("127.0.0.1")
    guarded["control"] |= {"certificate": str(tls.certificate), "private_key": str(tls.key)}
    context = ssl.create_default_context(cafile=str(tls.authority))

    @on_loop
    async def story() -> None:
        async with agent(tmp_path, **guarded):
            where = said_at(caplog, "control API")
            assert where.startswith("https://")
            async with speaker(where, ssl=context) as to:
                foreign = {"headers": {"Host": "agent.example"}}
                assert await to.status("GET", "/healthz", **foreign) == 200
                assert await to.status("GET", "/v1/status", **foreign) == 401
            async with speaker(where.replace("https", "http")) as to:
                with pytest.raises(Exception, match=r"."):
                    await to.status("GET", "/healthz")

    story()


class Hall:
    """A door on a port, with a plain server behind it."""

    def __init__(self, connections_max: int, first_request_s: float) -> None:
        async def answer(request: web.BaseRequest) -> web.Response:
            self.door.on_request(request)  # type: ignore[arg-type]
            if request.path == "/wait":
                await self.goes_on.wait()
            self.door.on_answer(request)  # type: ignore[arg-type]
            return web.Response(text="come in")

        self.goes_on = asyncio.Event()
        self.server = web.Server(answer)  # type: ignore[arg-type]
        self.door = Door(self.server, connections_max, first_request_s)

    async def __aenter__(self) -> Hall:
        loop = asyncio.get_running_loop()
        self.listener = await loop.create_server(self.door, "127.0.0.1", 0)
        self.address = self.listener.sockets[0].getsockname()
        return self

    async def __aexit__(self, *error: object) -> None:
        self.listener.close()
        self.door.close()
        await self.server.shutdown(0.1)
        await self.listener.wait_closed()

    async def visit(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect, and say nothing."""
        return await asyncio.open_connection(*self.address)


async def end(*writers: asyncio.StreamWriter) -> None:
    """Go."""
    for writer in writers:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
WAIT = GET.replace(b"/ ", b"/wait ")


@on_loop
async def test_one_too_many_takes_the_place_of_who_has_been_idle_for_longest() -> None:
    async with Hall(2, 60) as hall:
        silent, asking = await hall.visit(), await hall.visit()
        silent[1].write(GET)
        assert (await silent[0].readuntil(b"come in")).startswith(b"HTTP/1.1 200")
        late = await hall.visit()  # `asking` came later, but has not asked anything since
        with suppress(ConnectionResetError):
            assert await asking[0].read() == b"", "closed"
        for reader, writer in (silent, late):
            writer.write(GET)
            assert (await reader.readuntil(b"come in")).startswith(b"HTTP/1.1 200")
        await end(silent[1], asking[1], late[1])


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_who_waits_for_an_answer_keeps_its_place_and_one_too_many_is_closed(kind: str) -> None:
    make = pytest.importorskip(kind).new_event_loop
    with asyncio.Runner(loop_factory=make) as runner:
        runner.run(asyncio.wait_for(one_too_many(), SAFETY_S))


async def one_too_many() -> None:
    """Two who wait for their answers, in a hall for two, and a third."""
    async with Hall(2, 60) as hall:
        visits = [await hall.visit() for _ in range(2)]
        for _, writer in visits:
            writer.write(WAIT)
        await until(lambda: all(not visit.is_idle for visit in hall.door._visits.values()))
        reader, late = await hall.visit()
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        hall.goes_on.set()
        for reader, _ in visits:
            assert (await reader.readuntil(b"come in")).startswith(b"HTTP/1.1 200")
        await end(late, *(writer for _, writer in visits))


@on_loop
async def test_who_has_gone_has_no_place() -> None:
    async with Hall(2, 60) as hall:
        for _ in range(5):
            await end((await hall.visit())[1])
        await until(lambda: not hall.door._visits)


@on_loop
async def test_who_asks_nothing_is_closed_after_a_while_and_who_asks_stays() -> None:
    async with Hall(8, 0.2) as hall:
        silent, asking = await hall.visit(), await hall.visit()
        asking[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await asking[0].readuntil(b"come in")).startswith(b"HTTP/1.1 200")
        assert await silent[0].read() == b"", "closed"
        asking[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await asking[0].readuntil(b"come in")).startswith(b"HTTP/1.1 200")
        await end(silent[1], asking[1])


@on_loop
async def test_a_slow_beginning_of_a_request_is_no_request() -> None:
    async with Hall(8, 0.2) as hall:
        reader, writer = await hall.visit()
        writer.write(b"GET / HTTP/1.1\r\nHo")
        assert await reader.read() == b""
        await end(writer)
