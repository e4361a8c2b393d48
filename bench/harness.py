"""What every benchmark is made of: rows with limits, fair rounds, one table, one file.

Rules of this file:
- What is compared is measured in one run, in turns, and told by its median: a machine that is busy
  for a while is busy for both.
- A number that could not be taken is a row that says why, never a row left out.
"""

from __future__ import annotations

import gc
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

NAN = float("nan")


@dataclass(frozen=True)
class Row:
    """One number and the limit it has to keep: a ceiling, or a floor with `at_least`.

    With a rival, what has to keep the limit is how many times the rival's number it is. Without a
    limit the number is only told.
    """

    what: str
    measured: float
    limit: float | None = None
    unit: str = ""
    at_least: bool = False
    rival: str = ""
    rival_measured: float = NAN
    why_not: str = ""
    """Why there is no number."""

    @property
    def judged(self) -> float:
        """What has to keep the limit."""
        return self.measured / self.rival_measured if self.rival else self.measured

    @property
    def ok(self) -> bool:
        """Whether the limit is kept; a measurement that is not a number keeps none."""
        if self.limit is None:
            return not self.why_not
        if self.at_least:
            return self.judged >= self.limit
        return self.judged <= self.limit

    @property
    def of_limit(self) -> float | None:
        """What is judged as a part of the limit."""
        return None if self.limit is None else self.judged / self.limit


def not_measured(what: str, why: str) -> Row:
    """In the place of a number that could not be taken."""
    return Row(what, NAN, why_not=why)


def in_turns(cases: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of what each case returns, over rounds that run every case once."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds):
        # Every other round backwards, so that nobody always runs in the wake of the same one.
        for name in list(cases)[:: -1 if number % 2 else 1]:
            found[name].append(cases[name]())
    return {name: median(values) for name, values in found.items()}


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
    """The rows for people."""
    cells = [("what", "measured", "compared with", "ratio", "limit", "ok")]
    cells += [_cells(row) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for what, measured, rival, ratio, limit, ok in cells:
        padded = (
            f"{what:<{widths[0]}}",
            f"{measured:>{widths[1]}}",
            f"{rival:<{widths[2]}}",
            f"{ratio:>{widths[3]}}",
            f"{limit:>{widths[4]}}",
            ok,
        )
        lines.append("  ".join(padded).rstrip())
    lines += [f"{row.what}: not measured: {row.why_not}" for row in rows if row.why_not]
    return "\n".join(lines)


def write_json(name: str, rows: Sequence[Row], path: Path) -> None:
    """One benchmark's rows for programs, and on what they were measured; the others' stay."""
    found: dict[str, Any] = {}
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
    found[name] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "rows": [_content(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _cells(row: Row) -> tuple[str, str, str, str, str, str]:
    measured = "-" if row.why_not else f"{_number(row.measured)} {row.unit}".rstrip()
    rival = f"{row.rival}: {_number(row.rival_measured)} {row.unit}".rstrip() if row.rival else ""
    ratio = f"{row.judged:.2f}" if row.rival else ""
    limit = ""
    if row.limit is not None:
        unit = "x" if row.rival else row.unit
        limit = f"{'>=' if row.at_least else '<='} {_number(row.limit)} {unit}".rstrip()
    ok = "MISSED" if not row.ok else "" if row.limit is None else "ok"
    return row.what, measured, rival, ratio, limit, ok


def _content(row: Row) -> dict[str, Any]:
    """A row for JSON, which has no word for what is not a number."""
    found = {**asdict(row), "judged": row.judged, "of_limit": row.of_limit, "ok": row.ok}
    return {key: None if value != value else value for key, value in found.items()}


def _number(value: float) -> str:
    if value != value:
        return "nan"
    return f"{value:,.0f}" if value == int(value) or value >= 10_000 else f"{value:,.2f}"
