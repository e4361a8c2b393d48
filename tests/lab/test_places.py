"""The addresses of a lab: in the order of the nodes, and at a port that is free."""

from __future__ import annotations

import socket
import time
from random import Random

import pytest

from snowcast.core.errors import UsageError
from snowcast.lab import places
from snowcast.lab.places import NODES_MAX, address_of, free_port, index_of


def test_addresses_grow_with_the_numbers_and_stay_on_loopback() -> None:
    addresses = [address_of(index, 7946) for index in range(0, NODES_MAX, 97)]
    assert addresses == sorted(addresses)
    assert all(address.host.startswith("127.") for address in addresses)
    assert str(address_of(0, 7946)) == "127.0.1.1:7946"
    assert [index_of(address) for address in addresses] == [*range(0, NODES_MAX, 97)]


def test_more_nodes_than_addresses_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="at most 60000 nodes"):
        address_of(NODES_MAX, 7946)


def test_a_port_in_use_anywhere_on_loopback_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        used = free_port(Random(time.time_ns()))
        taken.bind(("127.3.2.1", used))
        monkeypatch.setattr(places, "PORTS", range(used, used + 1))
        monkeypatch.setattr(places, "TRIES", 1)
        with pytest.raises(UsageError, match="no free port"):
            free_port(Random(0))
    assert free_port(Random(0)) == used
