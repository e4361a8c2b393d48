"""Counters."""

from __future__ import annotations

from snowcast.runtime.counters import Counters


def test_counters_are_shown_flat_with_refusals_by_their_reason() -> None:
    counters = Counters(frames_sent=3)
    counters.refused["cluster"] += 2

    shown = counters.as_dict()

    assert shown["frames_sent"] == 3
    assert shown["refused_cluster"] == 2
    assert all(isinstance(value, int) for value in shown.values())
