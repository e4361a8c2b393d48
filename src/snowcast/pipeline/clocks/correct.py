"""Times set right: what a clock showed, less what it was off by.

Rules of this file:
- A table keeps its columns and its meaning; only times change. `offset_us` of a probe is what is
  left when both clocks are set right.
- Times of nodes that nobody probed stay as they were shown.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

TIMES = {
    "nodes": ("node", ("joined_us", "left_us", "crashed_us")),
    "messages": ("origin", ("at_us",)),
    "arrivals": ("node", ("at_us",)),
    "probes": ("node", ("at_us",)),
}
"""Whose clock the times of a table are on, and which these are."""

_CLOCK = "_clock"


def correct(rows: DataFrame, table: str, clocks: DataFrame) -> DataFrame:
    """A table with its times set right."""
    whose, times = TIMES[table]
    named = with_clock(rows, clocks, whose, _CLOCK)
    changes = {time: F.col(time) - off_us(_CLOCK, F.col(time)) for time in times}
    if table == "probes":
        named = with_clock(named, clocks, "peer", "_peer")
        apart_us = off_us("_peer", F.col("at_us")) - off_us(_CLOCK, F.col("at_us"))
        changes["offset_us"] = F.col("offset_us") - apart_us
    columns = [changes.get(name, F.col(name)).alias(name) for name in rows.columns]
    return named.select(*columns)


def with_clock(rows: DataFrame, clocks: DataFrame, whose: str, name: str) -> DataFrame:
    """Rows with the clock of the node that the column `whose` names, null if it has none."""
    known = clocks.select(
        F.col("run"),
        F.col("node").alias(whose),
        F.struct("offset_us", "starts_us", "window_us", "left_us").alias(name),
    )
    return rows.join(F.broadcast(known), on=["run", whose], how="left")


def off_us(clock: str, at_us: Column) -> Column:
    """How far a clock was ahead when it showed `at_us`; 0 for a node without one.

    Between the middles of two windows the change is even, and goes on as evenly beyond the first
    and the last, for as long as a window.
    """
    field = {name: F.col(f"{clock}.{name}") for name in ("starts_us", "window_us", "left_us")}
    offset_us = F.col(f"{clock}.offset_us")
    count = F.array_size(field["left_us"])
    since = (at_us - offset_us - field["starts_us"]) / field["window_us"] - 0.5
    place = F.least(F.greatest(since, F.lit(-1.0)), count.cast("double"))
    before = F.least(F.greatest(F.floor(place), F.lit(0)), F.greatest(count - 2, F.lit(0)))
    first = F.element_at(field["left_us"], (before + 1).cast("int"))
    second = F.element_at(field["left_us"], F.least(before + 2, count).cast("int"))
    left_us = first + (second - first) * (place - before)
    return F.coalesce(F.round(offset_us + left_us).cast("long"), F.lit(0))
