"""Two members compare views and exchange what differs; DESIGN 6. Nodes 0 and 1 do it here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core import anti_entropy
from snowcast.core.anti_entropy import BRANCH, ROOT
from snowcast.core.config import SECOND
from snowcast.core.digest import WIDTH, leaf_of
from snowcast.core.effects import CancelTimer, SetTimer
from snowcast.core.frames import Ping, SyncBuckets, SyncDigest, SyncRecords
from snowcast.core.member import Member, State
from snowcast.core.timers import SyncTimer
from support.lone import record, records, send, sends
from support.pair import Comparer, Pair
from support.rings import member

EVICTED, LEFT = State.EVICTED, State.LEFT
NEWS = st.builds(
    record, st.integers(0, 40), st.sampled_from(State), st.integers(0, 1), st.integers(1, 2)
).filter(lambda news: news.address not in (member(0), member(1)))


def comparer(n: int, seed: int = 1) -> Comparer:
    """Node 0 in a view of `n`."""
    return Comparer(0, records(range(n)), seed)


@given(st.integers(0, 200))
def test_comparing_begins_at_some_moment_of_the_first_period(seed: int) -> None:
    node = comparer(4, seed)
    node.anti_entropy.start(7)
    [timer] = node.context.outbox.take()
    assert isinstance(timer, SetTimer)
    assert timer.key == SyncTimer()
    assert 7 <= timer.at_us < 7 + 15 * SECOND


def test_each_period_the_digest_goes_to_one_member() -> None:
    node = comparer(2)
    node.anti_entropy.on_timer(100)
    assert node.context.outbox.take() == [
        SetTimer(SyncTimer(), 100 + 15 * SECOND),
        send(1, SyncDigest(node.context.view.digest)),
    ]


def test_that_member_is_any_other_one() -> None:
    node, met = comparer(5), set()
    for _ in range(50):
        node.anti_entropy.on_timer(0)
        met |= {to for to, _ in sends(node.context.outbox.take())}
    assert met == {1, 2, 3, 4}


def test_alone_there_is_nobody_to_compare_with() -> None:
    node = comparer(1)
    node.anti_entropy.on_timer(0)
    assert sends(node.context.outbox.take()) == []


def test_a_node_that_stops_begins_no_comparison_but_answers() -> None:
    node = comparer(3)
    node.anti_entropy.stop()
    assert node.context.outbox.take() == [CancelTimer(SyncTimer())]
    assert sends(node.receive(1, SyncDigest(0))) != []


def test_equal_digests_end_it() -> None:
    assert comparer(5).receive(1, SyncDigest(comparer(5).context.view.digest)) == []


def test_it_goes_down_only_where_digests_differ() -> None:
    here, there = comparer(30), Comparer(1, records(range(31)))
    digests, others = here.context.view.digests, there.context.view.digests
    branch, leaf = divmod(leaf_of(member(30)), WIDTH)
    root = SyncBuckets(ROOT, 0, digests.branches())
    assert here.receive(1, SyncDigest(others.root)) == [send(1, root)]
    leaves = SyncBuckets(BRANCH, branch, others.leaves(branch))
    assert there.receive(0, root) == [send(0, leaves)]
    ours = tuple(here.context.view.in_leaves(frozenset({branch * WIDTH + leaf})))
    wanted = SyncRecords((branch * WIDTH + leaf,), ours, True)
    assert here.receive(1, leaves) == [send(1, wanted)]
    missing = SyncRecords(wanted.buckets, (record(30),), False)
    assert there.receive(0, wanted) == [send(0, missing)]
    here.receive(1, missing)
    assert here.context.view.digest == others.root


def test_what_the_other_knows_as_well_or_better_is_not_sent_back() -> None:
    node = comparer(5)
    bucket = leaf_of(member(3))
    for told in (record(3), record(3, refutations=1), record(3, LEFT)):
        fresh = comparer(5)
        assert sends(fresh.receive(1, SyncRecords((bucket,), (told,), True)), SyncRecords) == []
    node.context.view.merge((record(3, refutations=2),), 0)
    answer = node.receive(1, SyncRecords((bucket,), (record(3),), True))
    newer = SyncRecords((bucket,), (record(3, refutations=2),), False)
    assert sends(answer, SyncRecords) == [(1, newer)]


def test_an_answer_asks_for_no_further_answer() -> None:
    node = comparer(5)
    bucket = leaf_of(member(3))
    assert sends(node.receive(1, SyncRecords((bucket,), (), False))) == []


def test_an_eviction_of_a_present_member_is_checked_with_it_first() -> None:
    node = comparer(5)
    effects = node.receive(1, SyncRecords((), (record(3, EVICTED), record(4, LEFT)), False))
    assert sends(effects, Ping) == [(3, Ping(1, record(3).incarnation))]
    assert node.context.view.get(member(3)) == record(3), "may be the other side of a partition"
    assert node.context.view.get(member(4)) == record(4, LEFT), "who leaves says so itself"


@pytest.mark.parametrize("known", [None, record(3, LEFT), record(3, refutations=1)])
def test_an_eviction_that_contradicts_nothing_is_not_checked(known: Member | None) -> None:
    node = Comparer(0, () if known is None else (known,))
    effects = node.receive(1, SyncRecords((), (record(3, EVICTED),), False))
    assert sends(effects, Ping) == []


def test_a_node_that_hears_of_its_own_eviction_refutes() -> None:
    node = comparer(3)
    node.receive(1, SyncRecords((), (record(0, EVICTED),), False))
    assert node.announced == [record(0, refutations=1)]


def test_what_a_member_tells_is_learned_and_not_announced() -> None:
    node = comparer(3)
    node.receive(1, SyncRecords((), (record(7),), False))
    assert node.context.view.get(member(7)) == record(7)
    assert node.announced == []


def test_arrivals_told_by_a_stranger_are_announced() -> None:
    node = comparer(3)
    node.receive(9, SyncRecords((), (record(7), record(1), record(8, LEFT)), False))
    assert node.announced == [record(7)], "1 is known here, and 8 is not there"


def test_all_that_a_stranger_tells_is_announced_also_after_it_has_told_of_itself() -> None:
    node = comparer(3)
    for now_us, i in enumerate((7, 9, 8)):
        node.receive(9, SyncRecords((), (record(i),), False), now_us)
    assert node.announced == [record(7), record(9), record(8)]
    later_us = 2 * SECOND
    node.receive(9, SyncRecords((), (record(6),), False), later_us)
    assert len(node.announced) == 3, "by then it is a member like others"


def test_an_evicted_member_is_a_stranger() -> None:
    node = comparer(3)
    node.context.view.merge((record(2, EVICTED),), 0)
    news = (record(2, refutations=1), record(7))
    node.receive(2, SyncRecords((), news, False))
    assert node.announced == list(news)


@pytest.mark.parametrize(
    "frame",
    [
        SyncBuckets(BRANCH, WIDTH, (1,) * WIDTH),
        SyncBuckets(7, 1 << 40, (1,)),
        SyncBuckets(ROOT, 0, ()),
        SyncBuckets(BRANCH, 0, (0,) * WIDTH),
        SyncRecords((1 << 40,), (), True),
        SyncRecords((), (), True),
    ],
)
def test_frames_that_make_no_sense_do_no_harm(frame: SyncBuckets | SyncRecords) -> None:
    assert sends(Comparer(0).receive(1, frame)) == []


def test_more_digests_than_there_are_buckets_are_cut_off() -> None:
    sent = sends(Comparer(0).receive(1, SyncBuckets(ROOT, 0, (1 << 63,) * 1000)))
    assert len(sent) == WIDTH


def test_very_many_records_go_in_several_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anti_entropy, "RECORDS_MAX", 2)
    pair = Pair(records(range(30)), records(range(25)))
    pair.compare()
    frames = [frame for frame in pair.frames if isinstance(frame, SyncRecords)]
    assert max(len(frame.members) for frame in frames) <= 2
    assert pair.digests[0] == pair.digests[1]


@given(st.lists(NEWS, max_size=12), st.lists(NEWS, max_size=12))
def test_after_a_comparison_both_know_the_same_but_for_evictions_to_be_checked(
    first: list[Member], second: list[Member]
) -> None:
    common = records(range(20))
    pair = Pair((*common, *first), (*common, *second))
    pair.compare()
    both = Comparer(0, (*records((0, 1)), *common, *first, *second)).context.view
    for node in pair.nodes:
        for known in both.members():  # suspicions spread by themselves
            held = node.context.view.get(known.address)
            assert held is not None
            assert held.incarnation == known.incarnation
    doubted = {member(i) for i in pair.pinged}
    for one, other in (pair.nodes, pair.nodes[::-1]):
        extra = set(one.context.view.ring) - set(other.context.view.ring)
        assert extra <= doubted
    if not doubted:
        assert pair.digests[0] == pair.digests[1] == both.digest


@given(st.sets(st.integers(2, 60)), st.sets(st.integers(2, 60)))
def test_comparing_again_after_that_takes_one_frame(first: set[int], second: set[int]) -> None:
    pair = Pair(records(first), records(second))
    pair.compare()
    before = len(pair.frames)
    pair.compare()
    assert len(pair.frames) == before + 1
