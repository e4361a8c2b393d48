"""Several streams as one: nothing lost, nothing invented, errors passed on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.agent.client import Event, NoAgent
from snowcast.cli.merging import AHEAD_MAX, merged


def stream(numbers: list[int]) -> Iterator[Event | None]:
    """A stream of an agent."""
    yield None
    for number in numbers:
        yield Event("message", {"number": number})


@given(st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(), max_size=9), min_size=1))
def test_each_stream_comes_whole_and_in_its_order(streams: dict[str, list[int]]) -> None:
    heard: dict[str, list[int | None]] = {name: [] for name in streams}
    for name, event in merged({name: stream(numbers) for name, numbers in streams.items()}):
        heard[name].append(None if event is None else event.data["number"])
    assert heard == {name: [None, *numbers] for name, numbers in streams.items()}


def test_more_than_may_wait_waits_for_who_reads() -> None:
    many = list(range(AHEAD_MAX * 3))
    heard = [e.data["number"] for n, e in merged({"a": stream(many), "b": stream([])}) if e]
    assert heard == many


def test_what_goes_wrong_in_one_stream_ends_all() -> None:
    def broken() -> Iterator[Event | None]:
        yield None
        raise NoAgent("lost")

    with pytest.raises(NoAgent, match="lost"):
        list(merged({"a": broken(), "b": stream([1])}))
    with pytest.raises(NoAgent, match="lost"):
        list(merged({"a": broken()}))
