"""`[draw]` in a scenario file: what each seed chooses for itself.

    [draw]
    cluster.nodes = { low = 20, high = 200 }
    cluster.fanout = [2, 4, 8]

A draw depends on the seed and the key alone, so adding one changes no other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from snowcast.core.errors import UsageError
from snowcast.sim.seeds import stream

Table = dict[str, Any]
Path = tuple[str, ...]


def draw_all(values: Table, draw: Table, seed: int) -> Table:
    """`values` with everything that `draw` names drawn under `seed`."""
    for path, choice in _choices(draw, ()):
        _set(values, path, _drawn(choice, stream(seed, "draw", *path)))
    return values


def extremes(values: Table, draw: Table) -> Iterator[Table]:
    """`values` with each single thing that can be drawn, or the ends of its range, in its place.

    If all of these are possible, so is whatever is drawn. UsageError if `draw` makes no sense.
    """
    values = {key: value for key, value in values.items() if key != "draw"}
    for path, choice in _choices(draw, ()):
        ends = choice if isinstance(choice, list) else (choice["low"], choice["high"])
        for end in ends:
            tried = copy.deepcopy(values)
            _set(tried, path, end)
            yield tried


def _choices(table: Table, path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in table.items():
        here = (*path, key)
        if (isinstance(value, list) and value) or (isinstance(value, dict) and _is_range(value)):
            yield here, value
        elif isinstance(value, dict) and "low" not in value and "high" not in value:
            yield from _choices(value, here)
        else:
            raise UsageError(
                f"draw.{'.'.join(here)}: expected a list to choose from, "
                f"or {{ low = ..., high = ... }} with two numbers, not {value!r}"
            )


def _is_range(value: Table) -> bool:
    if value.keys() != {"low", "high"}:
        return False
    low, high = value["low"], value["high"]
    are_numbers = all(type(end) in (int, float) for end in (low, high))
    return are_numbers and low <= high


def _drawn(choice: Any, random: Random) -> Any:
    if isinstance(choice, list):
        return random.choice(choice)
    low, high = choice["low"], choice["high"]
    is_whole = isinstance(low, int) and isinstance(high, int)
    return random.randint(low, high) if is_whole else random.uniform(low, high)


def _set(values: Table, path: Path, value: Any) -> None:
    *tables, key = path
    for name in tables:
        values = values.setdefault(name, {})
        if not isinstance(values, dict):
            raise UsageError(f"draw.{'.'.join(path)}: {name} is not a table")
    values[key] = value
