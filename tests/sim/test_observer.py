"""Observers: only what they override is called."""

from __future__ import annotations

from snowcast.sim.observer import Observer, overrides
from support.puppets import Log


def test_an_observer_is_asked_for_what_it_overrides_and_nothing_else() -> None:
    hooks = [name for name in vars(Observer) if name.startswith("on_")]
    assert [name for name in hooks if overrides(Log(), name)] == ["on_drop", "on_node"]
    assert [name for name in hooks if overrides(Observer(), name)] == []
