"""XML as text, escaped: enough to write a picture with.

Rules of this file:
- Whatever is not `Markup` is text and is escaped; an element is `Markup`.
- An attribute is a keyword: `stroke_width` is written `stroke-width`, `class_` is `class`.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

DECIMALS = 1


class Markup(str):
    """Text that is XML already."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """`<name attributes>content</name>`; an attribute that is None is left out."""
    given = {key: value for key, value in attributes.items() if value is not None}
    head = "".join(f" {_key(key)}={quoteattr(_value(value))}" for key, value in given.items())
    if not content:
        return Markup(f"<{name}{head}/>")
    return Markup(f"<{name}{head}>{joined(*content)}</{name}>")


def joined(*content: str) -> Markup:
    """Elements and texts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in content))


def number(value: float) -> str:
    """A coordinate, no longer than it needs to be."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _key(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else number(value)
