"""YAML as far as our manifests use it: maps, lists, plain and quoted scalars, comments on lines.

Rule of this file: what it does not know is an error, so that nothing is read otherwise than
Kubernetes would.
"""

from __future__ import annotations

import json
import re
from typing import Any

_KEY = re.compile(r"([A-Za-z0-9_./-]+):(?: (.+))?$")
_WORDS = {"true": True, "false": False, "null": None, "{}": {}, "[]": []}
_AMBIGUOUS = {"yes", "no", "on", "off", "~", "y", "n"}

Line = tuple[int, str]


def read(text: str) -> Any:
    """The one document of a file."""
    assert "\t" not in text
    lines = [
        (len(line) - len(line.lstrip()), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]
    value, rest = _block(lines, 0)
    assert not rest, f"not indented as what is above: {rest[0]}"
    return value


def _block(lines: list[Line], depth: int) -> tuple[Any, list[Line]]:
    assert lines, "nothing where something should be"
    assert lines[0][0] == depth, f"indented by {lines[0][0]} and not {depth}: {lines[0][1]}"
    if lines[0][1].startswith("- "):
        return _list(lines, depth)
    return _map(lines, depth)


def _list(lines: list[Line], depth: int) -> tuple[list[Any], list[Line]]:
    found: list[Any] = []
    while lines and lines[0][0] == depth and lines[0][1].startswith("- "):
        item = lines[0][1][2:]
        if _KEY.match(item):
            value, lines = _map([(depth + 2, item), *lines[1:]], depth + 2)
        else:
            value, lines = _scalar(item), lines[1:]
        found.append(value)
    return found, lines


def _map(lines: list[Line], depth: int) -> tuple[dict[str, Any], list[Line]]:
    found: dict[str, Any] = {}
    while lines and lines[0][0] == depth and not lines[0][1].startswith("- "):
        match = _KEY.match(lines[0][1])
        assert match, f"neither a key nor an item: {lines[0][1]}"
        name, text = match[1], match[2]
        assert name not in found, f"{name} is there twice"
        lines = lines[1:]
        if text is None:
            assert lines, f"{name}: nothing follows"
            found[name], lines = _block(lines, lines[0][0])
        else:
            found[name] = _scalar(text)
    return found, lines


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith('"'):
        return json.loads(text)
    assert text.lower() not in _AMBIGUOUS, f"quote {text!r}"
    if re.fullmatch(r"-?(0|[1-9]\d*)", text):
        return int(text)
    assert not re.match(r"[\[{&*!|>'%@`,#?]", text), f"this reader does not know {text!r}"
    assert " #" not in text, f"a comment on a line of its own, please: {text!r}"
    assert ": " not in text, f"quote {text!r}"
    assert not re.fullmatch(r"[-+.\d][\d._eE+-]*", text) or ":" in text, f"quote {text!r}"
    return text
