"""What every benchmark is made of: rows with limits, fair timing, one table, one file."""

from __future__ import annotations

import gc
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter


@dataclass(frozen=True)
class Row:
    """One number and the limit it has to keep: a ceiling, or a floor with `at_least`."""

    what: str
    measured: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def ok(self) -> bool:
        """Whether the limit is kept; a measurement that is not a number keeps none."""
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit

    @property
    def of_limit(self) -> float:
        """The measured as a part of the limit."""
        return self.measured / self.limit


def best_seconds(
    cases: Mapping[str, Sequence[Callable[[], object]]], rounds: int
) -> dict[str, float]:
    """How long each case takes: the sum of its steps, each at its best over many rounds.

    A round runs every case once, so that a slow moment of the machine hits them all alike; the
    shorter the steps, the more of them are left alone by everything else that runs.
    """
    best = {name: [float("inf")] * len(steps) for name, steps in cases.items()}
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, steps in cases.items():
                for number, step in enumerate(steps):
                    begun = perf_counter()
                    step()
                    best[name][number] = min(best[name][number], perf_counter() - begun)
    finally:
        if was_enabled:
            gc.enable()
    return {name: sum(seconds) for name, seconds in best.items()}


def table(rows: Sequence[Row]) -> str:
    """The rows for people, each with its share of the limit."""
    cells = [("what", "measured", "limit", "of limit", "ok")]
    for row in rows:
        sign = ">=" if row.at_least else "<="
        limit = f"{sign} {_number(row.limit)} {row.unit}".rstrip()
        measured = f"{_number(row.measured)} {row.unit}".rstrip()
        cells.append((row.what, measured, limit, f"{row.of_limit:.2f}", "ok" if row.ok else "NO"))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for what, *others in cells:
        padded = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join([f"{what:<{widths[0]}}", *padded]))
    return "\n".join(lines)


def write_json(rows: Sequence[Row], path: Path) -> None:
    """The rows for programs, and on what they were measured."""
    content = {
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "rows": [{**asdict(row), "of_limit": row.of_limit, "ok": row.ok} for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 10_000 else f"{value:,.2f}"
