"""The Plumtree of the Snow paper's own comparison: its links, its seconds, and what they cost."""

from __future__ import annotations

from snowcast.baselines.plumtree_paper import LAZY_US, MISSING_US, TREES_MAX, PlumtreePaper
from snowcast.core.config import SECOND
from snowcast.core.effects import SetTimer
from snowcast.core.frames import Data, Graft, IHave, Offer, Prune
from snowcast.core.member import State
from snowcast.core.timers import LazyTimer, MissingTimer
from support.lone import message, send, sends
from support.rings import member, number
from support.spreaders import Alone, Everybody, between, copy

ORIGIN = 25
ID = message(ORIGIN)
WAIT, OFFER = MissingTimer(ID), LazyTimer()


class Peer(Alone[PlumtreePaper]):
    """Node 0 of thirty."""

    def __init__(self, n: int = 30) -> None:
        super().__init__(PlumtreePaper, 0, n)

    def eager(self, origin: int = ORIGIN) -> list[int]:
        return [number(peer) for peer in self.algorithm.eager(member(origin))]


def test_the_papers_times_are_one_second_and_six() -> None:
    assert (LAZY_US, MISSING_US) == (1 * SECOND, 6 * SECOND)


def test_a_node_draws_k_members_when_it_first_forwards_for_an_origin_and_keeps_them() -> None:
    peer = Peer()
    assert peer.eager() == []
    first = [to for to, _ in sends(peer.receive(1, copy(ORIGIN)), Data)]
    drawn = peer.eager()
    assert len(set(drawn)) == 4
    assert first == [to for to in drawn if to != 1]
    again = [to for to, _ in sends(peer.receive(1, copy(ORIGIN, sequence=2)), Data)]
    assert again == first


def test_each_origin_has_a_tree_of_its_own() -> None:
    peer = Peer()
    peer.receive(1, copy(ORIGIN))
    peer.receive(1, copy(7))
    assert peer.eager(ORIGIN) != peer.eager(7)
    peer.receive(peer.eager(7)[0], Prune((member(7),)))
    assert len(peer.eager(7)) == 3
    assert len(peer.eager(ORIGIN)) == 4


def test_links_are_directed_a_prune_ends_one_direction_and_makes_no_other() -> None:
    peer = Peer()
    peer.receive(1, copy(ORIGIN))
    pushed = peer.eager()
    assert peer.receive(pushed[0], Prune((member(ORIGIN),))) == []
    assert peer.eager() == pushed[1:]
    stranger = next(i for i in range(1, 30) if i not in pushed)
    assert peer.receive(stranger, copy(ORIGIN)) == [send(stranger, Prune((member(ORIGIN),)))]
    assert peer.eager() == pushed[1:]


def test_the_origins_own_links_are_never_pruned() -> None:
    peer = Peer()
    peer.receive(1, copy(ORIGIN))
    assert peer.receive(ORIGIN, copy(ORIGIN)) == []


def test_a_message_is_offered_after_a_second_to_members_that_get_none_pushed() -> None:
    peer = Peer()
    effects = peer.receive(1, copy(ORIGIN, hop=2), 500)
    assert SetTimer(OFFER, 500 + LAZY_US) in effects
    offers = sends(peer.fire(OFFER, 500 + LAZY_US))
    assert 1 <= len(offers) <= 4
    assert {frame for _, frame in offers} == {IHave((Offer(ID, 3),))}
    assert not {to for to, _ in offers} & set(peer.eager())


def test_offers_are_made_each_in_its_own_time_and_to_members_of_its_own() -> None:
    peer = Peer(n=900)
    peer.receive(1, copy(ORIGIN), 0)
    peer.receive(1, copy(ORIGIN, sequence=2), 300)
    first = peer.fire(OFFER, LAZY_US)
    assert SetTimer(OFFER, 300 + LAZY_US) in first
    second = peer.fire(OFFER, 300 + LAZY_US)
    one, other = ({to for to, _ in sends(effects)} for effects in (first, second))
    assert len(one) == len(other) == 4
    assert one != other


def test_what_is_missing_is_asked_for_after_six_seconds_and_given() -> None:
    peer = Peer()
    offer = IHave((Offer(ID, 3),))
    assert peer.receive(9, offer, 100) == [SetTimer(WAIT, 100 + MISSING_US)]
    assert sends(peer.fire(WAIT, 100 + MISSING_US)) == [(9, Graft((ID,)))]
    holder = Peer()
    holder.receive(1, copy(ORIGIN, hop=2))
    assert sends(holder.receive(9, Graft((ID,)))) == [(9, copy(ORIGIN, hop=3))]
    assert 9 in holder.eager()


def test_nobody_takes_the_place_of_a_child_that_goes() -> None:
    peer = Peer()
    peer.receive(1, copy(ORIGIN))
    gone, *stay = peer.eager()
    peer.depart(gone, State.EVICTED)
    assert peer.eager() == stay


def test_trees_of_origins_long_past_are_forgotten() -> None:
    peer = Peer(n=6)
    for origin in range(100, 100 + TREES_MAX + 1):
        peer.receive(1, copy(origin))
    assert peer.eager(100) == []
    assert peer.eager(101) != []
    peer.depart(1)  # and an origin that has left has none
    peer.receive(2, copy(3))
    peer.depart(3)
    assert peer.eager(3) == []


def test_all_that_is_remembered_is_let_go_of() -> None:
    peer = Peer()
    peer.receive(1, copy(ORIGIN))
    peer.receive(9, IHave((Offer(message(5), 1),)))
    assert peer.algorithm.sizes() == {"seen": 1, "kept": 1, "missing": 1, "offers": 1}
    peer.fire(OFFER, LAZY_US)
    peer.fire(MissingTimer(message(5)), MISSING_US)
    peer.fire(MissingTimer(message(5)), 2 * MISSING_US)
    peer.algorithm.forget_old(200 * SECOND)
    assert set(peer.algorithm.sizes().values()) == {0}


def test_whoever_the_tree_does_not_reach_has_the_message_seven_seconds_late() -> None:
    everybody = Everybody(PlumtreePaper, 120)
    for _ in range(3):
        everybody.say(for_us=9 * SECOND)  # a node that no link leads to may be missed even so
    everybody.frames.clear()
    # Cut off one node: whoever pushes to it does so no more.
    cut = 40
    address = everybody.cluster.nodes[cut].address
    for algorithm in everybody.algorithms:
        for tree in algorithm._trees.values():
            tree.pop(address, None)
    sent_us = everybody.cluster.now_us
    id = everybody.say(for_us=9 * SECOND)
    [came_us, *_] = [
        at_us
        for at_us, _, to, frame in everybody.frames
        if to == cut and isinstance(frame, Data) and frame.id == id
    ]
    assert cut in everybody.received(id)
    assert 7 * SECOND < came_us - sent_us < 8 * SECOND
    assert any(asker == cut for asker, _ in between(everybody.frames, Graft))


def test_after_warm_up_it_costs_about_one_copy_a_node() -> None:
    everybody = Everybody(PlumtreePaper, 120)
    for _ in range(8):
        everybody.say(for_us=9 * SECOND)
    copies = [everybody.copies[everybody.say(for_us=9 * SECOND)] for _ in range(5)]
    assert max(copies) <= 1.1 * 119


def test_membership_travels_by_it_too() -> None:
    everybody = Everybody(PlumtreePaper, 60)
    cluster = everybody.cluster
    joiner = cluster.join(cluster.nodes[7])
    cluster.run_for(20 * SECOND)
    assert "Ack" not in everybody.sent
    assert everybody.sent["Prune"] > 0
    assert all(joiner.address in node.node.view.ring for node in cluster.nodes[:60])
