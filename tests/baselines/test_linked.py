"""A spreader with links keeps them up to date with its view, and says when they change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.baselines.linked import Linked
from snowcast.baselines.overlay import Overlay
from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.frames import Data
from snowcast.core.member import State
from support.rings import member
from support.spreaders import Alone


class Watched(Linked):
    """Notes when its links change."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.told: list[list[Address]] = []

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        raise AssertionError("nothing is sent here")

    def on_links(self) -> None:
        self.told.append(list(self.links))


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 40)), max_size=60))
def test_links_are_those_of_whoever_is_in_the_view(steps: list[tuple[bool, int]]) -> None:
    node = Alone(Watched, 0, 1)
    members: set[int] = set()
    left: set[int] = set()
    for is_joining, i in steps:
        if is_joining and i not in members | left:
            members.add(i)
            node.arrive(i)
        elif not is_joining and i in members:
            members.discard(i)
            left.add(i)
            before = list(node.algorithm.links)
            node.depart(i, State.EVICTED)
            assert member(i) in before or node.algorithm.links == before
        fresh = Overlay(member(0), 4)
        fresh.rebuild([member(0), *map(member, sorted(members))])
        assert set(node.algorithm.links) == set(fresh.links)
    told = node.algorithm.told
    assert (told[-1] if told else []) == node.algorithm.links


def test_whoever_is_no_neighbour_changes_nothing() -> None:
    node = Alone(Watched, 0, 60)
    told = len(node.algorithm.told)
    stranger = next(i for i in range(1, 60) if member(i) not in node.algorithm.links)
    node.depart(stranger)
    assert len(node.algorithm.told) == told
