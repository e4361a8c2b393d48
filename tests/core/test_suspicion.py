"""Suspicions: how long a suspect has, who shortens it, and who evicts.

Lifeguard's suspicion timeouts; DESIGN 6. All of it seen from node 0, about member 2.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.codec import encode_members
from snowcast.core.config import SECOND, Config
from snowcast.core.effects import CancelTimer, MemberChanged, SetTimer
from snowcast.core.frames import Data, Ping, Records
from snowcast.core.member import Member, State
from snowcast.core.suspicion import suspicion_timeout_us
from snowcast.core.timers import SuspicionTimer
from support.cluster import VirtualCluster
from support.lone import record, send, sends
from support.rings import member
from support.watch import Watch

SUSPECT, EVICTED, LEFT = State.SUSPECT, State.EVICTED, State.LEFT
TIMER = SuspicionTimer(member(2))
LONGEST, SHORTEST = 30 * SECOND, 5 * SECOND
ACCUSATION = Ping(0, record(2).incarnation)


def accuse(watch: Watch, *witnesses: int, suspect: int = 2, now_us: int = 0) -> list[object]:
    """Node 0 has probed a member in vain, and so have the witnesses."""
    known = watch.context.view.get(member(suspect))
    assert known is not None
    watch.suspicions.accuse(known, set(map(member, witnesses)), now_us)
    return [*watch.context.outbox.take()]


def timeout_of(effects: list[object]) -> int:
    """When the suspect's time is over."""
    [at_us] = [e.at_us for e in effects if isinstance(e, SetTimer) and e.key == TIMER]
    return at_us


def state_of(watch: Watch) -> Member | None:
    return watch.context.view.get(member(2))


def test_an_accuser_suspects_announces_tells_the_suspect_and_waits() -> None:
    watch = Watch(5)
    assert accuse(watch, now_us=7) == [
        MemberChanged(record(2), record(2, SUSPECT)),
        send(2, ACCUSATION),
        SetTimer(TIMER, 7 + LONGEST),
    ]
    assert watch.announced == [record(2, SUSPECT)]
    assert watch.suspicions.sizes() == {"suspicions": 1}


def test_without_lifeguard_the_suspect_is_not_told_and_has_the_shortest_time() -> None:
    watch = Watch(5, lifeguard=False)
    effects = accuse(watch, 1, 3)
    assert sends(effects) == []
    assert timeout_of(effects) == SHORTEST


@pytest.mark.parametrize(
    ("witnesses", "least", "most"),
    [((), LONGEST, LONGEST), ((1,), SHORTEST, LONGEST), ((1, 3), SHORTEST, SHORTEST)],
)
def test_witnesses_shorten_the_time(witnesses: tuple[int, ...], least: int, most: int) -> None:
    assert least <= timeout_of(accuse(Watch(5), *witnesses)) <= most


def test_neither_the_suspect_nor_the_accuser_is_a_witness() -> None:
    assert timeout_of(accuse(Watch(5), 0, 2)) == LONGEST


def test_confirmations_by_others_shorten_the_time_and_each_counts_once() -> None:
    watch = Watch(6)
    times = [timeout_of(accuse(watch))]
    for source in (1, 1, 3, 4):
        times.append(timeout_of(watch.learn(record(2, SUSPECT), source=source, now_us=SECOND)))
    assert times[0] > times[1] == times[2] > times[3] == times[4] == SHORTEST


def test_a_time_that_is_over_already_is_over_now() -> None:
    watch = Watch(6)
    accuse(watch)
    watch.learn(record(2, SUSPECT), source=1, now_us=20 * SECOND)
    late = watch.learn(record(2, SUSPECT), source=3, now_us=20 * SECOND)
    assert timeout_of(late) == 20 * SECOND


def test_a_second_failed_probe_tells_the_suspect_again_and_announces_nothing() -> None:
    watch = Watch(6)
    accuse(watch)
    effects = accuse(watch, 1, now_us=SECOND)
    assert sends(effects) == [(2, ACCUSATION)]
    assert SHORTEST < timeout_of(effects) < LONGEST
    assert watch.announced == [record(2, SUSPECT)]


def test_who_agrees_with_an_accuser_tells_it_alone() -> None:
    watch = Watch(6)
    watch.learn(record(2, SUSPECT), source=3)
    effects = accuse(watch, 4, now_us=SECOND)
    assert sends(effects) == [(3, Records((record(2, SUSPECT),))), (2, ACCUSATION)]
    assert watch.announced == [], "one death is one announcement"


def test_the_accuser_evicts_announces_and_tells_the_evicted() -> None:
    watch = Watch(5)
    accuse(watch)
    assert watch.fire(TIMER, LONGEST) == [
        MemberChanged(record(2, SUSPECT), record(2, EVICTED)),
        send(2, Records((record(2, EVICTED),))),
    ]
    assert watch.announced == [record(2, SUSPECT), record(2, EVICTED)]
    assert watch.suspicions.sizes() == {"suspicions": 0}


def test_only_who_made_a_suspicion_public_is_its_accuser() -> None:
    watch = Watch(5)
    accuse(watch, suspect=3)
    watch.learn(record(2, SUSPECT), source=4)
    accuse(watch)
    assert [watch.suspicions.is_accuser_of(member(i)) for i in range(5)] == [0, 0, 0, 1, 0]
    watch.learn(record(3, refutations=1), source=3)
    assert not watch.suspicions.is_accuser_of(member(3)), "there is nothing left to refute"


def test_others_give_the_accuser_its_longest_and_as_long_again() -> None:
    watch = Watch(5)
    effects = watch.learn(record(2, SUSPECT), source=3, now_us=7)
    assert timeout_of(effects) == 7 + 2 * LONGEST
    shortened = watch.learn(record(2, SUSPECT), source=4, now_us=SECOND)
    assert timeout_of(shortened) == 7 + 2 * LONGEST, "it is the accuser whom others shorten"


def test_an_orphaned_suspicion_ends_in_a_silent_eviction() -> None:
    watch = Watch(5)
    watch.learn(record(2, SUSPECT), source=3)
    effects = watch.fire(TIMER, 2 * LONGEST)
    assert effects == [MemberChanged(record(2, SUSPECT), record(2, EVICTED))]
    assert watch.announced == [], "all others do the same: nobody needs to be told"


@pytest.mark.parametrize(
    "news",
    [
        record(2, refutations=1),
        record(2, EVICTED),
        record(2, LEFT),
        record(2, life=2),
        record(2, EVICTED, refutations=1),
    ],
)
def test_whatever_settles_a_suspicion_ends_it(news: Member) -> None:
    watch = Watch(5)
    accuse(watch)
    assert CancelTimer(TIMER) in watch.learn(news, source=4)
    assert watch.suspicions.sizes() == {"suspicions": 0}
    assert watch.fire(TIMER, LONGEST) == []
    assert state_of(watch) == news


def test_a_suspicion_of_a_newer_incarnation_is_a_new_one_by_whoever_says_so() -> None:
    watch = Watch(5)
    accuse(watch)
    newer = record(2, SUSPECT, refutations=1)
    effects = watch.learn(newer, source=4, now_us=SECOND)
    assert CancelTimer(TIMER) in effects
    assert timeout_of(effects) == SECOND + 2 * LONGEST, "4 is its accuser"
    watch.fire(TIMER, SECOND + 2 * LONGEST)
    assert state_of(watch) == record(2, EVICTED, refutations=1)


@pytest.mark.parametrize("claim", [record(2, SUSPECT), record(9, SUSPECT, life=0)])
def test_a_claim_about_the_past_begins_nothing(claim: Member) -> None:
    watch = Watch(5)
    watch.learn(record(2, refutations=1), record(9))
    watch.learn(claim, source=3)
    assert watch.suspicions.sizes() == {"suspicions": 0}


def test_a_refutation_is_spread_by_the_accuser_and_the_accused_and_by_nobody_else() -> None:
    """All that probed the paused node, and their helpers, hear it refute."""
    cluster = VirtualCluster.of(20)
    cluster.run(10 * SECOND)
    cluster.pause(3)
    cluster.run(4 * SECOND)
    cluster.log.clear()
    cluster.resume(3)
    cluster.run(3 * SECOND)
    told = [sent for sent in cluster.sent(Records) if sent.sender == 3]
    spread = [sent.frame for sent in cluster.sent(Data)]
    assert len({sent.to for sent in told}) > 2, "or this shows nothing"
    assert {frame.payload for frame in spread} == {encode_members((record(3, refutations=1),))}
    assert len({frame.id.origin for frame in spread}) == len({frame.id for frame in spread}) == 2
    assert cluster.everyone_sees() == list(range(20))


def test_suspicions_of_several_members_are_kept_apart() -> None:
    watch = Watch(5)
    accuse(watch)
    accuse(watch, suspect=3)
    watch.fire(TIMER, LONGEST)
    assert watch.suspicions.sizes() == {"suspicions": 1}
    assert watch.context.view.get(member(3)) == record(3, SUSPECT)


def test_a_timer_without_a_suspicion_is_ignored() -> None:
    assert Watch(5).fire(TIMER, 0) == []


CONFIGS = st.builds(
    Config,
    suspicion_min_us=st.integers(1, 10**9),
    suspicion_max_factor=st.integers(1, 20),
    confirmations=st.integers(0, 20),
)


@given(CONFIGS, st.integers(0, 30))
def test_the_time_is_between_its_bounds_and_shrinks_with_each_confirmation(
    config: Config, confirmations: int
) -> None:
    shortest = config.suspicion_min_us
    now, more = (suspicion_timeout_us(config, confirmations + i) for i in (0, 1))
    assert shortest <= more <= now <= shortest * config.suspicion_max_factor
    assert suspicion_timeout_us(config, config.confirmations) == shortest
    if config.confirmations:
        assert suspicion_timeout_us(config, 0) == shortest * config.suspicion_max_factor


def test_the_time_falls_as_the_logarithm_of_the_confirmations() -> None:
    config = Config(suspicion_min_us=10 * SECOND, suspicion_max_factor=6, confirmations=7)
    times = [suspicion_timeout_us(config, c) / SECOND for c in (0, 1, 3, 7)]
    assert times == pytest.approx([60, 60 - 50 / 3, 60 - 100 / 3, 10], abs=1e-5)
