"""A member and which of two entries about one address is newer knowledge."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.member import REFUTATION_BITS, Member, State, first_incarnation
from support.frames import members
from support.rings import member

ADDRESS = member(1)


def entry(incarnation: int, state: State = State.ALIVE) -> Member:
    return Member(ADDRESS, incarnation, state)


def entries() -> st.SearchStrategy[Member]:
    """Entries about one address, close enough together to meet."""
    return st.builds(entry, st.integers(0, 3), st.sampled_from(State))


def test_a_later_incarnation_supersedes_any_state_of_an_earlier_one() -> None:
    for state in State:
        assert entry(2).supersedes(entry(1, state))
        assert not entry(1, state).supersedes(entry(2))


def test_of_one_incarnation_the_graver_state_is_the_newer() -> None:
    ladder = [entry(1, state) for state in (State.ALIVE, State.SUSPECT, State.EVICTED, State.LEFT)]
    assert sorted(ladder, key=lambda member: member.state) == ladder
    for older, newer in pairwise(ladder):
        assert newer.supersedes(older)
        assert not older.supersedes(newer)


@given(entries(), entries())
def test_of_two_different_entries_exactly_one_is_newer(one: Member, two: Member) -> None:
    assert one.supersedes(two) + two.supersedes(one) == (one != two)


@given(entries(), entries(), entries())
def test_newer_than_newer_is_newer(one: Member, two: Member, three: Member) -> None:
    if one.supersedes(two) and two.supersedes(three):
        assert one.supersedes(three)


@given(st.lists(entries(), min_size=1, max_size=4))
def test_nodes_that_hear_the_same_news_in_any_order_agree(news: list[Member]) -> None:
    outcomes = set()
    for order in permutations(news):
        held = order[0]
        for heard in order[1:]:
            held = heard if heard.supersedes(held) else held
        outcomes.add((held.incarnation, held.state))
    assert len(outcomes) == 1


@given(st.integers(0, 2**40), st.integers(0, 2**REFUTATION_BITS - 1))
def test_a_refutation_stays_within_its_life(life: int, refutations: int) -> None:
    assert entry(first_incarnation(life) + refutations).life == life


@given(st.integers(0, 2**40), st.integers(0, 2**REFUTATION_BITS - 1), st.sampled_from(State))
def test_a_restart_supersedes_all_that_was_said_of_the_life_before(
    life: int, refutations: int, state: State
) -> None:
    before = entry(first_incarnation(life) + refutations, state)
    assert entry(first_incarnation(life + 1)).supersedes(before)


@pytest.mark.parametrize(
    ("state", "is_present"),
    [
        (State.ALIVE, True),
        (State.SUSPECT, True),
        (State.EVICTED, False),
        (State.LEFT, False),
    ],
)
def test_only_alive_and_suspect_members_are_on_the_ring(state: State, is_present: bool) -> None:
    assert entry(1, state).is_present is is_present


@given(members())
def test_people_see_a_name_or_else_an_address(member: Member) -> None:
    assert member.label == (member.name or str(member.address))


def test_a_new_entry_is_alive_and_has_no_name_and_no_tags() -> None:
    assert Member(ADDRESS, 1) == Member(ADDRESS, 1, State.ALIVE, "", ())
