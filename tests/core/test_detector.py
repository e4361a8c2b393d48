"""Who is probed when, and what a probe consists of.

Paper, Silent Leave; SWIM with Lifeguard (DESIGN 6). All of it seen from node 0.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.config import MS, SECOND
from snowcast.core.effects import CancelTimer, Send, SetTimer
from snowcast.core.frames import Nack, Ping, PingRequest, Pong
from snowcast.core.member import State
from snowcast.core.timers import PongTimer, ProbeEndTimer, ProbeTimer, RelayTimer
from support.lone import datagram, record, send, sends
from support.rings import member, number
from support.watch import Watch


def pong(sequence: int) -> Pong:
    return Pong(sequence, 0, 0)


def targets(watch: Watch, periods: int) -> list[int]:
    """Whom it probes, one a period, each answering at once."""
    probed = []
    for period in range(periods):
        [(target, ping)] = sends(watch.fire(ProbeTimer(), period * SECOND))
        probed.append(target)
        watch.receive(target, pong(ping.sequence))
    return probed


@given(st.integers(0, 1000))
def test_probing_begins_at_some_moment_of_the_first_period(seed: int) -> None:
    watch = Watch(4, seed)
    watch.detector.start(7)
    [timer] = watch.context.outbox.take()
    assert isinstance(timer, SetTimer)
    assert timer.key == ProbeTimer()
    assert 7 <= timer.at_us < 7 + SECOND


def test_a_probe_is_a_ping_that_is_given_a_while() -> None:
    watch = Watch(2)
    assert watch.fire(ProbeTimer(), 100) == [
        SetTimer(ProbeTimer(), 100 + SECOND),
        datagram(1, Ping(1)),
        SetTimer(PongTimer(1), 100 + 500 * MS),
    ]


@given(st.integers(2, 12), st.integers(0, 20))
def test_a_shuffled_round_covers_all_and_every_third_probe_is_of_the_neighbour(
    n: int, seed: int
) -> None:
    watch = Watch(n, seed)
    probed = targets(watch, 3 * (n - 1) + 2)
    assert set(probed[2::3]) == {1}, "the right neighbour"
    others = [target for turn, target in enumerate(probed) if turn % 3 != 2]
    for first in range(0, len(others) - n + 2, n - 1):
        assert sorted(others[first : first + n - 1]) == list(range(1, n))


def test_rounds_are_shuffled() -> None:
    rounds = {tuple(targets(Watch(9, seed, neighbour_probe_every=100), 8)) for seed in range(9)}
    assert len(rounds) == 9


def test_how_often_the_neighbour_is_probed_can_be_chosen() -> None:
    assert targets(Watch(6, neighbour_probe_every=1), 5) == [1] * 5


def test_nobody_is_probed_where_nobody_is() -> None:
    assert Watch(1).fire(ProbeTimer(), 0) == [SetTimer(ProbeTimer(), SECOND)]


def test_who_departs_has_no_turn_and_who_arrives_has_one_in_the_next_round() -> None:
    watch = Watch(6, neighbour_probe_every=100)
    first = targets(watch, 2)
    gone = next(i for i in range(1, 6) if i not in first)
    watch.learn(record(gone, State.EVICTED), record(9))
    rest = targets(watch, 2)
    assert sorted(first + rest) == [i for i in range(1, 6) if i != gone]
    assert sorted(targets(watch, 5)) == [i for i in (1, 2, 3, 4, 5, 9) if i != gone]


def test_stopping_ends_the_probing_but_not_the_answers() -> None:
    watch = Watch(3)
    watch.detector.stop()
    assert watch.context.outbox.take() == [CancelTimer(ProbeTimer())]
    assert sends(watch.receive(1, Ping(4))) != []


def test_a_pong_ends_a_probe() -> None:
    watch = Watch(4)
    watch.probe(2)
    assert watch.detector.sizes() == {"probes": 1, "relays": 0}
    assert watch.receive(2, pong(1)) == [CancelTimer(PongTimer(1))]
    assert watch.detector.sizes() == {"probes": 0, "relays": 0}
    assert watch.fire(PongTimer(1)) == [], "a timer that fires all the same is too late"
    assert watch.receive(2, pong(1)) == [], "a second pong says nothing new"


def test_a_ping_is_answered_with_the_clock_and_the_digest() -> None:
    watch = Watch(4)
    digest = watch.context.view.digest
    assert watch.receive(3, Ping(9), 77) == [datagram(3, Pong(9, 77, digest))]


def test_without_a_pong_helpers_are_asked_and_a_stream_is_tried() -> None:
    watch = Watch(10)
    watch.probe(2, 100)
    *effects, last = watch.fire(PongTimer(1), 100 + 500 * MS)
    *asked, fallback = effects
    helpers = [to for to, _ in sends(asked)]
    assert asked == [datagram(i, PingRequest(1, member(2))) for i in helpers]
    assert len(set(helpers) - {0, 2}) == 3
    assert fallback == send(2, Ping(1))
    assert last == SetTimer(ProbeEndTimer(1), 100 + SECOND)


@given(st.integers(2, 8), st.integers(0, 30), st.integers(0, 4))
def test_neither_the_target_nor_the_node_itself_is_a_helper(n: int, seed: int, wanted: int) -> None:
    watch = Watch(n, seed, indirect_probes=wanted)
    watch.probe(1)
    asked = sends(watch.fire(PongTimer(1)), PingRequest)
    helpers = [to for to, _ in asked]
    assert len(set(helpers)) == len(helpers) == min(wanted, n - 2)
    assert not {0, 1}.intersection(helpers)


def test_a_pong_that_comes_by_a_helper_or_a_stream_ends_the_probe_too() -> None:
    for n in (9, 2):
        watch = Watch(n)
        watch.probe(1)
        asked = watch.fire(PongTimer(1))
        [sender, *_] = [number(e.to) for e in asked if isinstance(e, Send)]
        assert (sender == 1) is (n == 2), "there is nobody to help"
        effects = watch.receive(sender, pong(1))
        assert effects == [CancelTimer(PongTimer(1)), CancelTimer(ProbeEndTimer(1))]
        assert watch.fire(ProbeEndTimer(1)) == []
        assert watch.announced == []


def test_nobody_is_asked_about_who_has_gone_meanwhile() -> None:
    watch = Watch(6)
    watch.probe(2)
    watch.learn(record(2, State.EVICTED))
    assert sends(watch.fire(PongTimer(1))) == []
    assert watch.detector.sizes()["probes"] == 0


def test_one_probe_of_a_member_at_a_time_is_enough() -> None:
    watch = Watch(4)
    watch.probe(2)
    assert watch.probe(2) == []
    watch.receive(2, pong(1))
    assert sends(watch.probe(2)) == [(2, Ping(2))]


@pytest.mark.parametrize("target", [0, 3, 9])
def test_the_node_itself_and_who_is_gone_or_unknown_are_not_probed(target: int) -> None:
    watch = Watch(4)
    watch.learn(record(3, State.LEFT))
    assert watch.probe(target) == []


def test_a_pong_from_neither_the_target_nor_a_helper_says_nothing() -> None:
    watch = Watch(6)
    watch.probe(2)
    for sender in (1, 3, 4, 5):
        assert watch.receive(sender, Pong(1, 0, 0)) == [], "nobody has been asked to help yet"
    asked = watch.fire(PongTimer(1), 500 * MS)
    helpers = {number(e.to) for e in asked if isinstance(e, Send) and e.is_datagram}
    for sender in {1, 3, 4, 5} - helpers:
        assert watch.receive(sender, Pong(1, 0, 0)) == []
    assert watch.detector.sizes()["probes"] == 1
    watch.receive(min(helpers), Pong(1, 0, 0))
    assert watch.detector.sizes()["probes"] == 0


def test_a_helper_pings_and_passes_the_pong_on_under_the_number_it_was_asked_by() -> None:
    watch = Watch(4)
    assert watch.receive(1, PingRequest(30, member(2), 7), 100) == [
        datagram(2, Ping(1, 7)),
        SetTimer(RelayTimer(1), 100 + 400 * MS),
    ]
    assert watch.receive(3, Pong(1, 5, 6)) == [], "it was not asked"
    assert watch.receive(2, Pong(1, 5, 6)) == [
        CancelTimer(RelayTimer(1)),
        datagram(1, Pong(30, 5, 6)),
    ]
    assert watch.detector.sizes() == {"probes": 0, "relays": 0}
    assert watch.fire(RelayTimer(1)) == []
    assert watch.receive(2, Pong(1, 5, 6)) == []


def test_a_helper_without_an_answer_says_that_it_lives_in_time_for_the_asker() -> None:
    watch = Watch(4)
    watch.receive(1, PingRequest(30, member(2)))
    assert watch.fire(RelayTimer(1)) == [datagram(1, Nack(30))]
    assert watch.detector.sizes() == {"probes": 0, "relays": 0}
    assert watch.receive(2, pong(1)) == [], "too late to be passed on"


def test_a_helper_keeps_requests_apart() -> None:
    watch = Watch(5)
    watch.receive(1, PingRequest(30, member(2)))
    watch.receive(3, PingRequest(30, member(2)))
    assert sends(watch.receive(2, pong(2))) == [(3, pong(30))]
    assert sends(watch.fire(RelayTimer(1))) == [(1, Nack(30))]


def test_a_nack_about_nothing_is_ignored() -> None:
    assert Watch(3).receive(1, Nack(5)) == []
