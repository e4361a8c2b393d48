"""Scenarios for tests: shipped ones made smaller, and runs of them that have to hold."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

from snowcast.sim.library import find
from snowcast.sim.observer import Observer
from snowcast.sim.run import RunResult, run
from snowcast.sim.scenario import Scenario, parse


def shipped(name: str, **changes: Any) -> Scenario:
    """A scenario that comes along, with these keys and tables changed."""
    values = tomllib.loads(find(name).read_text(encoding="utf-8"))
    return parse(_merged(values, changes))


def held(scenario: Scenario, seed: int, observers: Sequence[Observer] = ()) -> RunResult:
    """The result of a run in which every invariant has to hold."""
    result = run(scenario, seed, observers)
    assert result.is_ok, f"seed {seed}: {findings(result)}"
    return result


def findings(result: RunResult) -> dict[str, tuple[str, ...]]:
    """What each checker that is not content has found."""
    return {one.name: one.findings for one in result.outcomes if not one.is_ok}


def _merged(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`values` with what `changes` says, table by table."""
    merged = dict(values)
    for key, new in changes.items():
        old = merged.get(key)
        are_tables = isinstance(old, dict) and isinstance(new, dict)
        merged[key] = _merged(old, new) if are_tables else new
    return merged
