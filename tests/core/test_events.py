"""What enters the core: plain values, equal if they say the same, never changed."""

from __future__ import annotations

import pytest

from snowcast.core.events import (
    Broadcast,
    Evict,
    FrameReceived,
    Leave,
    PeerUnreachable,
    Retag,
    Start,
    TimerFired,
)
from snowcast.core.frames import Nack
from snowcast.core.timers import ProbeTimer
from snowcast.core.trees import Mode
from support.rings import member

EVENTS = [
    Start((member(1),)),
    Broadcast(b"x", Mode.COLORING, True, 7),
    FrameReceived(member(1), Nack(1)),
    PeerUnreachable(member(1), (Nack(1),)),
    TimerFired(ProbeTimer()),
    Leave(),
    Evict(member(1)),
    Retag((("rack", "7"),)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_a_value(event: object) -> None:
    assert [other == event for other in EVENTS].count(True) == 1
    assert hash(event) == hash(event.__copy__())  # type: ignore[attr-defined]
    for name in event.__struct_fields__:  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            setattr(event, name, None)


def test_a_start_alone_is_a_cluster_of_one() -> None:
    assert Start() == Start((), ())


def test_a_broadcast_is_standard_and_unreliable_unless_asked_otherwise() -> None:
    assert Broadcast(b"x") == Broadcast(b"x", Mode.STANDARD, False, 0)


def test_a_peer_may_be_unreachable_with_nothing_lost() -> None:
    assert PeerUnreachable(member(1)).unsent == ()
