"""The stage as a picture: the ring of nodes, and the message that is on its way over it.

Rules of this file:
- Pure: the same stage is the same picture.
"""

from __future__ import annotations

from math import cos, pi, sin

from rich.text import Text

from snowcast.core.trees import Tree
from snowcast.demo.canvas import Canvas, Place
from snowcast.demo.stage import Stage

MARGIN = 0.03
LINES = {
    Tree.STANDARD.value: "cyan",
    Tree.PRIMARY.value: "cyan",
    Tree.SECONDARY.value: "magenta",
}
LEGEND = (
    ("◆", "bold bright_white", "origin"),
    ("●", "bright_green", "has it"),
    ("◐", "bright_green", "has it, slow"),
    ("○", "bright_black", "member"),
    ("?", "bold yellow", "suspect"),
    ("✖", "bold red", "dead"),
)


def ring(stage: Stage, slots: int, slow: frozenset[int], columns: int, rows: int) -> Text:
    """All nodes on an ellipse of `slots` places, with lines for the copies that have come."""
    canvas = Canvas(columns, rows)
    message = stage.shown
    if message is not None:
        for is_first in (False, True):  # what was delivered is drawn over what was not
            for copy in message.copies:
                if copy.is_first == is_first:
                    style = LINES[copy.tree] if is_first else "grey30"
                    canvas.line(_place(copy.sender, slots), _place(copy.node, slots), style)
        for adopted in message.adopted:
            for child in adopted.children:
                if child not in stage.dead:
                    start, end = _place(adopted.node, slots), _place(child, slots)
                    canvas.line(start, end, "bold yellow")
    for node in sorted(stage.up | stage.dead):
        canvas.mark(_place(node, slots), *_look(stage, node, node in slow))
    return canvas.text()


def legend() -> Text:
    """What the marks mean."""
    text = Text()
    for mark, style, meaning in LEGEND:
        text.append(mark, style)
        text.append(f" {meaning}  ", "dim")
    return text


def _look(stage: Stage, node: int, is_slow: bool) -> tuple[str, str]:
    message = stage.shown
    if node in stage.dead:
        return "✖", "bold red"
    if message is not None and node == message.origin:
        return "◆", "bold bright_white"
    if stage.believers(node, "suspect"):
        return "?", "bold yellow"
    if message is not None and node in message.firsts:
        return "◐" if is_slow else "●", "bright_green"
    if node not in stage.counts:
        return "·", "bright_black"
    return "○", "yellow" if is_slow else "bright_black"


def _place(node: int, slots: int) -> Place:
    """Clockwise from the top."""
    turn = 2 * pi * node / slots - pi / 2
    reach = 0.5 - MARGIN
    return 0.5 + reach * cos(turn), 0.5 + reach * sin(turn)
