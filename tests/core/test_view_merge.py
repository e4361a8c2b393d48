"""Merging, against a naive twin: the order of news does not matter, nor its packaging.

The twin is a dictionary that keeps the greatest by incarnation and state.
"""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.digest import DigestTree, leaf_of
from snowcast.core.member import Member, State
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.view import BULK, View
from support.effort import THOROUGH
from support.lone import record, records
from support.rings import member, orders

NEWS = st.builds(
    record,
    st.integers(0, 5),
    st.sampled_from(State),
    st.integers(0, 2),
    st.integers(1, 2),
)


def naive(news: list[Member]) -> dict[Address, Member]:
    """What is known after all of it."""
    known: dict[Address, Member] = {}
    for item in news:
        old = known.get(item.address)
        if old is None or (item.incarnation, item.state) > (old.incarnation, old.state):
            known[item.address] = item
    return known


def told(packets: list[list[Member]], order: RingOrder = RingOrder.ADDRESS) -> View:
    """A view that has learned the packets one after the other."""
    view = View(order)
    for at_us, packet in enumerate(packets):
        view.merge(packet, at_us)
    return view


def assert_consistent(view: View) -> None:
    """All that the view keeps beside its members follows from them."""
    members = view.members()
    assert [m.address for m in members] == list(view.ring)
    assert all(m.is_present for m in members)
    assert not any(m.is_present for m in view.tombstones())
    fresh = DigestTree()
    for m in members:
        fresh.toggle(m)
    assert view.digest == fresh.root
    assert view.digests.branches() == fresh.branches()
    for m in members + view.tombstones():
        assert m in view.in_leaves(frozenset({leaf_of(m.address)}))
        assert view.get(m.address) == m
    assert view.in_leaves(frozenset()) == []


@THOROUGH
@given(st.lists(st.lists(NEWS, max_size=4), max_size=8), orders())
def test_a_view_knows_what_the_naive_twin_does(
    packets: list[list[Member]], order: RingOrder
) -> None:
    view = told(packets, order)
    known = naive([item for packet in packets for item in packet])
    here = [item for item in known.values() if item.is_present]
    assert set(view.members()) == set(here)
    assert list(view.ring) == list(Ring([item.address for item in here], order))
    assert set(view.tombstones()) == set(known.values()) - set(here)
    assert_consistent(view)


@given(st.lists(NEWS, max_size=5))
def test_the_order_of_news_does_not_matter(news: list[Member]) -> None:
    views = [told([[item] for item in order]) for order in permutations(news)]
    first = views[0]
    for view in views:
        assert view.members() == first.members()
        assert set(view.tombstones()) == set(first.tombstones())
        assert view.digest == first.digest


@given(st.lists(NEWS, max_size=12), st.integers(0, 12))
def test_news_may_come_in_one_packet_or_in_many(news: list[Member], cut: int) -> None:
    at_once, in_two = told([news]), told([news[:cut], news[cut:]])
    assert at_once.members() == in_two.members()
    assert set(at_once.tombstones()) == set(in_two.tombstones())


@given(st.lists(NEWS, max_size=12))
def test_changes_lead_from_what_was_known_to_what_is(news: list[Member]) -> None:
    view = told([[record(i) for i in range(3)]])
    known = {m.address: m for m in view.members()}
    for change in view.merge(news, 1):
        assert known.get(change.new.address) == change.old
        known[change.new.address] = change.new
    assert set(known.values()) == set(view.members() + view.tombstones())


@given(st.sets(st.integers(0, 200), min_size=BULK), st.sets(st.integers(0, 200)), orders())
def test_many_arrivals_at_once_are_as_good_as_one_by_one(
    many: set[int], before: set[int], order: RingOrder
) -> None:
    in_bulk = told([list(records(before)), list(records(many))], order)
    one_by_one = told([[item] for item in records([*before, *many])], order)
    assert in_bulk.members() == one_by_one.members()
    assert in_bulk.digest == one_by_one.digest
    assert_consistent(in_bulk)


def test_many_at_once_may_hold_one_twice() -> None:
    twice = [*records(range(BULK)), record(3, State.LEFT), record(4, refutations=1)]
    view = told([twice])
    assert view.get(member(3)) == record(3, State.LEFT)
    assert view.get(member(4)) == record(4, refutations=1)
    assert_consistent(view)
