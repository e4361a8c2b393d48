"""Sockets to listen on, and the address that others are told."""

from __future__ import annotations

import socket

import pytest

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BindError
from snowcast.runtime.ports import advertised, bind, is_exposed, split_host_port
from support.loops import local


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_free_port_is_the_same_for_streams_and_datagrams(host: str) -> None:
    sockets = bind(f"{host}:0")
    try:
        ports = {sockets.stream.getsockname()[1], sockets.datagram.getsockname()[1], sockets.port}
        assert len(ports) == 1
        assert not is_exposed(sockets)
        assert advertised(sockets, None, None) == Address.parse(f"{host}:{sockets.port}")
    finally:
        sockets.close()


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_in_use_says_what_to_do(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        if kind is socket.SOCK_STREAM:
            taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BindError, match=f"cannot listen on 127.0.0.1:{port}: another program"):
            bind(f"127.0.0.1:{port}")


def test_an_address_of_another_machine_says_what_to_do() -> None:
    with pytest.raises(BindError, match="this machine has no such address"):
        bind("192.0.2.1:0")


def test_an_agent_that_listens_everywhere_is_exposed_and_advertises_no_wildcard() -> None:
    sockets = bind("0.0.0.0:0")
    try:
        assert is_exposed(sockets)
        assert advertised(sockets, None, local(9)) == local(sockets.port)
        assert advertised(sockets, "10.1.2.3", None) == Address.of("10.1.2.3", sockets.port)
        assert advertised(sockets, "10.1.2.3:80", None) == Address.of("10.1.2.3", 80)
        assert advertised(sockets, "10.1.2.3:0", None) == Address.of("10.1.2.3", sockets.port)
        assert advertised(sockets, "fd00::1", None) == Address.of("fd00::1", sockets.port)
        assert advertised(sockets, "[fd00::1]:80", None) == Address.of("fd00::1", 80)
    finally:
        sockets.close()


@pytest.mark.parametrize(
    "text", ["", "7946", "10.0.0.1", "fd00::1:7946", "10.0.0.1:x", "10.0.0.1:70000", ":1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        split_host_port(text)


def test_binding_wants_an_ip_address() -> None:
    with pytest.raises(UsageError, match="IP address of this machine"):
        bind("localhost:0")
