"""The agent from the start to the leave, on the loop of a test."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import snowcast
from snowcast.agent.agent import SIGNALLED, Agent
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from snowcast.runtime.errors import BindError
from snowcast.runtime.questions import AskKeys, AskView, KeyAction, Reach
from support.agents import agent, pair, settings
from support.http import listen_to
from support.loops import on_loop, until

KEY = b64encode(bytes(32)).decode()
OTHER_KEY = b64encode(bytes(31) + b"1").decode()


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What agents of this process have logged."""
    return [record.getMessage() for record in caplog.records if record.name == "snowcast"]


@on_loop
async def test_it_says_when_all_is_open_and_when_it_has_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    async with agent(tmp_path) as a:
        assert a.is_running
        assert a.mode is Mode.STANDARD
        assert (tmp_path / "a.sock").is_socket()
        [running] = [record for record in caplog.records if record.message == "running"]
        assert running.fields == {  # type: ignore[attr-defined]
            "name": "a",
            "address": str(a.cluster.address),
            "cluster": "snowcast",
            "protocol": "standard",
        }
    assert said(caplog)[-2:] == ["leaving", "left"]
    assert not (tmp_path / "a.sock").exists()


@on_loop
async def test_a_leave_is_seen_as_one_and_not_as_a_crash(tmp_path: Path) -> None:
    async with agent(tmp_path, "a") as a:
        events = a.cluster.events()
        async with agent(tmp_path, "b", node={"seeds": (str(a.cluster.address),)}) as b:
            await until(lambda: len(a.cluster.members) == 2 and b.cluster.is_joined)
        await until(lambda: len(a.cluster.members) == 1)
        kinds = [type(await anext(events)) for _ in range(len(events))]
        assert kinds == [snowcast.MemberJoined, snowcast.MemberLeft]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_first_signal_begins_a_leave(number: signal.Signals, tmp_path: Path) -> None:
    @on_loop
    async def story() -> None:
        async with agent(tmp_path) as a:
            os.kill(os.getpid(), number)
            await until(lambda: a.is_leaving)

    story()


@on_loop
async def test_a_second_signal_ends_a_leave_at_once_and_is_the_exit_status(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    a = Agent(settings(tmp_path, node={"linger": 3600.0}))
    task = asyncio.create_task(a.run())
    await until(lambda: a.is_running)
    peer = Agent(settings(tmp_path, "b", node={"seeds": (str(a.cluster.address),)}))
    peer_task = asyncio.create_task(peer.run())
    await until(lambda: peer.is_running and peer.cluster.is_joined)
    a._on_signal(signal.SIGTERM)  # what the loop calls; the real signals go to the other agent
    await until(lambda: "leaving" in said(caplog))
    assert not task.done()
    a._on_signal(signal.SIGTERM)
    assert await task == SIGNALLED + signal.SIGTERM
    assert "stopped before the leave was done: others may take it for a crash" in said(caplog)
    peer.leave(0.0)
    assert await peer_task == 0


@on_loop
async def test_a_signal_ends_a_start_that_waits_for_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    made = Agent(settings(tmp_path))
    begun = asyncio.Event()

    async def never() -> None:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(made.cluster, "start", never)
    task = asyncio.create_task(made.run())
    await begun.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    assert await task == 0
    assert said(caplog)[-1] == "stopped before it had begun: nobody has seen it"
    assert not (tmp_path / "a.sock").exists()


@on_loop
async def test_a_port_that_is_taken_is_found_before_anybody_sees_the_node(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        for sections in ({"metrics": {"bind": bind}}, {"node": {"bind": bind}}):
            made = Agent(settings(tmp_path, **sections))
            with pytest.raises(BindError, match="cannot listen on"):
                await made.run()
            assert not (tmp_path / "a.sock").exists()


@on_loop
async def test_a_question_reaches_everybody_and_its_time_is_a_metric(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        answers, mine = await a.ask(AskView())
        assert answers.answers[b.cluster.address] == mine
        answers, _ = await a.ask(Reach())
        assert answers.receipt.is_complete
        assert b"snowcast_receipt_seconds_count 2.0" in a.meters.text()


@on_loop
async def test_a_question_that_cannot_be_put_changes_nothing_here_either(tmp_path: Path) -> None:
    kept = tmp_path / "keys"
    kept.write_text(KEY + "\n")
    kept.chmod(0o600)
    security = {"keys_file": str(kept)}
    # This way to broadcast gives no receipts, so that nobody can be asked.
    async with agent(tmp_path, security=security, cluster={"protocol": "gossip"}) as a:
        ids = a.cluster.keys.ids  # type: ignore[union-attr]
        with pytest.raises(UsageError, match="receipts"):
            await a.ask(AskKeys(KeyAction.INSTALL, OTHER_KEY))
        assert a.cluster.keys.ids == ids  # type: ignore[union-attr]
    assert kept.read_text() == KEY + "\n"


@on_loop
async def test_what_becomes_of_members_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    listen_to(caplog)
    async with pair(tmp_path) as (_, b):
        await b.cluster.abort()
        await until(lambda: "member evicted" in said(caplog))
    levels = {r.message: r.levelno for r in caplog.records if r.name == "snowcast"}
    assert levels["member joined"] == logging.INFO
    assert levels["member suspected"] == levels["member evicted"] == logging.WARNING


@on_loop
async def test_two_of_one_name_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    listen_to(caplog)
    async with agent(tmp_path, "a") as a:
        twin: dict[str, Any] = {
            "node": {"name": "a", "seeds": (str(a.cluster.address),)},
            "control": {"socket": str(tmp_path / "twin.sock")},
        }
        async with agent(tmp_path, "twin", **twin) as b:
            await until(lambda: a.name_taken_by and b.name_taken_by)
            assert a.name_taken_by == {str(b.cluster.address)}
        await until(lambda: not a.name_taken_by)
    assert "another member has this node's name" in said(caplog)


@on_loop
async def test_systemd_hears_that_it_is_ready_and_that_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        async with agent(tmp_path):
            assert sock.recv(100) == b"READY=1"
        assert sock.recv(100) == b"STOPPING=1"
