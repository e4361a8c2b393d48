"""A datagram is taken in once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.runtime.keyring import Refused, Sealed
from snowcast.runtime.replays import AGE_US, WINDOW, Replays
from support.loops import local

NOW_US = 1_800_000_000_000_000


def sealed(number: int, session: bytes = b"session1", stamp_us: int = NOW_US) -> Sealed:
    """A datagram as far as replays are concerned."""
    return Sealed(b"", session, number, stamp_us)


def replays(senders_max: int = 100) -> Replays:
    """At a time that stands still."""
    return Replays(senders_max, lambda: NOW_US * 1_000)


def takes(them: Replays, one: Sealed, sender: Address | None = None) -> bool:
    """Whether a datagram is taken in."""
    try:
        them.check(sender or local(7001), one)
    except Refused:
        return False
    return True


@given(st.lists(st.integers(1, 3 * WINDOW), max_size=60))
def test_each_number_is_taken_at_most_once_and_always_if_it_is_not_late(
    numbers: list[int],
) -> None:
    them, seen = replays(), set[int]()
    for number in numbers:
        is_late = bool(seen) and number <= max(seen) - WINDOW
        assert takes(them, sealed(number)) == (number not in seen and not is_late)
        if not is_late:
            seen.add(number)


def test_a_restarted_sender_counts_anew_and_its_old_datagrams_are_copies() -> None:
    them = replays()
    old = sealed(5)
    assert takes(them, old)
    assert takes(them, sealed(1, b"session2", NOW_US + 10))
    with pytest.raises(Refused, match="before it restarted") as refused:
        them.check(local(7001), old)
    assert refused.value.kind == "replay"


def test_what_is_too_old_or_too_new_is_stale() -> None:
    them = replays()
    for stamp_us in (NOW_US - AGE_US - 1, NOW_US + AGE_US + 1):
        with pytest.raises(Refused, match="its clock") as refused:
            them.check(local(7001), sealed(1, stamp_us=stamp_us))
        assert refused.value.kind == "stale"


def test_senders_are_remembered_apart_and_in_bounded_number() -> None:
    them = replays(senders_max=10)
    for port in range(1, 31):
        assert takes(them, sealed(1), local(port))
    assert len(them) == 10
    assert not takes(them, sealed(1), local(30))
