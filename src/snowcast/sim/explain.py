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


def explain(error: msgspec.ValidationError, kind: type) -> str:
    """One line about an error that came up as something was converted to `kind`."""
    found = _WHERE.match(str(error))
    assert found is not None, "the pattern matches anything"
    what, path = found["what"], (found["path"] or "$").removeprefix("$").lstrip(".")
    here = _types_at(inspect.type_info(kind), path)
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


def _types_at(kind: inspect.Type, path: str) -> list[inspect.Type]:
    """The types that a value at `path`, like `event[0].do`, may have."""
    kinds = [kind]
    for step in re.findall(r"[^.\[\]]+", path):
        kinds = [inner for outer in kinds for inner in _inside(outer, step)]
    return [single for one in kinds for single in _alternatives(one)]


def _inside(kind: inspect.Type, step: str) -> list[inspect.Type]:
    found: list[inspect.Type] = []
    for one in _alternatives(kind):
        match one:
            case inspect.StructType():
                found += [field.type for field in one.fields if field.encode_name == step]
                if one.tag_field == step:
                    found.append(inspect.LiteralType((one.tag,)))
            case inspect.DictType():
                found.append(one.value_type)
            case inspect.VarTupleType() | inspect.ListType():
                found.append(one.item_type)
            case inspect.TupleType():
                found += one.item_types
    return found


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
