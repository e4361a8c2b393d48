"""Messages are kept to be given again: the last ones, bounded in bytes and in age."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.baselines.kept import Kept
from support.lone import message
from support.spreaders import copy

COST = 512 + len(b"hello")


def test_what_is_kept_can_be_had_as_it_came() -> None:
    kept = Kept()
    kept.keep(copy(1, hop=3), 0)
    assert kept.get(message(1)) == copy(1, hop=3)
    assert kept.get(message(2)) is None
    assert len(kept) == 1


def test_the_oldest_goes_when_there_is_no_room() -> None:
    kept = Kept(bytes_max=2 * COST)
    for origin in (1, 2, 3):
        kept.keep(copy(origin), 0)
    assert kept.get(message(1)) is None
    assert [kept.get(message(i)) for i in (2, 3)] == [copy(2), copy(3)]


@given(st.lists(st.integers(1, 5), max_size=60))
def test_never_more_than_there_is_room_for(steps: list[int]) -> None:
    kept = Kept(bytes_max=4 * COST)
    for sequence, step in enumerate(steps, start=1):
        kept.keep(copy(step, sequence=sequence), 0)
        assert len(kept) == min(sequence, 4)


def test_what_is_too_old_goes_and_makes_room() -> None:
    kept = Kept(age_us=10, bytes_max=2 * COST)
    kept.keep(copy(1), 0)
    kept.keep(copy(2), 5)
    kept.forget_old(10)
    assert len(kept) == 2
    kept.forget_old(11)
    assert (kept.get(message(1)), kept.get(message(2))) == (None, copy(2))
    kept.keep(copy(3), 11)
    assert len(kept) == 2
    kept.forget_old(100)
    assert len(kept) == 0
