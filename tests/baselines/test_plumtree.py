"""Plumtree, line by line as published: Leitao, Pereira, Rodrigues, Epidemic Broadcast Trees (2007).

Algorithm 1 (eager push and lazy push), 2 (tree repair), 3 (neighbours come and go), and the
optimization of section 3.8. What comes of them in a whole cluster is in `test_plumtree_cluster`.
"""

from __future__ import annotations

from snowcast.baselines.plumtree import (
    LAZY_US,
    MISSING_US,
    OPTIMIZE_HOPS,
    RETRY_US,
    Plumtree,
)
from snowcast.core.config import SECOND
from snowcast.core.effects import CancelTimer, SetTimer
from snowcast.core.frames import Data, Graft, IHave, Offer, Prune
from snowcast.core.timers import LazyTimer, MissingTimer
from support.lone import message, send, sends
from support.rings import number
from support.spreaders import Alone, copy

ORIGIN = 77  # somebody far away
ID = message(ORIGIN)
WAIT, OFFER_SOON = MissingTimer(ID), LazyTimer()


class Peer(Alone[Plumtree]):
    """Node 0 of thirty, with six links."""

    def __init__(self) -> None:
        super().__init__(Plumtree, 0, 30)
        self.links = [number(link) for link in self.algorithm.links]

    @property
    def eager(self) -> set[int]:
        return {number(peer) for peer in self.algorithm.eager}

    @property
    def lazy(self) -> set[int]:
        return {number(peer) for peer in self.algorithm.lazy}

    def offered(self, sender: int, hop: int = 2, now_us: int = 0) -> list[object]:
        return list(self.receive(sender, IHave((Offer(ID, hop),)), now_us))


def test_in_the_beginning_all_links_are_eager() -> None:
    peer = Peer()
    assert peer.eager == set(peer.links)
    assert peer.lazy == set()
    assert len(peer.links) == 6


# Algorithm 1: eager push and lazy push


def test_an_origin_pushes_along_all_eager_links() -> None:
    peer = Peer()
    assert sends(peer.start(), Data) == [(link, copy(0)) for link in peer.links]


def test_a_first_copy_is_pushed_on_to_all_eager_links_but_its_sender_which_is_the_parent() -> None:
    peer = Peer()
    parent, *others = peer.links
    peer.receive(parent, Prune())  # the link is lazy at this end
    assert sends(peer.receive(parent, copy(ORIGIN, hop=3))) == [
        (link, copy(ORIGIN, hop=4)) for link in others
    ]
    assert peer.delivered == [ID]
    assert parent in peer.eager


def test_a_duplicate_makes_its_link_lazy_at_both_ends() -> None:
    peer = Peer()
    first, second, *_ = peer.links
    peer.receive(first, copy(ORIGIN))
    assert peer.receive(second, copy(ORIGIN)) == [send(second, Prune())]
    assert peer.lazy == {second}
    assert peer.delivered == [ID]


def test_a_prune_makes_the_link_lazy_at_the_other_end() -> None:
    peer = Peer()
    assert peer.receive(peer.links[2], Prune()) == []
    assert peer.lazy == {peer.links[2]}


def test_along_lazy_links_a_message_is_offered_with_the_hop_its_copy_would_have() -> None:
    peer = Peer()
    lazy = peer.links[1]
    peer.receive(lazy, Prune())
    effects = peer.receive(peer.links[0], copy(ORIGIN, hop=3), 1_000)
    assert lazy not in dict(sends(effects, Data))
    assert SetTimer(OFFER_SOON, 1_000 + LAZY_US) in effects
    assert peer.fire(OFFER_SOON, 1_000 + LAZY_US) == [send(lazy, IHave((Offer(ID, 4),)))]


def test_offers_gather_and_go_out_as_one_frame_for_each_neighbour() -> None:
    peer = Peer()
    lazy = peer.links[1]
    peer.receive(lazy, Prune())
    first = peer.receive(peer.links[0], copy(ORIGIN), 0)
    second = peer.receive(peer.links[0], copy(ORIGIN, sequence=2), 10)
    timers = [effect for effect in [*first, *second] if isinstance(effect, SetTimer)]
    assert timers == [SetTimer(OFFER_SOON, LAZY_US)]
    offers = (Offer(ID, 2), Offer(message(ORIGIN, 2), 2))
    assert peer.fire(OFFER_SOON, LAZY_US) == [send(lazy, IHave(offers))]
    assert peer.fire(OFFER_SOON, 2 * LAZY_US) == []


def test_nothing_is_offered_to_whom_it_came_from() -> None:
    peer = Peer()
    lazy = peer.links[1]
    peer.receive(lazy, Prune())
    peer.receive(lazy, copy(ORIGIN))
    assert peer.fire(OFFER_SOON, LAZY_US) == []


# Algorithm 2: tree repair


def test_an_offer_of_what_is_there_is_nothing_new() -> None:
    peer = Peer()
    peer.receive(peer.links[0], copy(ORIGIN))
    assert peer.offered(peer.links[1]) == []


def test_an_offer_of_what_is_missing_starts_a_timer_and_no_request() -> None:
    peer = Peer()
    assert peer.offered(peer.links[1], now_us=5) == [SetTimer(WAIT, 5 + MISSING_US)]
    assert peer.offered(peer.links[2], now_us=6) == []


def test_when_the_timer_fires_whoever_offered_first_is_grafted_and_then_the_next() -> None:
    peer = Peer()
    first, second = peer.links[1:3]
    for link in (first, second):
        peer.receive(link, Prune())
        peer.offered(link)
    assert peer.fire(WAIT, MISSING_US) == [
        SetTimer(WAIT, MISSING_US + RETRY_US),
        send(first, Graft((ID,))),
    ]
    assert peer.lazy == {second}
    later = MISSING_US + RETRY_US
    assert sends(peer.fire(WAIT, later)) == [(second, Graft((ID,)))]
    assert peer.fire(WAIT, later + RETRY_US) == []
    assert RETRY_US < MISSING_US  # 3.5: the second wait need only cover one round trip


def test_a_message_that_comes_in_time_stops_the_timer() -> None:
    peer = Peer()
    peer.offered(peer.links[1])
    assert CancelTimer(WAIT) in peer.receive(peer.links[0], copy(ORIGIN, hop=2))
    assert peer.fire(WAIT, MISSING_US) == []


def test_a_graft_makes_the_link_eager_and_is_answered_with_the_message() -> None:
    peer = Peer()
    asker = peer.links[3]
    peer.receive(peer.links[0], copy(ORIGIN, hop=4))
    peer.receive(asker, Prune())
    assert peer.receive(asker, Graft((ID,))) == [send(asker, copy(ORIGIN, hop=5))]
    assert asker in peer.eager


def test_a_graft_for_what_is_not_there_makes_the_link_eager_all_the_same() -> None:
    peer = Peer()
    asker = peer.links[3]
    peer.receive(asker, Prune())
    assert peer.receive(asker, Graft((ID,))) == []
    assert peer.receive(asker, Graft(())) == []
    assert asker in peer.eager


def test_what_is_too_old_is_not_given_any_more() -> None:
    peer = Peer()
    peer.receive(peer.links[0], copy(ORIGIN))
    peer.algorithm.forget_old(31 * SECOND)
    assert peer.receive(peer.links[3], Graft((ID,))) == []


# Algorithm 3: neighbours come and go


def test_a_neighbour_that_goes_is_neither_pushed_to_nor_asked() -> None:
    peer = Peer()
    gone, stays = peer.links[:2]
    peer.offered(gone)
    peer.offered(stays)
    peer.depart(gone)
    assert gone not in peer.eager | peer.lazy
    assert sends(peer.fire(WAIT, MISSING_US)) == [(stays, Graft((ID,)))]


def test_a_new_neighbour_is_eager_and_the_others_stay_as_they_are() -> None:
    peer = Peer()
    for link in peer.links:
        peer.receive(link, Prune())
    new = 30
    while not peer.eager:  # most newcomers stand beside others
        peer.arrive(new)
        new += 1
    assert peer.eager == {new - 1}
    assert peer.lazy <= set(peer.links)


def test_whoever_takes_the_place_of_one_that_left_is_eager_again() -> None:
    peer = Peer()
    for link in peer.links:
        peer.receive(link, Prune())
    peer.depart(peer.links[0])
    assert peer.eager == {number(link) for link in peer.algorithm.links} - set(peer.links)
    assert peer.eager


def test_who_believes_in_a_link_that_is_none_here_gets_what_it_asks_for_and_no_more() -> None:
    peer = Peer()
    stranger = next(i for i in range(1, 30) if i not in peer.links)
    peer.receive(peer.links[0], copy(ORIGIN))
    assert sends(peer.receive(stranger, Graft((ID,)))) == [(stranger, copy(ORIGIN, hop=2))]
    assert stranger not in peer.eager | peer.lazy


# Section 3.8: optimization


def test_a_path_that_is_shorter_by_enough_hops_takes_the_place_of_the_one_it_came_by() -> None:
    peer = Peer()
    long, short = peer.links[:2]
    peer.receive(short, Prune())
    peer.offered(short, hop=4)
    effects = peer.receive(long, copy(ORIGIN, hop=4 + OPTIMIZE_HOPS))
    assert send(short, Graft(())) in effects
    assert send(long, Prune()) in effects
    assert short in peer.eager
    assert long in peer.lazy


def test_a_path_that_is_shorter_by_less_is_left_alone() -> None:
    peer = Peer()
    long, short = peer.links[:2]
    peer.receive(short, Prune())
    peer.offered(short, hop=4)
    effects = peer.receive(long, copy(ORIGIN, hop=4 + OPTIMIZE_HOPS - 1))
    assert not any(isinstance(frame, Graft | Prune) for _, frame in sends(effects))
    assert (long in peer.eager, short in peer.lazy) == (True, True)


def test_the_shortest_of_the_paths_offered_is_taken() -> None:
    peer = Peer()
    long, *offering = peer.links[:4]
    for link, hop in zip(offering, (5, 2, 3), strict=True):
        peer.offered(link, hop=hop)
    effects = peer.receive(long, copy(ORIGIN, hop=9))
    assert [to for to, frame in sends(effects) if isinstance(frame, Graft)] == [offering[1]]


# And nothing is kept for ever


def test_all_that_is_remembered_is_let_go_of() -> None:
    peer = Peer()
    peer.receive(peer.links[1], Prune())
    peer.receive(peer.links[0], copy(ORIGIN))
    peer.receive(peer.links[2], IHave((Offer(message(5), 1),)))
    assert peer.algorithm.sizes() == {"seen": 1, "kept": 1, "missing": 1, "offers": 1}
    peer.fire(OFFER_SOON, LAZY_US)
    peer.fire(MissingTimer(message(5)), MISSING_US)
    peer.fire(MissingTimer(message(5)), MISSING_US + RETRY_US)
    peer.algorithm.forget_old(200 * SECOND)
    assert set(peer.algorithm.sizes().values()) == {0}
