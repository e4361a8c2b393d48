"""The ring as it is drawn: each node has its mark, and lines are where copies went."""

from __future__ import annotations

from collections import Counter

from rich.text import Text

from snowcast.core.trees import Mode
from snowcast.demo import cues
from snowcast.demo.picture import legend, ring
from snowcast.demo.stage import Stage

NODES = 60


def stage() -> Stage:
    made = Stage()
    for node in range(NODES):
        made.enter(node)
        made.take(cues.Counted(0, node, NODES))
    return made


def drawn(made: Stage) -> Text:
    return ring(made, NODES, frozenset({7}), 60, 26)


def marks(made: Stage) -> Counter[str]:
    return Counter(drawn(made).plain.replace("\n", "").replace(" ", ""))


def test_each_node_has_a_place_of_its_own_even_on_a_small_terminal() -> None:
    assert marks(stage())["○"] == NODES
    small = ring(stage(), NODES, frozenset(), 44, 20).plain
    assert small.count("○") >= NODES - 4  # a few of the bottom and the top may meet


def test_what_a_node_is_can_be_seen() -> None:
    made = stage()
    made.crash(3)
    made.ask(Mode.STANDARD, False)
    made.take(cues.Sent(0, 0, "0.1"))
    for node in (1, 2, 7):
        made.take(cues.Arrived(1, node, "0.1", 0, 0, 1, True))
    made.take(cues.Changed(1, 5, 9, "suspect"))
    made.enter(40)
    found = marks(made)
    assert (found["◆"], found["●"], found["◐"], found["✖"], found["?"]) == (1, 2, 1, 1, 1)
    assert found["○"] == NODES - 6
    for mark in "◆●◐○?✖":
        assert mark in legend().plain


def test_lines_are_drawn_for_copies_by_tree_and_for_repairs() -> None:
    made = stage()
    empty = {span.style for span in drawn(made).spans}
    assert not {"cyan", "magenta", "grey30", "bold yellow"} & empty
    made.take(cues.Sent(0, 0, "0.1"))
    made.take(cues.Arrived(1, 30, "0.1", 0, 1, 1, True))
    made.take(cues.Arrived(1, 45, "0.1", 15, 2, 1, True))
    made.take(cues.Arrived(1, 50, "0.1", 10, 2, 1, False))
    made.take(cues.Adopted(1, 20, "0.1", (55,)))
    styles = {span.style for span in drawn(made).spans}
    assert styles >= {"cyan", "magenta", "grey30", "bold yellow"}
