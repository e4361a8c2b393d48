"""What a node says of itself, and the one door for knowledge about others; DESIGN 6."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import msgspec
import pytest

from snowcast.core.address import Address
from snowcast.core.codec import decode_members, encode_members
from snowcast.core.config import Config
from snowcast.core.context import Context
from snowcast.core.effects import MemberChanged
from snowcast.core.member import INCARNATION_MAX, Member, State
from snowcast.core.membership import Membership
from snowcast.core.view import Change
from support.lone import record, records
from support.rings import member, number

ALIVE, SUSPECT, EVICTED, LEFT = State


class Door:
    """A membership of node 0, and what it tells those who listen."""

    def __init__(self, n: int = 4) -> None:
        self.context = Context(member(0), Config(), Random(1))
        self.membership = Membership(self.context, record(0))
        self.announced: list[Member] = []
        self.changes: list[tuple[int, list[Change]]] = []
        self.claims: list[tuple[Member, int]] = []
        self.membership.learn(records(range(1, n)), member(1), 0)
        self.context.outbox.take()
        self.membership.announce = lambda news, now_us: self.announced.extend(news)
        self.membership.listeners.append(self._on_changes)
        self.membership.on_suspect = lambda claim, source, now_us: self.claims.append(
            (claim, number(source))
        )

    def _on_changes(self, changes: list[Change], source: Address, now_us: int) -> None:
        self.changes.append((number(source), changes))

    def learn(self, *news: Member, source: int = 1) -> list[Change]:
        return self.membership.learn(news, member(source), 5)

    @property
    def me(self) -> Member:
        return self.membership.me


def me_in_the_view(door: Door) -> Member | None:
    return door.context.view.get(member(0))


def test_a_node_is_a_member_of_its_own_view() -> None:
    assert me_in_the_view(Door()) == record(0)


def test_news_is_noticed_and_listeners_are_told_who_said_so() -> None:
    door = Door()
    changes = door.learn(record(2, SUSPECT), record(9), record(1), source=3)
    assert changes == [Change(record(2), record(2, SUSPECT)), Change(None, record(9))]
    assert door.changes == [(3, changes)]
    assert door.context.outbox.take() == [
        MemberChanged(record(2), record(2, SUSPECT)),
        MemberChanged(None, record(9)),
    ]


def test_old_news_is_nobodys_business() -> None:
    door = Door()
    assert door.learn(record(2), record(3)) == []
    assert (door.changes, door.context.outbox.take()) == ([], [])


def test_each_claim_of_a_suspicion_is_passed_on_whether_news_or_not() -> None:
    door = Door()
    door.learn(record(2, SUSPECT), source=1)
    door.learn(record(2, SUSPECT), source=3)
    assert door.claims == [(record(2, SUSPECT), 1), (record(2, SUSPECT), 3)]


@pytest.mark.parametrize(
    ("claim", "incarnation"),
    [
        (record(0, SUSPECT), record(0, refutations=1)),
        (record(0, EVICTED), record(0, refutations=1)),
    ],
)
def test_a_node_outlives_what_is_said_of_it_and_announces_that(
    claim: Member, incarnation: Member
) -> None:
    door = Door()
    assert door.learn(claim) == []
    assert door.me == incarnation == me_in_the_view(door)
    assert door.announced == [incarnation]
    assert (door.changes, door.claims) == ([], []), "is no news of others"


@pytest.mark.parametrize(
    "claim",
    [
        record(0, LEFT),
        record(0, EVICTED, refutations=4),
        record(0, refutations=4),
        record(0, life=1, refutations=2**16 - 1),
    ],
)
def test_what_only_another_process_can_have_caused_begins_a_later_life(claim: Member) -> None:
    """Of one life there would be the same message ids twice: what comes second is dropped."""
    door = Door()
    door.learn(claim)
    assert door.me == record(0, life=2) == me_in_the_view(door)
    assert door.announced == [record(0, life=2)]


@pytest.mark.parametrize("claim", [record(0, LEFT, life=7), record(0, SUSPECT, life=7)])
def test_a_life_that_was_anothers_is_not_taken_on_but_outlived(claim: Member) -> None:
    door = Door()
    door.learn(claim)
    assert door.me == record(0, life=8)
    assert door.membership.refute(record(0, life=9, refutations=3).incarnation, 0)
    assert door.me == record(0, life=10)


@pytest.mark.parametrize("old", [record(0), record(0, life=0)])
def test_to_be_called_alive_needs_no_answer(old: Member) -> None:
    door = Door()
    door.learn(old)
    assert (door.me, door.announced) == (record(0), [])


def test_what_was_said_of_an_earlier_life_is_answered_but_not_refuted_again() -> None:
    door = Door()
    door.learn(record(0, EVICTED, life=0))
    assert (door.me, door.announced) == (record(0), [record(0)])


def test_a_refutation_keeps_name_and_tags() -> None:
    context = Context(member(0), Config(), Random(1))
    named = msgspec.structs.replace(record(0), name="a", tags=(("rack", "7"),))
    membership = Membership(context, named)
    assert membership.refute(named.incarnation, 0)
    assert membership.me == msgspec.structs.replace(named, incarnation=named.incarnation + 1)


def test_only_what_is_said_of_this_incarnation_or_a_later_one_is_refuted() -> None:
    door = Door()
    assert door.membership.refute(record(0).incarnation, 0)
    assert not door.membership.refute(record(0).incarnation, 0)
    assert door.me == record(0, refutations=1)


def test_a_claim_that_nothing_can_outlive_does_not_make_a_node_say_what_no_frame_holds() -> None:
    door = Door()
    greatest = msgspec.structs.replace(record(0, SUSPECT), incarnation=INCARNATION_MAX)
    door.learn(greatest)
    assert (door.me, door.announced) == (record(0), [record(0)])
    door.learn(msgspec.structs.replace(greatest, incarnation=INCARNATION_MAX - 1))
    assert door.me.incarnation == INCARNATION_MAX
    assert decode_members(encode_members(door.announced)) == tuple(door.announced)


def test_a_leaver_announces_it_and_stays_on_its_own_ring() -> None:
    door = Door()
    door.membership.leave(0)
    assert door.announced == [record(0, LEFT)]
    assert member(0) in door.context.view.ring, "it goes on forwarding"


@pytest.mark.parametrize("claim", [record(0, SUSPECT), record(0, EVICTED), record(0, LEFT)])
def test_a_leaver_does_not_refute(claim: Member) -> None:
    door = Door()
    door.membership.leave(0)
    door.announced.clear()
    door.learn(claim)
    assert not door.membership.refute(claim.incarnation, 0)
    assert (door.me, door.announced) == (record(0, LEFT), [])


def test_the_refutation_of_whom_this_node_has_accused_is_spread() -> None:
    door = Door()
    door.membership.has_accused = {member(2), member(3)}.__contains__
    door.membership.hear((record(2, refutations=1), record(3, SUSPECT)), member(2), 0)
    assert door.announced == [record(2, refutations=1)], "3 did not say so itself"
    door.membership.hear((record(2, refutations=1),), member(2), 0)
    assert door.announced == [record(2, refutations=1)], "is no news the second time"


def test_the_refutation_of_whom_another_has_accused_is_learned_and_left_to_that_one() -> None:
    door = Door()
    door.membership.has_accused = {member(3)}.__contains__
    door.membership.hear((record(2, refutations=1),), member(2), 0)
    assert door.context.view.get(member(2)) == record(2, refutations=1)
    assert door.announced == []


def test_a_refutation_that_all_have_heard_is_not_spread_again() -> None:
    door = Door()
    door.membership.has_accused = {member(2)}.__contains__
    door.learn(record(2, refutations=1), source=2)
    assert door.announced == []


def test_other_tags_are_a_newer_incarnation_that_is_announced() -> None:
    door = Door()
    door.membership.retag((("rack", "7"),), 0)
    tagged = msgspec.structs.replace(record(0, refutations=1), tags=(("rack", "7"),))
    assert door.me == tagged == me_in_the_view(door)
    assert door.announced == [tagged]


def test_a_leaver_has_no_use_for_other_tags() -> None:
    door = Door()
    door.membership.leave(0)
    door.membership.retag((("rack", "7"),), 0)
    assert door.announced == [record(0, LEFT)]
    assert member(0) in door.context.view.ring, "must not take itself off its ring"


def test_an_operator_can_evict_a_member() -> None:
    door = Door()
    door.membership.evict(member(2), 0)
    assert door.announced == [record(2, EVICTED)]
    assert door.context.view.get(member(2)) == record(2, EVICTED)
    assert door.context.outbox.take() == [MemberChanged(record(2), record(2, EVICTED))]


@pytest.mark.parametrize("target", [0, 3, 9])
def test_an_operator_cannot_evict_the_node_itself_nor_who_is_gone_or_unknown(target: int) -> None:
    door = Door()
    door.learn(record(3, LEFT))
    door.context.outbox.take()
    door.membership.evict(member(target), 0)
    assert (door.announced, door.context.outbox.take()) == ([], [])


def test_until_others_listen_nobody_is_told() -> None:
    context = Context(member(0), Config(), Random(1))
    membership = Membership(context, record(0))
    news: Iterable[Member] = (record(1, SUSPECT), record(0, SUSPECT))
    assert len(membership.learn(news, member(1), 0)) == 1
