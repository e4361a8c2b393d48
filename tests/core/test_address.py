"""An address is its 18 packed bytes: text in, text out, and order on the ring."""

from __future__ import annotations

import ipaddress
from hashlib import blake2b

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.errors import UsageError
from support.rings import any_addresses, ipv4_addresses, ipv6_addresses, ports


@given(any_addresses())
def test_text_reads_back_as_the_same_address(address: Address) -> None:
    assert Address.parse(str(address)) == address
    assert Address.of(address.host, address.port) == address


@given(st.ip_addresses(v=4), ports())
def test_ipv4_text_is_what_ipaddress_writes(ip: ipaddress.IPv4Address, port: int) -> None:
    address = Address.parse(f"{ip}:{port}")
    assert (address.host, address.port, address.is_ipv4) == (str(ip), port, True)
    assert str(address) == f"{ip}:{port}"


@given(ipv6_addresses().map(lambda address: ipaddress.IPv6Address(address[:16])), ports())
def test_ipv6_text_is_what_ipaddress_writes(ip: ipaddress.IPv6Address, port: int) -> None:
    address = Address.parse(f"[{ip}]:{port}")
    assert (address.host, address.port, address.is_ipv4) == (str(ip), port, False)
    assert str(address) == f"[{ip}]:{port}"


@given(st.ip_addresses(v=4), ports())
def test_ipv4_in_an_ipv6_coat_is_the_same_address(ip: ipaddress.IPv4Address, port: int) -> None:
    assert Address.parse(f"[::ffff:{ip}]:{port}") == Address.parse(f"{ip}:{port}")


@given(any_addresses(), any_addresses())
def test_addresses_order_by_ip_and_then_port(one: Address, two: Address) -> None:
    def key(address: Address) -> tuple[int, int]:
        ip = ipaddress.ip_address(address.host)
        mapped = int(ip) if ip.version == 6 else 0xFFFF << 32 | int(ip)
        return mapped, address.port

    assert (one < two) == (key(one) < key(two))
    assert (one == two) == (key(one) == key(two))


@given(any_addresses())
def test_an_address_is_its_own_packed_bytes(address: Address) -> None:
    assert len(address) == ADDRESS_BYTES == 18
    assert address == bytes(address)
    assert hash(address) == hash(bytes(address))


def test_the_packed_form_is_the_ip_and_the_port_big_endian() -> None:
    assert Address.parse("1.2.3.4:258") == bytes(10) + b"\xff\xff\x01\x02\x03\x04\x01\x02"
    assert Address.parse("[fd00::1]:258") == b"\xfd" + bytes(14) + b"\x01\x01\x02"


def test_an_address_shows_itself_as_text() -> None:
    assert repr(Address.parse("10.0.0.1:7946")) == "Address('10.0.0.1:7946')"
    assert f"{Address.parse('[fd00::1]:7946')}" == "[fd00::1]:7946"


@given(any_addresses())
def test_the_hash_that_places_an_address_is_blake2b_of_eight_bytes(address: Address) -> None:
    assert address.hashed() == blake2b(bytes(address), digest_size=8).digest()


@pytest.mark.parametrize("port", [1, 7946, 65535])
def test_ports_from_1_to_65535_are_taken(port: int) -> None:
    assert Address.parse(f"10.0.0.1:{port}").port == port


MISTAKES = [
    "",
    ":",
    "10.0.0.1",
    "10.0.0.1:",
    ":7946",
    "10.0.0.1:0",
    "10.0.0.1:65536",
    "10.0.0.1:-1",
    "10.0.0.1:+1",
    "10.0.0.1: 1",
    "10.0.0.1:1_0",
    "10.0.0.1:\u0663",
    "10.0.0.1:\u00b2",
    "10.0.0.1:" + "9" * 5000,
    "10.0.0:7946",
    "10.0.0.256:7946",
    "010.0.0.1:7946",
    "10.0.0.1/8:7946",
    "[10.0.0.1]:7946",
    "fd00::1:7946",
    "[fd00::1:7946",
    "fd00::1]:7946",
    "[fd00::1]7946",
    "[fd00::1]",
    "[[fd00::1]]:7946",
    "[]:7946",
    "[fe80::1%eth0]:7946",
    "localhost:7946",
    "node-1.example.org:7946",
    "10.0.0.1:7946\n",
    "10.0.0.1\n:7946",
]


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_not_an_address_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        Address.parse(text)
    sentence = str(refused.value)
    assert sentence
    assert "\n" not in sentence
    assert "Traceback" not in sentence


@given(st.text(max_size=40))
@example("10.0.0.1:7946")
@example("[::]:1")
def test_any_text_is_an_address_or_a_usage_error(text: str) -> None:
    try:
        address = Address.parse(text)
    except UsageError:
        return
    assert Address.parse(str(address)) == address


@given(st.text(st.sampled_from("0123456789abcdef:.[]%/ "), max_size=30))
def test_any_text_that_looks_like_an_address_is_one_or_a_usage_error(text: str) -> None:
    try:
        address = Address.parse(text)
    except UsageError:
        return
    assert Address.parse(str(address)) == address


@given(ipv4_addresses(), st.integers().filter(lambda port: not 0 < port < 65536))
def test_a_port_out_of_range_is_named_in_the_refusal(address: Address, port: int) -> None:
    with pytest.raises(UsageError, match=f"not {port}$"):
        Address.of(address.host, port)


@given(ipv6_addresses())
def test_a_scope_is_refused_since_it_means_something_on_one_machine_only(address: Address) -> None:
    with pytest.raises(UsageError, match="scope"):
        Address.of(f"{address.host}%eth0", address.port)
