"""The page in a real browser: the model by its outputs, the player by what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from snowcast.report import page as assets
from snowcast.report.broadcasts import broadcasts
from snowcast.report.measured import open_measured
from snowcast.report.page.build import build_page, script
from support.browser import chromium
from support.metric_rows import broadcast, summary, write

STATUS = '[data-part="status"]'
SEEK = '[data-part="seek"]'
RING = '[data-part="ring"]'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    rows = {"summary": [summary("stable", "coloring", "ldt_ms", 1)], **broadcast()}
    (made,) = broadcasts(open_measured(write(tmp_path_factory.mktemp("m"), rows)), "simulated")
    return made


@pytest.fixture
def opened(browser: Browser, data: dict[str, Any], tmp_path: Path) -> Iterator[Page]:
    """The page with two broadcasts, opened; any error or request of it fails the test."""
    other = {**data, "label": "the other", "nodes": data["nodes"][:3], "frames": data["frames"][:1]}
    path = tmp_path / "page.html"
    path.write_text(build_page("A title", "2 runs", [], [], [], [data, other]))
    trouble: list[str] = []
    tab = browser.new_page()
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("console", lambda said: trouble.append(said.text))
    tab.on("request", lambda request: trouble.append(request.url))
    tab.goto(path.as_uri())
    yield tab
    tab.close()
    assert trouble == [path.as_uri()]


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[Page]:
    """A tab in which the pure modules can be called by their names."""
    text = "\n".join(
        files(assets).joinpath(name).read_text().replace("export ", "")
        for name in ("model.js", "ring.js")
    )
    tab = browser.new_page()
    tab.add_script_tag(content=text)
    yield tab
    tab.close()


def drawn(tab: Page) -> list[str]:
    """The frames that are to be seen, by their classes."""
    shown = tab.locator(f"{RING} .edges path").all()
    return [path.get_attribute("class") or "" for path in shown if path.get_attribute("d")]


def dots(tab: Page) -> list[str]:
    return [dot.get_attribute("class") or "" for dot in tab.locator(f"{RING} circle").all()]


def test_the_model_knows_when_each_node_had_it_and_from_whom(
    modules: Page, data: dict[str, Any]
) -> None:
    model = modules.evaluate("data => buildModel(data)", data)
    assert [
        (node["firstUs"], node["parent"], node["hop"], node["isDead"]) for node in model["nodes"]
    ] == [
        (1_002_000, 1, 2, False),
        (0, None, 0, False),
        (2_000, 1, 1, False),
        (None, None, None, True),
    ]
    assert model["steps"] == [0, 2_000, 2_500, 1_002_000]
    assert model["durationUs"] == 1_002_000
    assert [frame["isRepair"] for frame in model["frames"]] == [False, False, True]
    assert [frame["fromUs"] for frame in model["frames"]] == [0, 0, 2_000]


def test_where_nobody_waits_for_acks_late_frames_are_no_repair(
    modules: Page, data: dict[str, Any]
) -> None:
    model = modules.evaluate("data => buildModel(data)", {**data, "hop_timeout_us": None})
    assert [frame["isRepair"] for frame in model["frames"]] == [False, False, False]
    assert [frame["fromUs"] for frame in model["frames"]] == [0, 0, 0]


@pytest.mark.parametrize(
    ("time_us", "has", "progress", "delivered", "repairs"),
    [
        (0, [0, 1, 0, 0], [0, 0, 0], 0, 0),
        (1_000, [0, 1, 0, 0], [0.5, 0.4, 0], 0, 0),
        (2_000, [0, 1, 1, 0], [1, 0.8, 0], 1, 0),
        (502_000, [0, 1, 1, 0], [1, 1, 0.5], 1, 0),
        (1_002_000, [1, 1, 1, 0], [1, 1, 1], 2, 1),
    ],
)
def test_the_state_at_a_moment(
    modules: Page,
    data: dict[str, Any],
    time_us: int,
    has: list[int],
    progress: list[float],
    delivered: int,
    repairs: int,
) -> None:
    state = modules.evaluate("([data, at]) => stateAt(buildModel(data), at)", [data, time_us])
    assert state["has"] == [bool(one) for one in has]
    assert state["progress"] == pytest.approx(progress)
    assert (state["delivered"], state["repairs"]) == (delivered, repairs)


def test_steps_go_from_arrival_to_arrival_and_stop_at_the_ends(
    modules: Page, data: dict[str, Any]
) -> None:
    walk = """data => {
        const model = buildModel(data);
        return [stepAfter(model, 0), stepAfter(model, 2100), stepAfter(model, 1002000),
                stepBefore(model, 2000), stepBefore(model, 2100), stepBefore(model, 0)];
    }"""
    assert modules.evaluate(walk, data) == [2_000, 2_500, 1_002_000, 0, 2_000, 0]


def test_moments_and_nodes_are_told_in_words(modules: Page, data: dict[str, Any]) -> None:
    told = modules.evaluate(
        """data => {
            const model = buildModel(data);
            const at = 1002000;
            return [describeState(model, stateAt(model, at)), describeNode(model, 0, at),
                    describeNode(model, 2, 0), describeNode(model, 3, at),
                    deliveredShare(model, at)];
        }""",
        data,
    )
    assert told == [
        "1002 ms: 2 of 3 others have the message, 3 frames have arrived, "
        "1 of them in the place of a silent node, 1 node is dead.",
        ["10.0.0.1:1", "had it after 1002 ms, 2 hops, from 10.0.0.2:1"],
        ["10.0.0.3:1", "a straggler", "does not have it"],
        ["10.0.0.4:1", "dead, and nobody knows", "does not have it"],
        pytest.approx(2 / 3),
    ]


def test_a_chord_ends_at_its_receiver_and_a_part_of_it_before(modules: Page) -> None:
    ends = modules.evaluate(
        "() => [chord(0, 2, 4, 0), chord(0, 2, 4, 1), chord(0, 2, 4, 0.5), pointOf(2, 4)]"
    )
    assert ends[0] == ""
    assert ends[1].startswith("M320 26Q")
    assert ends[1].endswith(" 320 614")
    assert not ends[2].endswith(" 320 614")
    assert ends[3] == pytest.approx([320, 614])


def test_the_page_shows_the_end_and_steps_back_and_forth(opened: Page) -> None:
    assert dots(opened) == ["has tree-1", "origin", "has tree-1 straggler", "dead"]
    assert drawn(opened) == ["tree-1", "tree-2", "tree-1 repair"]
    assert opened.locator(f"{RING} .cross").count() == 1

    opened.click("text=Step back")
    expect(opened.locator(STATUS)).to_contain_text("2.50 ms: 1 of 3 others have the message")
    assert dots(opened)[0] == "lacks"
    assert drawn(opened) == ["tree-1", "tree-2", "tree-1 repair under-way"]

    opened.click("button:text-is('Step')")
    expect(opened.locator(STATUS)).to_contain_text("1002 ms: 2 of 3 others")


def test_the_page_is_sought_by_the_slider(opened: Page) -> None:
    opened.locator(SEEK).fill("500")
    expect(opened.locator(STATUS)).to_contain_text("501 ms: 1 of 3 others")
    assert drawn(opened) == ["tree-1", "tree-2", "tree-1 repair under-way"]
    assert opened.locator(SEEK).get_attribute("aria-valuetext") == "501 ms"


def test_the_page_plays_to_its_end_and_then_again(opened: Page) -> None:
    play = opened.locator('[data-part="play"]')
    opened.select_option('[data-part="speed"]', "4")
    play.click()
    expect(play).to_have_text("Pause")
    expect(play).to_have_text("Play", timeout=60_000)
    expect(opened.locator(SEEK)).to_have_value("1000")
    play.click()
    play.click()
    assert int(opened.locator(SEEK).input_value()) < 1000
    expect(play).to_have_attribute("aria-pressed", "false")


def test_the_page_is_used_by_keyboard(opened: Page) -> None:
    opened.focus(RING)
    opened.keyboard.press("Home")
    expect(opened.locator(STATUS)).to_contain_text("0.00 ms: 0 of 3 others")
    opened.keyboard.press("ArrowRight")
    expect(opened.locator(STATUS)).to_contain_text("2.00 ms")
    opened.keyboard.press("End")
    expect(opened.locator(STATUS)).to_contain_text("1002 ms")
    opened.keyboard.press("ArrowLeft")
    expect(opened.locator(STATUS)).to_contain_text("2.50 ms")
    opened.keyboard.press("Space")
    expect(opened.locator('[data-part="play"]')).to_have_text("Pause")
    reached = [opened.evaluate("document.activeElement.dataset.part")]
    for _ in range(6):
        opened.keyboard.press("Tab")
        reached.append(opened.evaluate("document.activeElement.dataset.part"))
    assert reached[:6] == ["ring", "seek", "play", "back", "forward", "speed"]


def test_pointing_at_a_node_tells_what_became_of_it(opened: Page) -> None:
    opened.hover(f'{RING} circle[data-place="0"]')
    expect(opened.locator('[data-part="node"]')).to_have_text(
        "10.0.0.1:1; had it after 1002 ms, 2 hops, from 10.0.0.2:1"
    )


def test_another_broadcast_can_be_chosen(opened: Page) -> None:
    opened.select_option('[data-part="choice"]', label="the other")
    assert len(dots(opened)) == 3
    assert drawn(opened) == ["tree-1"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(opened: Page, scheme: Any) -> None:
    opened.emulate_media(color_scheme=scheme)
    style = opened.evaluate("() => ({...getComputedStyle(document.body)})")
    ground, text = style["backgroundColor"], style["color"]
    assert _contrast(ground, text) > 7


def test_the_bundle_is_what_the_modules_are(modules: Page) -> None:
    assert "function buildModel" in script()


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted([_luminance(one), _luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
