"""A drawing of characters: lines of braille dots, and marks that cover them.

Rules of this file:
- Places are from 0 to 1, from the left and from the top; what they come to in cells is settled
  here alone.
"""

from __future__ import annotations

from rich.text import Text

DOTS_ACROSS, DOTS_DOWN = 2, 4  # of a braille character
BRAILLE = 0x2800
BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

Place = tuple[float, float]


class Canvas:
    """So many columns and rows, empty at first."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._dots: dict[tuple[int, int], int] = {}
        self._styles: dict[tuple[int, int], str] = {}
        self._marks: dict[tuple[int, int], tuple[str, str]] = {}

    def line(self, start: Place, end: Place, style: str = "") -> None:
        """A straight line; where lines meet the last one gives the colour."""
        (x, y), (to_x, to_y) = self._dot(start), self._dot(end)
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for step in range(steps + 1):
            across = x + round((to_x - x) * step / steps)
            down = y + round((to_y - y) * step / steps)
            cell = across // DOTS_ACROSS, down // DOTS_DOWN
            bit = BITS[down % DOTS_DOWN][across % DOTS_ACROSS]
            self._dots[cell] = self._dots.get(cell, 0) | bit
            self._styles[cell] = style

    def mark(self, place: Place, text: str, style: str = "") -> None:
        """Characters, from a place on to the right; they cover what is there."""
        across, down = self._dot(place)
        for index, character in enumerate(text):
            cell = across // DOTS_ACROSS + index, down // DOTS_DOWN
            self._marks[cell] = character, style

    def text(self) -> Text:
        """The drawing, a line a row."""
        text = Text(no_wrap=True)
        for row in range(self.rows):
            for column in range(self.columns):
                cell = column, row
                if cell in self._marks:
                    text.append(*self._marks[cell])
                elif cell in self._dots:
                    text.append(chr(BRAILLE + self._dots[cell]), self._styles[cell])
                else:
                    text.append(" ")
            text.append("\n")
        return text

    def _dot(self, place: Place) -> tuple[int, int]:
        """The dot at a place; what is outside is at the edge."""
        across, down = self.columns * DOTS_ACROSS - 1, self.rows * DOTS_DOWN - 1
        x, y = place
        return min(max(round(x * across), 0), across), min(max(round(y * down), 0), down)
