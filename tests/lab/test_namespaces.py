"""A network stack for each node, which goes with its owner."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.lab.namespaces import NODES_MAX, Namespaces, NotPermitted, host_of, why_not
from support.lab import needs_namespaces

SHOW = [sys.executable, "-c", "import os; print(os.readlink('/proc/self/ns/net'))"]

HOLD = """
import subprocess, sys, time
from snowcast.lab.hub import Hub
from snowcast.lab.namespaces import Namespaces
with Namespaces(3) as namespaces, Hub(namespaces) as hub:
    command = [sys.executable, "-c", "input()"]
    child = namespaces.popen(2, command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    print(child.pid, hub._process.pid, flush=True)
    time.sleep(600)
"""


def here() -> str:
    """The namespace that this thread is in."""
    return str(Path("/proc/thread-self/ns/net").readlink())


@needs_namespaces
def test_each_has_its_own_address_and_ports_and_nobody_elses_network() -> None:
    with Namespaces(3) as namespaces:
        sockets = []
        for node in range(3):
            with namespaces.inside(node):
                sock = socket.socket()
            sock.bind((host_of(node), 7946))
            sockets.append(sock)
        with socket.socket() as outside, pytest.raises(OSError, match="assign requested address"):
            outside.bind((host_of(0), 7946))
        for sock in sockets:
            sock.close()


@needs_namespaces
def test_a_command_runs_inside_and_the_thread_comes_back() -> None:
    before = here()
    with Namespaces(2) as namespaces:
        shown = [
            namespaces.popen(node, SHOW, stdout=subprocess.PIPE, text=True).communicate()[0].strip()
            for node in range(2)
        ]
        assert len({before, *shown}) == 3
        with pytest.raises(FileNotFoundError):
            namespaces.popen(1, ["/no/such/command"])
        with namespaces.inside(1):
            assert here() == shown[1]
    assert here() == before


@needs_namespaces
def test_a_process_that_is_given_a_descriptor_can_go_inside() -> None:
    script = (
        "import os, sys; from snowcast.lab.namespaces import enter; enter(int(sys.argv[1])); "
        "print(os.readlink('/proc/self/ns/net'))"
    )
    with Namespaces(1) as namespaces:
        held = namespaces.descriptor(0)
        command = [sys.executable, "-c", script, str(held)]
        went = subprocess.run(command, pass_fds=[held], capture_output=True, text=True)
        shown = namespaces.popen(0, SHOW, stdout=subprocess.PIPE, text=True).communicate()[0]
        assert went.stdout == shown, went.stderr
        assert shown.strip() != here()


@needs_namespaces
def test_closing_leaves_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(3):
        with Namespaces(4):
            pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@needs_namespaces
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_the_owner_dies_its_namespaces_go_with_it(how: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with owner:
        assert owner.stdout is not None
        processes = [int(pid) for pid in owner.stdout.readline().split()]
        namespace = str(Path(f"/proc/{processes[0]}/ns/net").readlink())
        assert namespace != here()
        owner.send_signal(how)
        owner.wait(60)
        while any(map(_runs, processes)):  # what it has started ends with its input
            time.sleep(0.01)
    assert namespace not in _namespaces_in_use()


def test_how_many_is_checked_before_anything_is_made() -> None:
    for count in (0, -1, NODES_MAX + 1):
        with pytest.raises(UsageError, match="namespaces"):
            Namespaces(count)


def test_addresses_are_all_different_and_none_is_a_network_or_broadcast_address() -> None:
    hosts = [host_of(node) for node in range(NODES_MAX)]
    assert len(set(hosts)) == NODES_MAX
    assert hosts[0] == "10.77.0.1"
    assert "10.77.255.255" not in hosts


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody who is not")
def test_without_the_rights_it_says_so() -> None:
    script = (
        "import os; from snowcast.lab.namespaces import Namespaces, why_not; "
        "os.setuid(65534); print(why_not())"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert said.stdout == "no network namespaces here: it needs root\n", said.stderr


def test_why_not_agrees_with_what_happens() -> None:
    reason = why_not()
    if reason is None:
        Namespaces(1).close()
    else:
        with pytest.raises(NotPermitted, match=reason):
            Namespaces(1)


def _runs(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False


def _namespaces_in_use() -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.add(str((process / "ns/net").readlink()))
        except OSError:
            continue
    return found
