"""docs/results/differences.md: written by its script and by nobody else, numbers and all."""

from __future__ import annotations

import re
from string import Template

import pytest

import measure_differences as runs_of
import write_differences as script

TEXT = " ".join(script.TEMPLATE.read_text(encoding="utf-8").split())
NAMES = {found["braced"] for found in Template.pattern.finditer(TEXT)}


def numbers_of(page: str) -> dict[str, str]:
    """The number that stands on the page for each name; there is none if the text is another."""
    pattern, named = "", set()
    for part in re.split(r"(\$\{\w+\})", TEXT):
        name = part[2:-1]
        if not part.startswith("${"):
            pattern += re.escape(part)
        elif name in named:
            pattern += f"(?P={name})"
        else:
            named.add(name)
            pattern += f"(?P<{name}>.+?)"
    found = re.fullmatch(pattern, " ".join(page.split()))
    return found.groupdict() if found else {}


def test_the_page_says_what_the_script_would_write_around_its_numbers() -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    assert set(numbers_of(page)) == NAMES, "run tools/write_differences.py"
    assert script.page(numbers_of(page)) == page


def test_what_follows_from_trees_and_codec_is_what_stands_there() -> None:
    pytest.importorskip("numba", reason="needs the extra: pip install 'snowcast[kernels]'")
    standing = numbers_of(script.PAGE.read_text(encoding="utf-8"))
    for name, value in runs_of.arithmetic().items():
        assert standing.get(name, value) == value, name


def test_the_page_is_written_of_the_numbers_kept_and_they_carry_what_it_says() -> None:
    numbers = script.kept()
    assert script.page(numbers) == script.PAGE.read_text(encoding="utf-8")
    assert script.derived(numbers).items() <= numbers.items()
    assert script.not_carried(numbers) == []


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        (
            "plumtree_paper_breakdown_ldt_range",
            "3000 to 4000",
            "Plumtree is near the paper in Breakdown alone",
        ),
        (
            "plumtree_paper_stable_ldt_range",
            "2000 to 3200",
            "Plumtree is near the paper in Breakdown alone",
        ),
        ("coloring_500_fast", "0", "Coloring is fast under some seeds, and under most it is not"),
        ("breakdown_standard_live", "0.9", "deaths cost about what is expected"),
        ("random_coloring_ldt", "600", "placed anywhere, both are slower and the gap is smaller"),
    ],
)
def test_no_page_is_written_whose_words_its_numbers_do_not_carry(
    name: str, value: str, verdict: str
) -> None:
    assert verdict in script.not_carried({**script.kept(), name: value})


def test_a_number_that_nobody_measures_is_no_page() -> None:
    with pytest.raises(KeyError):
        script.page({})


def test_a_mean_over_seeds_is_told_with_the_least_and_the_most() -> None:
    runs = [[1, 2, 3], [4, 4, 4]]
    assert runs_of.told("it", runs, float, ".1f") == {"it": "3.0", "it_range": "2.0 to 4.0"}
