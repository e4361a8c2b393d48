"""Random streams by name: what is drawn under one name depends on nothing else."""

from __future__ import annotations

from snowcast.sim.seeds import derive, stream


def test_the_same_names_give_the_same_numbers() -> None:
    first, second = stream(7, "latency", 3), stream(7, "latency", 3)
    assert [first.random() for _ in range(5)] == [second.random() for _ in range(5)]


def test_numbers_stay_what_they_are_from_release_to_release() -> None:
    assert derive(7, "latency", 3) == 2725658345493376001


def test_another_seed_or_name_gives_other_numbers() -> None:
    drawn = [derive(7), derive(8), derive(7, "a"), derive(7, "b"), derive(7, "a", "a")]
    assert len(set(drawn)) == len(drawn)


def test_names_are_told_apart_by_type_and_by_where_they_end() -> None:
    drawn = [derive(0, "1"), derive(0, 1), derive(0, b"1"), derive(0, "1", ""), derive(0, "", "1")]
    drawn += [derive(0, "ab", "c"), derive(0, "a", "bc"), derive(0, "abc")]
    assert len(set(drawn)) == len(drawn)
