"""Paper, State Initialization: a sorted array of addresses is all the state a broadcast needs.

"With an IPv6 address plus 2 bytes for the port, each node occupies only 18 bytes. Thus, 100,000
nodes require only under 2 megabytes of memory." (tests/core/test_ring.py measures that.)
"""

from __future__ import annotations

from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import ADDRESS_BYTES, Address
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import whole_ring
from support.rings import addresses, any_addresses, member, orders, ring


def test_a_member_is_18_bytes_an_ipv6_address_and_a_port() -> None:
    assert ADDRESS_BYTES == 18
    assert Address.parse("[fd00::1]:7946") == b"\xfd" + bytes(14) + b"\x01" + b"\x1f\x0a"


def test_a_view_of_n_members_is_n_times_18_bytes() -> None:
    assert sum(len(address) for address in ring(100_000)) == 1_800_000 < 2 << 20


@given(st.lists(any_addresses()))
def test_any_change_keeps_the_array_sorted(members: list[Address]) -> None:
    view = Ring()
    for address in members:
        view.insert(address)
        assert list(view) == sorted(view)
    for address in members:
        view.remove(address)
        assert list(view) == sorted(view)


def test_if_uniformity_is_necessary_addresses_are_placed_by_their_blake2_hash() -> None:
    hashes = [blake2b(bytes(x), digest_size=8).digest() for x in ring(200, RingOrder.HASHED)]
    assert hashes == sorted(hashes)
    assert list(ring(200, RingOrder.HASHED)) != addresses(200)


def test_the_ring_closes_on_itself() -> None:
    """N_{n-1} and N_1 are the nodes to the left and right of the root node N_0."""
    view = ring(10)
    assert view.members(whole_ring(view, member(0)))[4:7] == [member(9), member(0), member(1)]


@given(st.sets(any_addresses(), min_size=1), orders(), st.data())
def test_a_broadcast_can_start_at_any_node_with_everybody_in_its_region(
    members: set[Address], order: RingOrder, data: st.DataObject
) -> None:
    view, root = Ring(members, order), data.draw(st.sampled_from(sorted(members)))
    assert sorted(view.members(whole_ring(view, root))) == sorted(members)
