"""What becomes of a packet under each rule."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.errors import UsageError
from snowcast.lab.rules import Judge, Path, Rules


def reached(rules: Rules, nodes: int = 4) -> set[tuple[int, int]]:
    """Between whom a packet gets through."""
    judge = Judge(rules, seed=1)
    pairs = [(a, b) for a in range(nodes) for b in range(nodes) if a != b]
    return {pair for pair in pairs if judge.arrival_us(*pair, 100, 0) is not None}


def arrivals(rules: Rules, packets: int, seed: int = 1) -> list[int | None]:
    """When packets from 0 to 1 arrive that are sent a millisecond apart."""
    judge = Judge(rules, seed)
    return [judge.arrival_us(0, 1, 100, 1_000 * number) for number in range(packets)]


def test_without_rules_everything_arrives_at_once() -> None:
    assert arrivals(Rules(), 3) == [0, 1_000, 2_000]
    assert len(reached(Rules())) == 12


def test_a_partition_separates_groups_and_who_is_in_none_is_with_the_rest() -> None:
    assert reached(Rules(groups=((0, 1), (2, 3)))) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert reached(Rules(groups=((0,),))) == {(a, b) for a, b in reached(Rules()) if a and b}


def test_a_silent_node_neither_hears_nor_is_heard() -> None:
    assert reached(Rules(silent=(2,))) == {p for p in reached(Rules()) if 2 not in p}


def test_one_way_is_cut_and_the_way_back_is_not() -> None:
    assert reached(Rules()) - reached(Rules(one_way=((0, 1),))) == {(0, 1)}


def test_a_delay_is_added_and_some_paths_have_their_own() -> None:
    rules = Rules(delay_us=20_000, paths=(Path(0, 1, 500),))
    judge = Judge(rules, seed=1)
    assert judge.arrival_us(0, 1, 100, 0) == 500
    assert judge.arrival_us(1, 0, 100, 0) == 20_000


@given(st.integers(0, 2**32), st.integers(0, 50_000))
def test_jitter_delays_within_its_bounds_and_never_lets_a_packet_overtake(
    seed: int, jitter_us: int
) -> None:
    times = arrivals(Rules(delay_us=5_000, jitter_us=jitter_us), 50, seed)
    arrived = [time for time in times if time is not None]
    assert len(arrived) == 50
    assert arrived == sorted(arrived)
    for number, at_us in enumerate(arrived):
        assert 5_000 <= at_us - 1_000 * number <= 5_000 + jitter_us


def test_loss_takes_its_share_and_the_same_seed_takes_the_same_packets() -> None:
    rules = Rules(loss=0.2)
    lost = arrivals(rules, 5_000).count(None)
    assert 800 < lost < 1_200
    assert arrivals(rules, 500, seed=3) == arrivals(rules, 500, seed=3)
    assert arrivals(rules, 500, seed=3) != arrivals(rules, 500, seed=4)
    assert set(arrivals(Rules(loss=1.0), 10)) == {None}


def test_a_line_takes_one_packet_after_the_other_and_loses_what_finds_no_room() -> None:
    judge = Judge(Rules(rate_bytes=1_000_000, queue_bytes_max=2_500), seed=1)
    sent = [judge.arrival_us(0, receiver, 1_000, 0) for receiver in (1, 2, 3)]
    assert sent == [1_000, 2_000, None]
    assert judge.arrival_us(1, 0, 1_000, 0) == 1_000, "each node has a line of its own"
    assert judge.arrival_us(0, 1, 1_000, 10_000) == 11_000, "the line is free again"


def test_rules_change_at_once_for_what_is_on_its_way() -> None:
    judge = Judge(Rules(), seed=1)
    assert not judge.is_cut(0, 1)
    judge.change(Rules(silent=(1,)))
    assert judge.is_cut(0, 1)
    judge.change(Rules())
    assert not judge.is_cut(0, 1)


def test_rules_travel_as_text() -> None:
    rules = Rules(delay_us=1, groups=((0, 1), (2,)), one_way=((0, 1),), paths=(Path(0, 1, 2),))
    assert msgspec.json.decode(msgspec.json.encode(rules), type=Rules) == rules


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"loss": 20}, "a share from 0 to 1"),
        ({"delay_us": -1}, "delay_us must not be negative"),
        ({"groups": ((0, 1), (1, 2))}, "one group"),
    ],
)
def test_rules_that_make_no_sense_are_refused(wrong: dict[str, object], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        Rules(**wrong)  # type: ignore[arg-type]
