"""Processing delays and stragglers: they belong to the seed, the node and the message."""

from __future__ import annotations

from statistics import mean

import pytest

from snowcast.core.config import MS
from snowcast.core.errors import UsageError
from snowcast.core.frames import MessageId
from snowcast.sim import processing as module
from snowcast.sim.cluster import address_of
from snowcast.sim.processing import Placement, Processing, remember


def made(seed: int = 1, count: int = 500, **options: object) -> Processing:
    processing = Processing(**options)  # type: ignore[arg-type]
    processing.seed(seed)
    processing.boot(count)
    return processing


def message(sequence: int) -> MessageId:
    return MessageId(address_of(0), 1, sequence)


def stragglers(processing: Processing, count: int = 500) -> list[int]:
    return [index for index in range(count) if processing.is_straggler(index)]


def test_delays_are_spread_evenly_over_their_range() -> None:
    processing = made()
    processing.number(message(1))
    delays = [processing.delay_us(index, message(1)) for index in range(500)]
    assert min(delays) >= 10 * MS
    assert max(delays) <= 200 * MS
    assert mean(delays) == pytest.approx(105 * MS, rel=0.05)
    assert len(set(delays)) > 490


def test_the_nth_message_meets_the_same_delays_whatever_its_id_and_the_order_of_asking() -> None:
    """Another protocol may number its messages differently and ask in another order."""
    first, second = made(), made()
    for sequence in (1, 2, 3):
        first.number(message(sequence))
        second.number(message(10 * sequence))
    forth = [first.delay_us(index, message(2)) for index in range(500)]
    back = [second.delay_us(index, message(20)) for index in reversed(range(500))]
    assert forth == back[::-1]


def test_messages_nodes_and_seeds_have_delays_of_their_own() -> None:
    first, second = made(1), made(2)
    for processing in (first, second):
        processing.number(message(1))
        processing.number(message(2))
    drawn = [first.delay_us(0, message(1)), first.delay_us(0, message(2))]
    drawn += [first.delay_us(1, message(1)), second.delay_us(0, message(1))]
    assert len(set(drawn)) == len(drawn)


def test_a_node_that_joins_later_does_not_change_the_delays_of_the_others() -> None:
    processing = made(count=10)
    processing.number(message(1))
    before = [processing.delay_us(index, message(1)) for index in range(10)]
    assert processing.delay_us(1_000, message(1)) >= 10 * MS
    assert [processing.delay_us(index, message(1)) for index in range(10)] == before


def test_a_message_that_nobody_numbered_is_told_apart_by_its_id() -> None:
    first, second = made(), made()
    second.number(message(9))
    assert first.delay_us(3, message(1)) == second.delay_us(3, message(1))
    assert first.delay_us(3, message(1)) != first.delay_us(3, message(2))


def test_draws_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MESSAGES_MAX", 3)
    processing = made()
    for sequence in range(10):
        processing.number(message(sequence))
    assert len(processing._draws) == len(processing._names) == 3


def test_without_a_placement_nobody_is_a_straggler() -> None:
    assert stragglers(made()) == []


def test_aligned_stragglers_are_every_twentieth_address_at_odd_distances_from_the_first() -> None:
    aligned = stragglers(made(stragglers=Placement.ALIGNED))
    assert aligned == list(range(19, 500, 20))


@pytest.mark.parametrize("placement", Placement)
def test_one_in_none_is_nobody(placement: Placement) -> None:
    assert stragglers(made(stragglers=placement, straggler_every=0)) == []


def test_random_stragglers_are_as_many_and_follow_the_seed() -> None:
    chosen = [stragglers(made(seed, stragglers="random")) for seed in (1, 1, 2)]
    assert [len(found) for found in chosen] == [25, 25, 25]
    assert chosen[0] == chosen[1] != chosen[2]
    assert len({index % 20 for index in chosen[0]}) > 5


def test_of_those_that_join_later_one_in_twenty_is_a_straggler() -> None:
    processing = made(count=100, stragglers="random")
    assert 30 < len(stragglers(processing, 1_100)) - 5 < 70
    assert not made(count=100).is_straggler(500)


def test_a_range_must_make_sense() -> None:
    with pytest.raises(UsageError, match="from 5 to 4"):
        Processing(5, 4)
    with pytest.raises(UsageError, match="straggler_every"):
        Processing(straggler_every=-1)


def test_what_is_ready_long_ago_is_forgotten_when_there_is_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "READY_MAX", 2)
    ready: dict[MessageId, int] = {}
    age_us = module.READY_AGE_US
    remember(ready, message(1), 5, 0)
    remember(ready, message(2), age_us, 0)
    remember(ready, message(3), age_us + 10, age_us + 6)
    assert ready == {message(2): age_us, message(3): age_us + 10}
