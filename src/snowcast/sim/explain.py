"""What is wrong with a scenario file, in words for whoever wrote it: which key, what was allowed.

msgspec says where and what it expected; what it does not say is looked up in the types.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import inspect

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<key>[^`]*)`")


def explain(error: msgspec.ValidationError, kind: type, values: Any) -> str:
    """One line about an error that came up as `values` were converted to `kind`."""
    found = _WHERE.match(str(error))
    assert found is not None, "the pattern matches anything"
    what, path = found["what"], (found["path"] or "$").removeprefix("$").lstrip(".")
    here = _types_at(inspect.type_info(kind), values, path)
    if unknown := _UNKNOWN.search(what):
        keys = sorted({field for one in here for field in _keys(one)})
        return f"{_join(path, unknown['key'])}: no such key; allowed: {', '.join(keys)}"
    if missing := _MISSING.search(what):
        return f"{_join(path, missing['key'])}: has to be given"
    allowed = [value for one in here for value in _values(one)]
    if what.startswith("Invalid") and allowed:
        wrong = what.partition("value ")[2]
        return f"{path}: {wrong} is not allowed; allowed: {', '.join(allowed)}"
    return f"{path}: {what[:1].lower()}{what[1:]}" if path else what


def _types_at(kind: inspect.Type, value: Any, path: str) -> list[inspect.Type]:
    """The types that the value at `path`, like `event[0].do`, may have."""
    kinds = [kind]
    for step in re.findall(r"[^.\[\]]+", path):
        kinds = [inner for outer in _fitting(kinds, value) for inner in _inside(outer, step)]
        value = _child(value, step)
    return _fitting(kinds, value)


def _child(value: Any, step: str) -> Any:
    if isinstance(value, list):
        return value[int(step)]
    return value.get(step) if isinstance(value, dict) else None


def _fitting(kinds: list[inspect.Type], value: Any) -> list[inspect.Type]:
    """Of several tables that may stand there, the one that says it does; all if none says so."""
    singles = [single for kind in kinds for single in _alternatives(kind)]
    if not isinstance(value, dict):
        return singles
    named: list[inspect.Type] = [
        one
        for one in singles
        if isinstance(one, inspect.StructType)
        and one.tag_field
        and value.get(one.tag_field) == one.tag
    ]
    return named or singles


def _inside(kind: inspect.Type, step: str) -> list[inspect.Type]:
    match kind:
        case inspect.StructType():
            if kind.tag_field == step:
                return [inspect.LiteralType((kind.tag,))]
            return [field.type for field in kind.fields if field.encode_name == step]
        case inspect.DictType():
            return [kind.value_type]
        case inspect.VarTupleType():
            return [kind.item_type]
        case inspect.TupleType():
            return list(kind.item_types)
        case _:
            return []


def _alternatives(kind: inspect.Type) -> list[inspect.Type]:
    match kind:
        case inspect.UnionType():
            return [single for one in kind.types for single in _alternatives(one)]
        case inspect.Metadata():
            return _alternatives(kind.type)
        case _:
            return [kind]


def _keys(kind: inspect.Type) -> list[str]:
    if not isinstance(kind, inspect.StructType):
        return []
    tag = [kind.tag_field] if kind.tag_field else []
    return [*tag, *(field.encode_name for field in kind.fields)]


def _values(kind: inspect.Type) -> list[str]:
    match kind:
        case inspect.EnumType():
            return [repr(member.value) for member in kind.cls]
        case inspect.LiteralType():
            return [repr(value) for value in kind.values]
        case inspect.BoolType():
            return ["true", "false"]
        case _:
            return []


def _join(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)
