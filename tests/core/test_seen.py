"""Bounded memory that still never delivers twice; DESIGN 4.10."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from snowcast.core.config import Config
from snowcast.core.frames import MessageId
from snowcast.core.seen import Seen, Sight
from support.lone import data, hop_timer, message
from support.rings import member

FIRST, AGAIN, TOO_LATE = Sight
IDS = st.builds(
    MessageId,
    st.integers(0, 2).map(member),
    st.integers(1, 2),
    st.integers(0, 9),
)


def seen(**settings: int) -> Seen:
    return Seen(Config(**settings))


def test_a_message_is_first_once_and_then_again() -> None:
    memory = seen()
    assert [memory.see(message(1), at_us) for at_us in (0, 1, 2)] == [FIRST, AGAIN, AGAIN]
    assert memory.see(message(1, 2), 3) is FIRST
    assert len(memory) == 2


def test_messages_of_other_origins_lives_and_numbers_are_others() -> None:
    memory = seen()
    ids = [message(1), message(2), message(1, 2), message(1, 1, life=2)]
    assert [memory.see(id, 0) for id in ids] == [FIRST] * 4


def test_over_the_limit_the_oldest_is_forgotten_and_comes_too_late() -> None:
    memory = seen(seen_max=2)
    for sequence in (1, 2, 3):
        memory.see(message(1, sequence), 0)
    assert len(memory) == 2
    assert [memory.see(message(1, n), 1) for n in (1, 2, 3)] == [TOO_LATE, AGAIN, AGAIN]


def test_whatever_is_older_than_the_age_is_forgotten_and_comes_too_late() -> None:
    memory = seen(seen_age_us=10)
    memory.see(message(1, 1), 0)
    memory.see(message(1, 2), 5)
    memory.forget_old(10)
    assert len(memory) == 2, "must remember what is just as old as the age"
    memory.forget_old(11)
    assert [memory.see(message(1, n), 12) for n in (1, 2)] == [TOO_LATE, AGAIN]
    memory.forget_old(100)
    assert len(memory) == 0


def test_the_floor_is_the_highest_number_forgotten() -> None:
    memory = seen(seen_age_us=10)
    memory.see(message(1, 7), 0)
    memory.see(message(1, 5), 0)
    memory.forget_old(20)
    verdicts = {n: memory.see(message(1, n), 20) for n in (4, 5, 6, 7, 8)}
    assert verdicts == {4: TOO_LATE, 5: TOO_LATE, 6: TOO_LATE, 7: TOO_LATE, 8: FIRST}


def test_a_floor_holds_for_its_origin_and_for_its_earlier_lives() -> None:
    memory = seen(seen_age_us=10)
    memory.see(message(1, 5, life=2), 0)
    memory.forget_old(20)
    assert memory.see(message(2, 1), 20) is FIRST
    assert memory.see(message(1, 9, life=1), 20) is TOO_LATE
    assert memory.see(message(1, 1, life=3), 20) is FIRST


def test_the_floor_of_a_forgotten_origin_is_forgotten() -> None:
    memory = seen(seen_age_us=10)
    memory.see(message(1, 5), 0)
    memory.forget_old(20)
    memory.forget_origin(member(1))
    memory.forget_origin(member(2))
    assert memory.see(message(1, 5), 20) is FIRST


def test_what_a_message_was_carried_for_is_remembered_with_it() -> None:
    memory = seen()
    assert memory.get(message(1)) is None
    memory.see(message(1), 0)
    sighting = memory.get(message(1))
    assert sighting is not None
    assert sighting.carried == ()
    sighting.carried = (hop_timer(data(1, 0, 4)),)
    memory.see(message(1), 1)
    assert memory.get(message(1)) is sighting


@given(
    st.lists(st.tuples(IDS, st.integers(0, 20), st.booleans()), max_size=60),
    st.integers(1, 5),
)
def test_a_message_is_first_at_most_once_whatever_the_order_and_the_age(
    copies: list[tuple[MessageId, int, bool]], seen_max: int
) -> None:
    memory, now_us, first = seen(seen_max=seen_max, seen_age_us=15), 0, set()
    for id, later_us, forgets in copies:
        now_us += later_us
        if forgets:
            memory.forget_old(now_us)
        if memory.see(id, now_us) is FIRST:
            assert id not in first
            first.add(id)
        assert len(memory) <= seen_max


class SeenAgainstAModel(RuleBasedStateMachine):
    """The memory against a list of all that ever happened."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = seen(seen_max=4, seen_age_us=10)
        self.now_us = 0
        self.remembered: list[tuple[MessageId, int]] = []
        self.forgotten: list[MessageId] = []

    @rule(id=IDS)
    def a_copy_comes(self, id: MessageId) -> None:
        verdict = self.memory.see(id, self.now_us)
        if id in [known for known, _ in self.remembered]:
            assert verdict is AGAIN
        elif any(
            id.origin == old.origin and (id.life, id.sequence) <= (old.life, old.sequence)
            for old in self.forgotten
        ):
            assert verdict is TOO_LATE
        else:
            assert verdict is FIRST
            self.remembered.append((id, self.now_us))
            if len(self.remembered) > 4:
                self.forgotten.append(self.remembered.pop(0)[0])

    @rule(after_us=st.integers(0, 12))
    def time_passes_and_the_old_is_forgotten(self, after_us: int) -> None:
        self.now_us += after_us
        self.memory.forget_old(self.now_us)
        self.forgotten += [id for id, at_us in self.remembered if at_us < self.now_us - 10]
        self.remembered = [(id, at) for id, at in self.remembered if at >= self.now_us - 10]

    @rule(origin=st.integers(0, 2).map(member))
    def an_origin_is_forgotten(self, origin: object) -> None:
        self.memory.forget_origin(origin)  # type: ignore[arg-type]
        self.forgotten = [id for id in self.forgotten if id.origin != origin]

    @invariant()
    def it_holds_what_it_should(self) -> None:
        assert len(self.memory) == len(self.remembered)


TestSeenAgainstAModel = SeenAgainstAModel.TestCase
