"""Refusals are counted always and logged once in a while."""

from __future__ import annotations

import pytest

from snowcast.runtime.counters import Counters
from snowcast.runtime.refusals import QUIET_S, Refusals


def test_a_flood_is_counted_but_logged_once_and_then_summed_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [0.0]
    counters = Counters()
    refusals = Refusals(counters, lambda: now[0])
    for _ in range(1_000):
        refusals.note("cluster", "10.0.0.9", "its cluster is called 'b', this one 'a'")
    refusals.note("key", "10.0.0.8", "no such key")
    now[0] = QUIET_S
    refusals.note("cluster", "10.0.0.9", "its cluster is called 'b', this one 'a'")

    assert counters.refused == {"cluster": 1_001, "key": 1}
    assert caplog.messages == [
        "refused 10.0.0.9: its cluster is called 'b', this one 'a'",
        "refused 10.0.0.8: no such key",
        "refused 10.0.0.9: its cluster is called 'b', this one 'a'"
        " (999 more like it since the last such line)",
    ]
