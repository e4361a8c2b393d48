"""A node's way in: a view from a contact, readiness, an announcement; DESIGN 6.

Node 9 joins through the seeds it was given; it shuffles them first.
"""

from __future__ import annotations

from random import Random

import pytest

from snowcast.core.address import Address
from snowcast.core.config import SECOND, Config
from snowcast.core.context import Context
from snowcast.core.effects import CancelTimer, Effect, Joined, MemberChanged, SetTimer
from snowcast.core.frames import JoinReady, JoinRequest, ViewPart
from snowcast.core.joining import Joiner
from snowcast.core.member import Member, State
from snowcast.core.membership import Membership
from snowcast.core.timers import JoinTimer
from support.lone import record, records, send, sends
from support.rings import member

TIMER = JoinTimer()


class Outside:
    """Node 9, which wants in."""

    def __init__(self, *seeds: int, seed: int = 1) -> None:
        self.context = Context(member(9), Config(), Random(seed))
        self.membership = Membership(self.context, record(9))
        self.joiner = Joiner(self.context, self.membership)
        self.joiner.start(tuple(map(member, seeds)), 0)
        self.begun = self.context.outbox.take()

    def retry(self, now_us: int = 0) -> list[Effect]:
        self.joiner.try_next(now_us)
        return self.context.outbox.take()

    def view_part(
        self, sender: int, *news: Member, is_last: bool = True, now_us: int = 0
    ) -> list[Effect]:
        self.joiner.on_view_part(member(sender), ViewPart(news, is_last), now_us)
        return self.context.outbox.take()

    def unreachable(self, peer: int, now_us: int = 0) -> list[Effect]:
        self.joiner.on_unreachable(member(peer), now_us)
        return self.context.outbox.take()

    def announced(self) -> list[Effect]:
        self.joiner.on_announced()
        return self.context.outbox.take()

    @property
    def ring(self) -> list[Address]:
        return list(self.context.view.ring)


def asked(effects: list[Effect]) -> list[int]:
    """Whom it asks to be let in."""
    return [to for to, _ in sends(effects, JoinRequest)]


def test_it_asks_a_seed_and_gives_it_a_while() -> None:
    node = Outside(4)
    request = send(4, JoinRequest(record(9)))
    assert node.begun == [request, SetTimer(TIMER, 5 * SECOND)]
    assert node.joiner.is_joining


@pytest.mark.parametrize("seeds", [(), (9,)])
def test_without_seeds_but_itself_it_is_a_cluster_of_one(seeds: tuple[int, ...]) -> None:
    node = Outside(*seeds)
    assert node.begun == []
    assert not node.joiner.is_joining
    assert node.retry() == []


def test_the_seeds_are_asked_in_turn_for_ever_in_an_order_of_its_own() -> None:
    node = Outside(1, 2, 3, 9)
    order = asked(node.begun) + asked(node.retry()) + asked(node.retry())
    assert sorted(order) == [1, 2, 3]
    assert [asked(node.retry())[0] for _ in range(3)] == order
    first = {asked(Outside(1, 2, 3, seed=seed).begun)[0] for seed in range(20)}
    assert first == {1, 2, 3}, "not all joiners should knock at one door"


def test_with_the_view_it_can_forward_and_says_that_it_is_ready() -> None:
    node = Outside(4)
    effects = node.view_part(4, record(4), record(5, State.LEFT), record(9))
    assert effects == [
        MemberChanged(None, record(4)),
        MemberChanged(None, record(5, State.LEFT)),
        send(4, JoinReady(record(9).incarnation)),
    ]
    assert node.ring == [member(4), member(9)]
    assert node.joiner.is_joining, "it has not been announced yet"


def test_a_view_in_parts_is_taken_in_when_it_is_whole() -> None:
    node = Outside(4)
    assert node.view_part(4, record(4), record(5), is_last=False) == []
    assert node.ring == [member(9)], "half a view must not be held: someone would be missed"
    effects = node.view_part(4, record(6))
    assert sends(effects) == [(4, JoinReady(record(9).incarnation))]
    assert node.ring == [*map(member, (4, 5, 6, 9))]


def test_parts_of_another_node_are_not_mixed_in() -> None:
    node = Outside(4)
    assert node.view_part(5, record(5)) == []
    node.view_part(4, record(4))
    assert node.ring == [member(4), member(9)]


def test_a_second_try_starts_from_an_empty_view() -> None:
    node = Outside(4)
    node.view_part(4, record(5), is_last=False)
    node.retry()
    node.view_part(4, record(6))
    assert node.ring == [member(6), member(9)]


def test_once_announced_it_has_joined() -> None:
    node = Outside(4, 5)
    node.view_part(4, record(4))
    assert node.announced() == [CancelTimer(TIMER), Joined()]
    assert not node.joiner.is_joining
    assert node.announced() == [], "it joins once"
    assert (node.retry(), node.view_part(4, record(7))) == ([], [])


def test_a_contact_that_cannot_be_reached_is_not_waited_for_that_long() -> None:
    node = Outside(4)
    assert node.unreachable(4, 100) == [SetTimer(TIMER, 100 + SECOND)]
    assert node.unreachable(4, 200) == [], "once is enough"
    assert asked(node.retry()) == [4]


def test_others_that_cannot_be_reached_do_not_matter() -> None:
    node = Outside(4)
    assert node.unreachable(5) == []
    node.announced()
    assert node.unreachable(4) == []


def test_a_restarted_node_is_ready_in_the_life_that_it_needs_to_outlive_the_last() -> None:
    node = Outside(4)
    effects = node.view_part(4, *records((4,)), record(9, State.EVICTED, refutations=3))
    assert sends(effects) == [(4, JoinReady(record(9, life=2).incarnation))]
