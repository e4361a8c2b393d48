"""`[sweep]` in a scenario file: the values that a series of runs goes through.

    [sweep]
    cluster.nodes = [100, 200, 300]
    processing.stragglers = ["aligned", "random"]

Every combination is a variant; the last key changes fastest. A key is the path to a value, with
dots, as it stands in the file; of several `[[event]]` one is meant by its number: `event.0.share`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from snowcast.core.errors import UsageError

VARIANTS_MAX = 1_000

Table = dict[str, Any]
Values = dict[str, Any]
"""Values by the path to them: `cluster.nodes`."""


def combinations(sweep: Table) -> list[Values]:
    """Every combination of the values in a `[sweep]`; one without any if there is no sweep."""
    lists = dict(_lists(sweep, ""))
    if prod(map(len, lists.values())) > VARIANTS_MAX:
        raise UsageError(f"sweep: expected at most {VARIANTS_MAX} combinations")
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def with_values(tables: Table, values: Mapping[str, Any]) -> Table:
    """A copy of `tables` with other values, which are neither swept nor drawn any more."""
    tables = _copied(tables)
    for key, value in values.items():
        put(tables, key, value)
        for section in ("sweep", "draw"):
            _take_away(tables.get(section, {}), key)
    return tables


def put(tables: Table, key: str, value: Any) -> None:
    """Set the value that `key` is the path to; the tables on the way are made."""
    *path, last = key.split(".")
    inner: Any = tables
    for step in path:
        if isinstance(inner, list):
            inner = inner[_number(key, step, inner)]
        elif isinstance(inner, dict):
            inner = inner.setdefault(step, {})
        if not isinstance(inner, dict | list):
            raise UsageError(f"{key}: {step} is not a table")
    inner[_number(key, last, inner) if isinstance(inner, list) else last] = value


def parse_values(texts: Iterable[str]) -> Values:
    """`["cluster.nodes=300"]` as values: each is TOML, or else text as it stands."""
    values: Values = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise UsageError(f"expected a key and its value, cluster.nodes=300, not {text!r}")
        try:
            values[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            values[key] = value
    return values


def label(values: Values) -> str:
    """Values in a word, for names: `cluster.nodes=300,cluster.fanout=4`."""
    return ",".join(f"{key}={_text(value)}" for key, value in values.items())


def _copied(value: Any) -> Any:
    """The same tables, every one of them new and every sequence a list."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list | tuple) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lists(table: Table, above: str) -> Iterator[tuple[str, list[Any]]]:
    for name, value in table.items():
        key = f"{above}{name}"
        if isinstance(value, dict):
            yield from _lists(value, f"{key}.")
        elif isinstance(value, list) and value:
            yield key, value
        else:
            raise UsageError(f"sweep.{key}: expected a list of values, not {value!r}")


def _number(key: str, step: str, entries: list[Any]) -> int:
    if not step.isdecimal() or int(step) >= len(entries):
        raise UsageError(f"{key}: expected a number below {len(entries)}, not {step!r}")
    return int(step)


def _take_away(table: Table, key: str) -> None:
    """Remove a key, and tables that are empty without it."""
    name, _, rest = key.partition(".")
    if not rest:
        table.pop(name, None)
    elif isinstance(table.get(name), dict):
        _take_away(table[name], rest)
        if not table[name]:
            del table[name]
