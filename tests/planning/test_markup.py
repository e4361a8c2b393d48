"""XML written as text: what goes in comes out again when a parser reads it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.planning.markup import Markup, element, joined, number

PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF))


@given(PRINTABLE, PRINTABLE)
def test_text_and_attributes_are_escaped(text: str, value: str) -> None:
    found = ElementTree.fromstring(element("text", text, class_=value))
    assert (found.text or "", found.get("class")) == (text, value)


def test_markup_is_taken_as_it_is() -> None:
    inner = element("b", "x & y")
    assert element("a", inner, "<", x=1.0) == '<a x="1"><b>x &amp; y</b>&lt;</a>'
    assert joined(inner, "&") == "<b>x &amp; y</b>&amp;"
    assert isinstance(inner, Markup)


def test_names_of_attributes_and_absent_ones() -> None:
    assert element("path", stroke_width=2, class_="x", transform=None) == (
        '<path stroke-width="2" class="x"/>'
    )


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (-0.01, "0"), (10, "10"), (1.25, "1.2"), (-3.96, "-4")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text
