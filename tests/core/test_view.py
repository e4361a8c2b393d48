"""What a node believes of the membership, however it came to know it.

Paper, State Initialization and Membership Maintenance; DESIGN 4.4 and 6.
"""

from __future__ import annotations

import pytest

from snowcast.core.member import Member, State
from snowcast.core.region import Region
from snowcast.core.ring import RingOrder
from snowcast.core.view import Change, View
from support.lone import record, records
from support.rings import member, number

ALIVE, SUSPECT, EVICTED, LEFT = State


def view(n: int) -> View:
    """A view of members 0 to n-1."""
    known = View()
    known.merge(records(range(n)), 0)
    return known


def present(view: View) -> list[int]:
    return [number(address) for address in view.ring]


def test_a_new_view_is_empty() -> None:
    empty = View(RingOrder.HASHED)
    assert (len(empty), empty.members(), empty.tombstones(), empty.digest) == (0, [], [], 0)
    assert empty.ring.order is RingOrder.HASHED
    assert empty.get(member(0)) is None


def test_members_stand_in_ring_order_however_they_came() -> None:
    known = View()
    assert known.merge(records((4, 1, 3)), 0) == [
        Change(None, record(4)),
        Change(None, record(1)),
        Change(None, record(3)),
    ]
    assert known.members() == [record(1), record(3), record(4)]
    assert [known[i] for i in range(len(known))] == known.members()
    assert known.get(member(3)) == record(3)
    third = record(3)
    assert known.standing(1) == (third.address, third.incarnation, third.state)


@pytest.mark.parametrize(
    ("old", "new", "wins"),
    [
        (record(1), record(1, SUSPECT), True),
        (record(1), record(1, EVICTED), True),
        (record(1), record(1, LEFT), True),
        (record(1, SUSPECT), record(1, EVICTED), True),
        (record(1, EVICTED), record(1, LEFT), True),
        (record(1, SUSPECT), record(1, refutations=1), True),
        (record(1, EVICTED), record(1, refutations=1), True),
        (record(1, LEFT), record(1, life=2), True),
        (record(1), record(1), False),
        (record(1, SUSPECT), record(1), False),
        (record(1, EVICTED), record(1, SUSPECT), False),
        (record(1, LEFT), record(1, EVICTED), False),
        (record(1, refutations=1), record(1, EVICTED), False),
        (record(1, life=2), record(1, LEFT, refutations=9), False),
    ],
)
def test_newer_knowledge_wins_and_older_changes_nothing(
    old: Member, new: Member, wins: bool
) -> None:
    known = View()
    known.merge((old,), 0)
    version = known.version
    assert known.merge((new,), 1) == ([Change(old, new)] if wins else [])
    assert known.get(member(1)) == (new if wins else old)
    assert present(known) == ([1] if (new if wins else old).is_present else [])
    assert wins or known.version == version


@pytest.mark.parametrize(
    ("old", "new", "is_arrival", "is_departure", "is_new_life"),
    [
        (None, record(1), True, False, False),
        (None, record(1, LEFT), False, False, False),
        (record(1), record(1, SUSPECT), False, False, False),
        (record(1, SUSPECT), record(1, refutations=1), False, False, False),
        (record(1), record(1, EVICTED), False, True, False),
        (record(1, EVICTED), record(1, refutations=1), True, False, False),
        (record(1, EVICTED), record(1, LEFT), False, False, False),
        (record(1), record(1, life=2), True, True, True),
        (record(1), record(1, LEFT, life=2), False, True, True),
        (record(1, LEFT), record(1, life=2), True, False, True),
    ],
)
def test_a_restart_is_a_departure_and_an_arrival_and_a_refutation_is_neither(
    old: Member | None, new: Member, is_arrival: bool, is_departure: bool, is_new_life: bool
) -> None:
    change = Change(old, new)
    assert (change.is_arrival, change.is_departure, change.is_new_life) == (
        is_arrival,
        is_departure,
        is_new_life,
    )


def test_who_left_or_was_evicted_is_a_tombstone_until_it_is_forgotten() -> None:
    known = view(4)
    known.merge((record(1, LEFT),), 10)
    known.merge((record(2, EVICTED), record(9, LEFT)), 20)
    assert present(known) == [0, 3]
    assert known.tombstones() == [record(1, LEFT), record(2, EVICTED), record(9, LEFT)]
    assert [known.is_departed(member(i)) for i in (0, 1, 2, 9)] == [False, True, True, True]
    assert known.get(member(1)) == record(1, LEFT)
    assert known.forget_tombstones(20) == [member(1)]
    assert known.forget_tombstones(20) == []
    assert known.tombstones() == [record(2, EVICTED), record(9, LEFT)]
    assert known.get(member(1)) is None


def test_the_age_of_a_tombstone_is_that_of_the_newest_word() -> None:
    known = view(2)
    known.merge((record(0, EVICTED), record(1, EVICTED)), 10)
    known.merge((record(0, LEFT),), 20)
    assert known.tombstones() == [record(1, EVICTED), record(0, LEFT)]
    assert known.forget_tombstones(15) == [member(1)]


def test_who_comes_back_is_no_tombstone_any_more() -> None:
    known = view(3)
    known.merge((record(1, EVICTED),), 0)
    known.merge((record(1, refutations=1),), 0)
    assert (present(known), known.tombstones()) == ([0, 1, 2], [])


def test_the_newest_of_several_records_in_one_go_stands() -> None:
    known = View()
    changes = known.merge((record(1), record(1, LEFT), record(1, SUSPECT)), 0)
    assert (present(known), known.get(member(1))) == ([], record(1, LEFT))
    assert changes == [Change(None, record(1, LEFT))]
    changes = known.merge((record(1, life=2), record(1, life=3)), 0)
    assert changes == [Change(record(1, LEFT), record(1, life=3))]
    assert known.members() == [record(1, life=3)]


def test_one_go_can_evict_a_member_and_bring_it_back() -> None:
    known = view(3)
    known.merge((record(1, EVICTED), record(1, refutations=1)), 0)
    assert known.members() == [record(0), record(1, refutations=1), record(2)]
    assert known.tombstones() == []


def test_the_version_changes_with_whatever_could_change_a_plan() -> None:
    known = view(3)
    versions = [known.version]

    def grew(*news: Member) -> bool:
        known.merge(news, 0)
        versions.append(known.version)
        return versions[-1] > versions[-2]

    assert grew(record(5))
    assert grew(record(5, LEFT))
    assert grew(record(7, LEFT)), "an unknown boundary has become a departed one"
    assert not grew(record(1, SUSPECT)), "a suspect is still on the ring"
    assert not grew(record(1, refutations=1))
    assert not grew(record(1)), "old news"
    known.forget_tombstones(1)
    assert known.version > versions[-1]


def test_the_digest_is_of_who_is_present_in_which_incarnation() -> None:
    known = view(3)
    first = known.digest
    known.merge((record(1, SUSPECT),), 0)
    assert known.digest == first, "a suspicion is not a difference of membership"
    known.merge((record(1, refutations=1),), 0)
    second = known.digest
    assert second != first
    known.merge((record(1, LEFT, refutations=1), record(8, EVICTED)), 0)
    assert known.digest == View_of(0, 2).digest
    assert len({first, second, known.digest}) == 3


def View_of(*numbers: int) -> View:
    known = View()
    known.merge(records(numbers), 0)
    return known


def test_unknown_boundaries_and_centres_are_on_the_planning_ring_only() -> None:
    known = view(4)
    region = Region(member(2), member(9))
    assert [number(a) for a in known.planning_ring(region, member(7))] == [0, 1, 2, 3, 7, 9]
    assert present(known) == [0, 1, 2, 3]


def test_departed_boundaries_are_not_on_the_planning_ring_but_a_departed_centre_is() -> None:
    known = view(4)
    known.merge((record(3, LEFT), record(2, EVICTED)), 0)
    region = Region(member(2), member(3))
    assert [number(a) for a in known.planning_ring(region, member(3))] == [0, 1, 3]


def test_where_all_is_known_the_planning_ring_is_the_ring() -> None:
    known = view(4)
    assert known.planning_ring(Region(member(0), member(3)), member(1)) is known.ring
