"""The page as a text: one file that loads nothing, in which no data can become markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

from snowcast.report.cells import CellRow
from snowcast.report.comparison import METRICS, Entry
from snowcast.report.figures.style import INK
from snowcast.report.measured import Interval
from snowcast.report.page.build import MODULES, Picture, build_page, script
from snowcast.report.paired import Pair

WIDE = Interval(1500, 1480, 1520, 20)
PICTURE = Picture(
    "load", "Load", "Who sends.", f'<?xml?>\n<svg><g id="a" fill="{INK}"/><use href="#a"/></svg>'
)


class Outline(HTMLParser):
    """The sections of a page, and what it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sections: list[str] = []
        self.loads: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "section":
            self.sections.append(values["id"] or "")
        self.loads += [f"{tag} {name}" for name in ("src", "data", "srcset") if name in values]
        if tag == "link":
            self.loads.append(tag)


def page(label: str = "one", real: Interval | None = None) -> str:
    entries = [
        Entry("stable", "standard", metric, 1, WIDE, real)
        for metric in (
            "ldt_ms",
            "ldt_first_to_last_ms",
            "rmr_bytes",
            "reliability",
            "reliability_live",
        )
    ]
    paired = [Pair("stable", "coloring", "standard", WIDE, 3)]
    return build_page("A <title>", "2 runs", entries, paired, [PICTURE], [{"label": label}])


def test_a_page_has_a_section_for_all_that_there_is_and_loads_nothing() -> None:
    outline = Outline(page())
    assert outline.sections == ["results", "paired", "broadcast", "figures", "differences"]
    assert outline.loads == []
    assert "default-src 'none'" in page()
    assert Outline(build_page("t", "s", [], [], [], [])).sections == []


def test_nothing_in_the_data_can_end_the_element_it_stands_in() -> None:
    label = '</script><script>alert("x")</script><!--'
    made = page(label)
    assert "alert" not in re.sub(r'<script type="application/json".*?</script>', "", made)
    block = re.search(r'id="broadcasts">(.*?)</script>', made)
    assert block is not None
    assert json.loads(block[1]) == [{"label": label}]
    assert "<h1>A &lt;title&gt;</h1>" in made


def test_real_nodes_get_a_column_when_there_are_any() -> None:
    assert ">real</th>" not in page()
    assert page(real=WIDE).count(">real</th>") == 6  # with the number of seeds
    assert '<td class="simulated">1500<small>1480 to 1520</small></td>' in page()
    assert "<h3>Stable</h3>" in page()


def test_figures_take_the_ink_of_the_page_and_keep_their_ids_apart() -> None:
    made = page()
    assert '<g id="load-a" fill="currentColor"/><use href="#load-a"/>' in made
    assert "<?xml" not in made


def test_the_modules_are_one_script_without_imports_in_which_no_name_stands_twice() -> None:
    text = script()
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    names = re.findall(r"^(?:const|let|class|function|async function) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert len(MODULES) == 4


def test_all_that_was_run_is_folded_away_where_there_is_the_papers_table() -> None:
    row = CellRow("a<b", "x=1", "gossip", 60, 4, {"ldt_ms": WIDE}, {})
    alone = build_page("t", "s", [], [], [], [], [row])
    assert Outline(alone).sections == ["cells"]
    assert "<details open>" in alone
    assert '<th scope="row">a&lt;b</th><td>x=1</td><td>Gossip</td><td>60</td><td>4</td>' in alone
    assert "<td>1500</td><td>-</td><td>-</td><td>-</td></tr>" in alone
    beside = [Entry("stable", "standard", m, 1, WIDE, None) for m in METRICS]
    assert "<details>" in build_page("t", "s", beside, [], [], [], [row])
