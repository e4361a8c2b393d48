"""What a failed probe means: somebody is silent, or this node is unwell, or a rumour is true."""

from __future__ import annotations

import msgspec
import pytest

from snowcast.core.config import MS, SECOND
from snowcast.core.effects import CancelTimer, MemberChanged, Send, SetTimer
from snowcast.core.frames import Nack, Ping, PingRequest, Pong, Records
from snowcast.core.member import State
from snowcast.core.timers import PongTimer, ProbeEndTimer, ProbeTimer
from support.lone import datagram, record, send, sends
from support.rings import member, number
from support.watch import Watch

SUSPECT, EVICTED = State.SUSPECT, State.EVICTED


def failed(watch: Watch, target: int, nacks: int = 0, sequence: int = 1) -> list[object]:
    """Probe a member in vain; so many helpers say that they had no answer either."""
    watch.probe(target)
    asked = sends(watch.fire(PongTimer(sequence)), PingRequest)
    for helper, request in asked[:nacks]:
        watch.receive(helper, Nack(request.sequence))
    return [*watch.fire(ProbeEndTimer(sequence), SECOND)]


def test_who_answers_neither_this_node_nor_its_helpers_is_suspect() -> None:
    watch = Watch(6)
    effects = failed(watch, 2, nacks=3)
    assert MemberChanged(record(2), record(2, SUSPECT)) in effects
    assert watch.announced == [record(2, SUSPECT)]
    assert watch.detector.sizes()["probes"] == 0


@pytest.mark.parametrize(("n", "nacks", "score"), [(6, 3, 0), (6, 2, 1), (6, 0, 3), (2, 0, 1)])
def test_missing_nacks_say_that_it_is_this_node_that_is_unwell(
    n: int, nacks: int, score: int
) -> None:
    watch = Watch(n)
    failed(watch, 1, nacks)
    assert watch.score == score


def test_a_nack_counts_from_a_helper_only_and_once() -> None:
    watch = Watch(9)
    watch.probe(1)
    asked = [helper for helper, _ in sends(watch.fire(PongTimer(1)), PingRequest)]
    for sender in (*range(2, 9), asked[0]):
        if sender == asked[0] or sender not in asked:
            watch.receive(sender, Nack(1))
    watch.fire(ProbeEndTimer(1), SECOND)
    assert watch.score == 2, "two of three helpers were silent"


def test_an_answer_makes_this_node_better_and_a_worse_one_waits_longer() -> None:
    watch = Watch(6)
    failed(watch, 1, nacks=1)
    assert watch.score == 2
    again, ping, timeout = watch.fire(ProbeTimer(), 0)
    assert isinstance(ping, Send)
    assert again == SetTimer(ProbeTimer(), 3 * SECOND)
    assert timeout == SetTimer(PongTimer(2), 3 * 500 * MS)
    watch.receive(number(ping.to), Pong(2, 0, 0))
    assert watch.score == 1
    assert watch.fire(ProbeTimer(), 0)[0] == SetTimer(ProbeTimer(), 2 * SECOND)


def test_a_probe_of_an_unwell_node_ends_later_too() -> None:
    watch = Watch(6)
    failed(watch, 1, nacks=2)
    watch.probe(2)
    assert watch.fire(PongTimer(2), SECOND)[-1] == SetTimer(ProbeEndTimer(2), 2 * SECOND)


def test_without_lifeguard_health_stays_out_of_it() -> None:
    watch = Watch(6, lifeguard=False)
    failed(watch, 1)
    assert watch.score == 0
    assert watch.announced == [record(1, SUSPECT)]


def test_a_suspect_is_told_so_that_it_can_refute_and_by_a_stream() -> None:
    watch = Watch(6)
    watch.learn(record(2, SUSPECT))
    accused = record(2).incarnation
    assert watch.probe(2)[0] == send(2, Ping(1, accused))
    effects = watch.fire(PongTimer(1))
    assert {frame for _, frame in sends(effects, PingRequest)} == {
        PingRequest(1, member(2), accused)
    }
    assert sends(effects, Ping) == [(2, Ping(1, accused))]


def test_without_lifeguard_a_suspect_is_pinged_like_anybody() -> None:
    watch = Watch(6, lifeguard=False)
    watch.learn(record(2, SUSPECT))
    assert watch.probe(2)[0] == datagram(2, Ping(1))


def test_an_accused_node_refutes_and_tells_the_accuser_by_a_stream() -> None:
    watch = Watch(4)
    digest = watch.context.view.digest
    assert watch.receive(3, Ping(9, record(0).incarnation), 77) == [
        send(3, Pong(9, 77, digest)),
        send(3, Records((record(0, refutations=1),))),
    ]
    assert watch.score == 1, "to be suspected is a sign of being slow"


def test_an_accusation_of_the_past_is_answered_but_not_refuted_again() -> None:
    watch = Watch(4)
    watch.receive(3, Ping(9, record(0).incarnation))
    again = watch.receive(2, Ping(4, record(0).incarnation))
    assert sends(again, Records) == [(2, Records((record(0, refutations=1),)))]
    assert watch.score == 1


def test_a_leaver_does_not_refute() -> None:
    watch = Watch(4)
    watch.membership.leave(0)
    effects = watch.receive(3, Ping(9, record(0).incarnation))
    assert sends(effects, Records) == [(3, Records((record(0, State.LEFT),)))]
    assert watch.score == 0


def test_who_has_refuted_while_it_was_probed_is_not_accused() -> None:
    watch = Watch(6)
    watch.probe(2)
    watch.fire(PongTimer(1))
    watch.learn(record(2, refutations=1))
    watch.fire(ProbeEndTimer(1), SECOND)
    assert watch.announced == []


@pytest.mark.parametrize("state", [State.LEFT, EVICTED])
def test_who_has_gone_while_it_was_probed_is_not_accused(state: State) -> None:
    watch = Watch(6)
    watch.probe(2)
    watch.fire(PongTimer(1))
    watch.learn(record(2, state))
    watch.fire(ProbeEndTimer(1), SECOND)
    assert watch.announced == []
    assert watch.context.view.get(member(2)) == record(2, state)


def test_an_eviction_by_hearsay_is_checked_with_the_evicted_itself() -> None:
    watch = Watch(6)
    accused = record(2).incarnation
    assert watch.check(record(2, EVICTED), 50)[0] == send(2, Ping(1, accused))
    watch.receive(2, Pong(1, 0, 0))
    watch.receive(2, Records((record(2, refutations=1),)))
    assert watch.context.view.get(member(2)) == record(2, refutations=1)
    assert watch.announced == [record(2, refutations=1)], "to this node alone was it said"


def test_a_check_waits_for_the_refutation_even_if_a_helper_brings_the_pong_first() -> None:
    watch = Watch(6)
    watch.check(record(2, EVICTED))
    watch.fire(PongTimer(1), 500 * MS)
    assert watch.receive(4, Pong(1, 0, 0)) == []
    watch.receive(2, Records((record(2, refutations=1),)))
    assert watch.announced == [record(2, refutations=1)]


def test_a_check_that_was_answered_asks_no_helpers_and_ends_in_its_time() -> None:
    watch = Watch(6)
    watch.receive(1, Ping(9, record(0).incarnation))  # this node is not well: its score is 1
    watch.check(record(2, EVICTED))
    answered = watch.receive(2, Pong(1, 0, 0))
    assert answered == [CancelTimer(PongTimer(1)), SetTimer(ProbeEndTimer(1), 2 * SECOND)]
    assert watch.receive(2, Pong(1, 0, 0)) == []
    assert watch.score == 0, "one answer makes one better"
    ended = watch.fire(ProbeEndTimer(1), 2 * SECOND)
    assert ended == [CancelTimer(PongTimer(1)), CancelTimer(ProbeEndTimer(1))]
    assert watch.context.view.get(member(2)) == record(2), "it lives, whatever it is called"
    assert watch.detector.sizes() == {"probes": 0, "relays": 0}


@pytest.mark.parametrize("is_alive", [False, True])
def test_a_check_is_forgotten_when_it_ends(is_alive: bool) -> None:
    watch = Watch(6)
    watch.check(record(2, EVICTED))
    if is_alive:
        watch.receive(2, Pong(1, 0, 0))
    watch.fire(PongTimer(1))
    watch.fire(ProbeEndTimer(1), SECOND)
    watch.receive(2, Records((record(2, refutations=1),)), 2 * SECOND)
    assert watch.announced == [], "this node has accused nobody any more"


def test_who_is_merely_probed_has_not_been_accused() -> None:
    watch = Watch(6)
    watch.probe(2)
    watch.receive(2, Records((record(2, refutations=1),)))
    assert watch.announced == []


@pytest.mark.parametrize("refutations", [0, 3])
def test_an_eviction_by_hearsay_that_is_true_is_applied_in_silence(refutations: int) -> None:
    watch = Watch(6)
    rumour = record(2, EVICTED, refutations)
    watch.check(rumour)
    watch.fire(PongTimer(1))
    effects = watch.fire(ProbeEndTimer(1), SECOND)
    assert MemberChanged(record(2), rumour) in effects
    assert watch.announced == [], "others know it, or hear it as this node did"


def test_hearsay_about_who_has_outlived_it_meanwhile_is_dropped() -> None:
    watch = Watch(6)
    watch.check(record(2, EVICTED))
    watch.fire(PongTimer(1))
    watch.learn(record(2, refutations=1))
    watch.fire(ProbeEndTimer(1), SECOND)
    assert watch.context.view.get(member(2)) == record(2, refutations=1)


def test_hearsay_keeps_what_is_known_of_the_member() -> None:
    watch = Watch(2)
    named = msgspec.structs.replace(record(5), name="five")
    watch.learn(named)
    watch.check(record(5, EVICTED))
    watch.fire(PongTimer(1))
    watch.fire(ProbeEndTimer(1))
    [buried] = watch.context.view.tombstones()
    assert buried == msgspec.structs.replace(named, state=EVICTED)


def test_a_failed_probe_cancels_its_timers() -> None:
    effects = failed(Watch(6), 2, nacks=3)
    assert effects[:2] == [CancelTimer(PongTimer(1)), CancelTimer(ProbeEndTimer(1))]
