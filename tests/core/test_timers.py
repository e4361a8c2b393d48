"""Timer keys: equal keys are one timer, so setting one again replaces it."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from snowcast.core import timers as t
from snowcast.core.frames import MessageId
from support.lone import PRIMARY, SECONDARY, data, hop_timer, message
from support.rings import member

KEYS: list[t.TimerKey] = [
    hop_timer(data(5, 0, 9, tree=PRIMARY)),
    hop_timer(data(5, 0, 9, tree=SECONDARY)),
    hop_timer(data(5, 0, 8, tree=PRIMARY)),
    hop_timer(data(5, 0, 9, tree=PRIMARY, attempt=1)),
    t.ReceiptTimer(message(5)),
    t.ProbeTimer(),
    t.PongTimer(1),
    t.PongTimer(2),
    t.ProbeEndTimer(1),
    t.RelayTimer(1),
    t.SuspicionTimer(member(1)),
    t.AnnounceTimer(),
    t.JoinTimer(),
    t.DoorTimer(),
    t.SyncTimer(),
    t.HealTimer(),
    t.LingerTimer(),
    t.LazyTimer(),
    t.MissingTimer(message(5)),
]


def test_every_kind_of_timer_is_in_the_union() -> None:
    named = {kind for kind in vars(t).values() if isinstance(kind, type)}
    structs = {kind for kind in named if issubclass(kind, msgspec.Struct)} - {MessageId}
    assert {kind for kind in structs if kind.__module__ == t.__name__} == set(get_args(t.TimerKey))
    assert {type(key) for key in KEYS} == set(get_args(t.TimerKey))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_key_is_found_by_an_equal_one_and_by_no_other(key: t.TimerKey) -> None:
    same = msgspec.structs.replace(key)
    assert {other: other for other in KEYS}[same] == key
    assert [other == same for other in KEYS].count(True) == 1
