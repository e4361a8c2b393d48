"""The look of pictures: every class that is drawn has a look, in the light and in the dark."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from snowcast.core.trees import Mode
from snowcast.planning.build import build_plan
from snowcast.planning.style import STYLE
from snowcast.planning.svg import to_svg
from snowcast.planning.views import RelayView, Views

LIGHT, DARK = STYLE.split("@media (prefers-color-scheme: dark) {")


def classes(text: str) -> set[str]:
    return set(re.findall(r"\.([a-z]+)", text))


def test_every_class_in_a_picture_has_a_rule() -> None:
    views = Views(others=RelayView(missing=frozenset([3, 4, 20])))
    used = set()
    for mode in Mode:
        for nodes in (40, 500):
            picture = ElementTree.fromstring(to_svg(build_plan(nodes, 4, 7, mode, views=views)))
            used |= {n for part in picture.iter() for n in part.get("class", "").split()}
    assert used - {"legend"} <= classes(LIGHT)


def test_every_colour_of_the_light_has_one_for_the_dark() -> None:
    coloured = {
        selector
        for selectors, rule in re.findall(r"^([^{}\n]+) \{([^}]*)\}", LIGHT, re.MULTILINE)
        if "#" in rule
        for selector in selectors.split(", ")
    }
    assert all(selector in DARK for selector in coloured)
