"""Addresses and rings to test with, small and predictable: member i is 10.x.x.x:7946."""

from __future__ import annotations

from hypothesis import strategies as st

from snowcast.core.address import IPV4_PREFIX, Address
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Mode

PORT = 7946


def member(number: int) -> Address:
    """The address that stands at `number` in address order."""
    return Address(IPV4_PREFIX + b"\x0a" + number.to_bytes(3, "big") + PORT.to_bytes(2, "big"))


def number(address: Address) -> int:
    """Where the address stands in address order: `member` undone."""
    return int.from_bytes(address[13:16], "big")


def addresses(n: int) -> list[Address]:
    """The first `n` addresses, in address order."""
    return [member(number) for number in range(n)]


def ring(n: int, order: RingOrder = RingOrder.ADDRESS) -> Ring:
    """A ring of the first `n` addresses."""
    return Ring(addresses(n), order)


def ipv4_addresses() -> st.SearchStrategy[Address]:
    """Any IPv4 address and port."""
    return st.builds(_packed, st.binary(min_size=4, max_size=4).map(IPV4_PREFIX.__add__), ports())


def ipv6_addresses() -> st.SearchStrategy[Address]:
    """Any IPv6 address and port, but for the ones that are IPv4 in disguise."""
    hosts = st.binary(min_size=16, max_size=16).filter(lambda raw: raw[:12] != IPV4_PREFIX)
    return st.builds(_packed, hosts, ports())


def any_addresses() -> st.SearchStrategy[Address]:
    """Any address of either kind."""
    return st.one_of(ipv4_addresses(), ipv6_addresses())


def ports() -> st.SearchStrategy[int]:
    """Any port a node can listen on."""
    return st.integers(1, 65535)


def fanouts(fanout_max: int = 16) -> st.SearchStrategy[int]:
    """Any fanout that the paper allows: a multiple of two."""
    return st.integers(1, fanout_max // 2).map(lambda half: 2 * half)


def orders() -> st.SearchStrategy[RingOrder]:
    """Either order of the ring."""
    return st.sampled_from(RingOrder)


def modes() -> st.SearchStrategy[Mode]:
    """Either way to travel."""
    return st.sampled_from(Mode)


def _packed(host: bytes, port: int) -> Address:
    return Address(host + port.to_bytes(2, "big"))
