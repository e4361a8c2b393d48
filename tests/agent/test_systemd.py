"""Telling systemd how the service is, over a socket as systemd's."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from snowcast.agent import systemd
from support.loops import on_loop, until


@contextmanager
def listening(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + path[1:] if path.startswith("@") else path)
        sock.setblocking(False)
        yield sock


@pytest.mark.parametrize("is_abstract", [False, True])
def test_a_state_is_told_at_a_path_and_at_an_abstract_name(
    is_abstract: bool, tmp_path: Path
) -> None:
    path = f"@snowcast-test-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    with listening(path) as sock:
        assert systemd.notify("READY=1", {"NOTIFY_SOCKET": path})
        assert sock.recv(100) == b"READY=1"


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "relative"}])
def test_who_is_not_asked_tells_nobody(environment: dict[str, str]) -> None:
    assert not systemd.notify("READY=1", environment)


def test_a_socket_that_nobody_reads_is_no_reason_to_fail(tmp_path: Path) -> None:
    assert not systemd.notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "nobody")})


@pytest.mark.parametrize(
    ("environment", "every_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
    ],
)
def test_it_is_told_twice_in_the_time_it_waits(
    environment: dict[str, str], every_s: float | None
) -> None:
    assert systemd.watchdog_s(environment) == every_s


@on_loop
async def test_the_watchdog_hears_from_a_loop_that_turns(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with listening(path) as sock:
        heard = []

        def read() -> None:
            heard.append(sock.recv(100))

        asyncio.get_running_loop().add_reader(sock, read)
        watching = asyncio.create_task(
            systemd.watch({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"})
        )
        await until(lambda: len(heard) >= 3)
        watching.cancel()
        await asyncio.wait((watching,))
        asyncio.get_running_loop().remove_reader(sock)
    assert set(heard) == {b"WATCHDOG=1"}


def test_a_queue_that_is_full_makes_nobody_wait(tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    with listening(environment["NOTIFY_SOCKET"]):
        taken = 0
        while systemd.notify("WATCHDOG=1", environment, wait_s=0):
            taken += 1
        assert taken > 0
        assert not systemd.notify("STOPPING=1", environment, wait_s=0.01), "waited, and went on"


@on_loop
async def test_a_watchdog_that_was_not_reached_once_is_told_the_next_time(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"}
    watching = asyncio.create_task(systemd.watch(environment))
    await asyncio.sleep(0)  # it has told nobody now
    with listening(path) as sock:
        heard = asyncio.Event()
        asyncio.get_running_loop().add_reader(sock, heard.set)
        await asyncio.wait((watching, asyncio.create_task(heard.wait())),
                           return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        asyncio.get_running_loop().remove_reader(sock)
        assert sock.recv(100) == b"WATCHDOG=1"
        assert not watching.done()
    watching.cancel()
    await asyncio.wait((watching,))


@on_loop
async def test_without_a_watchdog_the_watch_ends_at_once() -> None:
    await systemd.watch({})
