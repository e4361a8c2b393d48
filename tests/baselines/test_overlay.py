"""The links of Plumtree and flooding: what a partial view must be, out of a full one (decision 51).

Leitao et al. 2007, section 3.2 wants of the peer sampling service that links are symmetric, that
the graph is connected, and that it changes only where membership does.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.baselines.overlay import Overlay
from support.rings import addresses, fanouts, member

Links = dict[int, set[int]]


def links_of(members: set[int], fanout: int) -> Links:
    """Everybody's links, as numbers."""
    found: Links = {}
    numbers = {member(i): i for i in members}
    for i in members:
        overlay = Overlay(member(i), fanout)
        overlay.rebuild(member(other) for other in sorted(members))
        found[i] = {numbers[link] for link in overlay.links}
    return found


def member_sets() -> st.SearchStrategy[set[int]]:
    return st.sets(st.integers(0, 200), min_size=1, max_size=60)


@given(member_sets(), fanouts())
def test_links_are_symmetric_and_never_more_than_two_above_the_fanout(
    members: set[int], fanout: int
) -> None:
    links = links_of(members, fanout)
    for node, peers in links.items():
        assert node not in peers
        assert len(peers) <= min(fanout + 2, 14)
        assert all(node in links[peer] for peer in peers)


@given(member_sets(), fanouts())
def test_links_connect_everybody(members: set[int], fanout: int) -> None:
    links = links_of(members, fanout)
    reached, new = set(), {min(members)}
    while new:
        reached |= new
        new = {peer for node in new for peer in links[node]} - reached
    assert reached == members


@given(st.lists(st.integers(0, 200), max_size=60, unique=True), st.permutations(range(5)))
def test_links_do_not_depend_on_the_order_in_which_members_came(
    members: list[int], order: list[int]
) -> None:
    one, other = Overlay(member(7), 4), Overlay(member(7), 4)
    one.rebuild(map(member, members))
    for start in order:
        for number in members[start::5]:
            other.add(member(number))
    assert set(one.links) == set(other.links)


@given(st.lists(st.integers(0, 200), min_size=1, max_size=40, unique=True))
def test_a_member_that_comes_is_told_to_have_changed_the_links_if_it_has(
    members: list[int],
) -> None:
    overlay = Overlay(member(0), 4)
    for number in members:
        before = list(overlay.links)
        has_changed = overlay.add(member(number))
        assert has_changed or overlay.links == before
        assert set(overlay.links) == set(before) or has_changed
    assert overlay.add(member(members[-1])) is False


@given(member_sets(), st.integers(0, 200))
def test_a_change_of_membership_changes_links_around_it_only(
    members: set[int], joiner: int
) -> None:
    members.discard(joiner)
    if not members:
        return
    before, after = links_of(members, 4), links_of(members | {joiner}, 4)
    for node in members - after[joiner]:
        assert after[node] == before[node]
    for node in after[joiner]:  # what it lost, it lost to the joiner, which stands in between
        assert len(before[node] ^ (after[node] - {joiner})) <= 6


def test_a_node_has_as_many_links_as_hyparview_gives_or_one_more() -> None:
    links = links_of(set(range(500)), 4)
    assert 5.8 <= sum(map(len, links.values())) / 500 <= 6


def test_two_nodes_are_linked_once_and_one_alone_not_at_all() -> None:
    assert links_of({3}, 4) == {3: set()}
    assert links_of({3, 9}, 4) == {3: {9}, 9: {3}}


def test_links_are_the_same_in_every_process() -> None:
    overlay = Overlay(member(0), 4)
    overlay.rebuild(addresses(50))
    again = Overlay(member(0), 4)
    again.rebuild(addresses(50))
    assert overlay.links == again.links
