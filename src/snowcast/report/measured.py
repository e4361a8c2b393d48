"""What was measured, as the tables of metrics have it: rows, looked up and never computed with.

Rules of this file:
- A table that is not there is empty: a report of a part is a report. A directory without any
  table is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from snowcast.core.errors import UsageError

Row = Mapping[str, Any]

SUMMARY = "summary"

FEW = 5
"""A mean over fewer runs is shown without an interval: two runs that agree by chance would look
like certainty."""


@dataclass(frozen=True)
class Interval:
    """A mean over runs, with its 95 % interval, if there were enough of them to have one."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    @property
    def ends(self) -> tuple[float, float] | None:
        """Lower and upper end; None where too few runs have been made to show an interval."""
        if self.low is None or self.high is None or self.runs < FEW:
            return None
        return self.low, self.high


@dataclass(frozen=True)
class Measured:
    """The tables of one directory, as `snowcast pipeline metrics` writes them."""

    directory: Path
    is_virtual: bool | None = None
    """Only what was simulated, or only what was not; both, if there is only one of them."""

    def rows(self, table: str, scenario: str | None = None) -> list[Row]:
        """The rows of a table, of all scenarios or of one; none if it is not there."""
        folder = self.directory / table
        if not folder.is_dir():
            return []
        import pyarrow.parquet as pq  # slow to load, and not needed for the help of a command

        # Not all of a table with a row for each run and node would fit.
        of_one = None if scenario is None else [("scenario", "==", scenario)]
        rows: list[Row] = pq.read_table(folder, filters=of_one).to_pylist()
        if self.is_virtual is None:
            return rows
        return [row for row in rows if row["is_virtual"] == self.is_virtual]

    @cached_property
    def summary(self) -> list[Row]:
        """One row for each cell and metric."""
        return self.rows(SUMMARY)

    def of(self, scenario: str, variant: str = "") -> list[Row]:
        """The rows of `summary` about a scenario as it stands in its file, or one variant of it."""
        wanted = values_of(variant)
        return [
            row
            for row in self.summary
            if row["scenario"] == scenario and values_of(row["variant"]) == wanted
        ]


def open_measured(directory: Path) -> Measured:
    """The tables below a directory; UsageError if there are none."""
    if not (directory / SUMMARY).is_dir():
        raise UsageError(
            f"{directory}: no tables of metrics here; make them with `snowcast pipeline metrics`"
        )
    return Measured(directory)


def parts_of(measured: Measured) -> tuple[Measured, Measured | None]:
    """What was simulated, and what was measured on real nodes if these tables have both.

    They are the same cells, and no figure and no row of a table may have both as one.
    """
    if {row.get("is_virtual") for row in measured.summary} != {True, False}:
        return measured, None
    return Measured(measured.directory, True), Measured(measured.directory, False)


def interval(row: Row) -> Interval:
    """The interval that a row of `summary` or `message_summary` holds."""
    return Interval(row["mean"], row["low"], row["high"], row["seeds"])


def values_of(variant: str) -> dict[str, str]:
    """What a sweep has changed: `a.b=3,c=x` as its keys and values."""
    return dict(_pairs(variant))


def _pairs(variant: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, variant.split(",")):
        key, _, value = pair.partition("=")
        yield key, value
