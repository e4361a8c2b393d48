"""SIGHUP: what may change does, what may not is named, what is wrong changes nothing."""

from __future__ import annotations

import logging
import os
import signal
import socket
import ssl
from pathlib import Path
from typing import Any

import msgspec
import pytest

from snowcast.agent import logs
from snowcast.agent.agent import Agent
from snowcast.agent.reloading import RELOADED, changes, on_hangup, reload, value
from snowcast.agent.settings import Log, LogLevel, Settings, keys
from snowcast.core.errors import UsageError
from support.agents import agent, pair
from support.certificates import Authority
from support.http import said_at
from support.loops import on_loop, until


@pytest.fixture(autouse=True)
def log_as_before(monkeypatch: pytest.MonkeyPatch) -> list[Log]:
    """Logging is not set up here, for it belongs to the tests; what would have been is noted."""
    wanted: list[Log] = []
    monkeypatch.setattr(logs, "set_up", wanted.append)
    return wanted


def changed(a: Agent, **sections: dict[str, Any]) -> Settings:
    """The agent's settings, but for these."""
    new = {
        name: msgspec.structs.replace(getattr(a.settings, name), **values)
        for name, values in sections.items()
    }
    return msgspec.structs.replace(a.settings, **new)


@on_loop
async def test_tags_and_log_settings_change_and_everybody_hears_of_the_tags(
    tmp_path: Path, log_as_before: list[Log]
) -> None:
    async with pair(tmp_path) as (a, b):
        wanted = changed(a, node={"tags": {"zone": "b"}}, log={"level": LogLevel.DEBUG})
        a.load = lambda: wanted
        os.kill(os.getpid(), signal.SIGHUP)  # who was started last hears it
        b.load = lambda: changed(b, node={"tags": {"zone": "b"}})
        await until(lambda: b.cluster.me.tags == (("zone", "b"),))
        reload(a)
        assert a.settings == wanted
        assert log_as_before[-1] == wanted.log
        await until(lambda: {m.tags for m in b.cluster.members} == {(("zone", "b"),)})


@on_loop
async def test_what_takes_a_restart_is_named_and_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with agent(tmp_path) as a:
        before = a.settings
        a.load = lambda: changed(a, node={"bind": "127.0.0.1:1"}, cluster={"fanout": 8})
        with caplog.at_level(logging.INFO, "snowcast"):
            told = reload(a)
        assert a.settings == before
    assert told.needs_restart == ("node.bind", "cluster.fanout")
    assert (told.changed, told.certificates) == ((), 0)
    assert "changed, but only a restart will do: node.bind, cluster.fanout" in caplog.text


@on_loop
async def test_settings_that_are_wrong_change_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, log_as_before: list[Log]
) -> None:
    async with agent(tmp_path) as a:
        before = a.settings

        def broken() -> Settings:
            raise UsageError("agent.toml: no TOML")

        a.load = broken
        on_hangup(a)
        a.load = lambda: changed(a, node={"tags": {"k": "v" * 5000}}, log={"level": "debug"})
        with pytest.raises(UsageError, match="tags have at most 4096 bytes"):
            reload(a)
        assert a.settings == before
        assert a.cluster.me.tags == ()
    assert "nothing reloaded: agent.toml: no TOML" in caplog.text
    assert log_as_before == []


@on_loop
async def test_a_port_shows_the_new_certificate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "snowcast")
    old = Authority(tmp_path, "old").tls("127.0.0.1")
    new = Authority(tmp_path, "new").tls("127.0.0.1")
    control = {
        "bind": "127.0.0.1:0",
        "token_file": str(tmp_path / "token"),
        "certificate": str(old.certificate),
        "private_key": str(old.key),
    }

    def shows(at: str, tls: Any) -> bool:
        host, port = at.removeprefix("https://").split(":")
        context = ssl.create_default_context(cafile=str(tls.authority))
        try:
            with socket.create_connection((host, int(port))) as plain:
                context.wrap_socket(plain, server_hostname=host).close()
        except ssl.SSLCertVerificationError:
            return False
        return True

    import asyncio

    async with agent(tmp_path, control=control) as a:
        at = said_at(caplog, "control API")
        assert await asyncio.to_thread(shows, at, old)
        Path(old.certificate).write_bytes(Path(new.certificate).read_bytes())
        Path(old.key).write_bytes(Path(new.key).read_bytes())
        assert not await asyncio.to_thread(shows, at, new)
        reload(a)
        assert await asyncio.to_thread(shows, at, new)


def test_what_may_change_are_keys_that_there_are() -> None:
    assert set(RELOADED) <= set(keys())
    one = Settings()
    other = msgspec.structs.replace(one, log=Log(level=LogLevel.ERROR))
    assert changes(one, one) == []
    assert changes(one, other) == ["log.level"]
    assert value(other, "log.level") is LogLevel.ERROR
