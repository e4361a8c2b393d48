"""Lines of dots and marks, against one that draws in plain cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.demo.canvas import BRAILLE, Canvas

PLACES = st.tuples(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5))


def test_marks_cover_lines_and_stand_where_they_are_put() -> None:
    canvas = Canvas(9, 3)
    canvas.line((0, 0.5), (1, 0.5))
    canvas.mark((0, 0.5), "ab")
    canvas.mark((1, 1), "z")
    rows = canvas.text().plain.split("\n")
    assert rows[0] == " " * 9
    assert rows[1].startswith("ab")
    assert all(ord(character) > BRAILLE for character in rows[1][2:])
    assert rows[2] == " " * 8 + "z"


@given(PLACES, PLACES, st.integers(1, 40), st.integers(1, 20))
def test_a_line_runs_from_end_to_end_without_a_gap_and_stays_inside(
    start: tuple[float, float], end: tuple[float, float], columns: int, rows: int
) -> None:
    canvas = Canvas(columns, rows)
    canvas.line(start, end)
    lines = canvas.text().plain.split("\n")[:-1]
    assert [len(line) for line in lines] == [columns] * rows
    drawn = {(x, y) for y, line in enumerate(lines) for x, c in enumerate(line) if c != " "}
    todo = [next(iter(drawn))]
    while todo:  # walk from cell to neighbouring cell: all of it is one piece
        x, y = todo.pop()
        drawn.discard((x, y))
        near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        todo += near & drawn
    assert not drawn
