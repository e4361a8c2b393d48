"""JSON Schema as far as our descriptions use it, the slow and obvious way.

Rule of this file: a word that it does not know is an error, so that nothing passes unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
ONLY_WORDS = {"title", "description", "default"}
CHECKED = {
    "$ref", "additionalProperties", "anyOf", "enum", "items", "maximum", "minimum", "properties",
    "required", "type",
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """What is wrong with a value, each with where; `document` is what references are about."""
    return list(_faults(value, schema, document, "$"))


def _faults(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str) -> Iterator[str]:
    unknown = set(schema) - CHECKED - ONLY_WORDS
    assert not unknown, f"unknown words in a schema: {unknown}"
    if "$ref" in schema:
        yield from _faults(value, _found(schema["$ref"], document), document, at)
    if "anyOf" in schema and all(
        list(_faults(value, one, document, at)) for one in schema["anyOf"]
    ):
        yield f"{at}: {value!r} is none of those allowed"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not in {schema['enum']}"
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{at}: {value!r} is no {schema['type']}"
    elif isinstance(value, dict):
        yield from _of_object(value, schema, document, at)
    elif isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _faults(item, schema["items"], document, f"{at}[{number}]")
    elif isinstance(value, int | float) and not _is_in_range(value, schema):
        yield f"{at}: {value!r} is out of range"


def _of_object(
    value: dict[str, Any], schema: dict[str, Any], document: dict[str, Any], at: str
) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in set(schema.get("required", ())) - set(value):
        yield f"{at}: {name} is missing"
    for name, item in value.items():
        if name in known:
            yield from _faults(item, known[name], document, f"{at}.{name}")
        elif others is False:
            yield f"{at}: {name} is not described"
        elif isinstance(others, dict):
            yield from _faults(item, others, document, f"{at}.{name}")


def _is_in_range(value: float, schema: dict[str, Any]) -> bool:
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind])  # type: ignore[arg-type]


def _found(reference: str, document: dict[str, Any]) -> dict[str, Any]:
    found: Any = document
    for word in reference.removeprefix("#/").split("/"):
        found = found[word]
    return dict(found)
