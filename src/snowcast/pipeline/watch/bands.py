"""Bands: between which bounds a metric of a window is to be, and the alerts of those that are not.

A metric that a window does not have, because nothing was sent or nothing came, is in no band and
gives no alert. If something was sent, and there was somebody to get it, `reliability` is there; if
there was nobody, that is an alert by itself, for no band could tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError

ALERTS = (
    "run string, starts_us bigint, ends_us bigint, metric string, value double, low double, "
    "high double"
)
METRICS = (
    "reliability",
    "reliability_live",
    "reliability_min",
    "ldt_ms",
    "ldt_max_ms",
    "ldt_first_to_last_ms",
    "rmr_bytes",
    "redundancy",
)

INTENDED = "intended"
"""Of a window in which something was sent, it is to be 1 or more."""


class Band(NamedTuple):
    """From `low` to `high`, both included."""

    metric: str
    low: float
    high: float


def parse_band(text: str) -> Band:
    """`ldt_ms=0..500`; UsageError for anything else."""
    metric, _, bounds = text.partition("=")
    low, dots, high = bounds.partition("..")
    if metric not in METRICS:
        raise UsageError(f"--band: no metric {metric!r}; there are {', '.join(METRICS)}")
    try:
        band = Band(metric, float(low), float(high))
    except ValueError:
        raise UsageError(f"--band: expected METRIC=LOW..HIGH, not {text!r}") from None
    if not dots or not band.low <= band.high:
        raise UsageError(f"--band: expected the lower bound first, not {text!r}")
    return band


def alerts(windows: DataFrame, bands: Sequence[Band]) -> DataFrame:
    """One row for each window and band that it is out of; one if all was sent to nobody."""
    is_for_nobody = (F.col("messages") > 0) & (F.col(INTENDED) == 0)
    found = [_out_of(windows, band) for band in bands]
    found.append(_out_of(windows.where(is_for_nobody), Band(INTENDED, 1, float("inf"))))
    return reduce(DataFrame.unionByName, found)


def _out_of(windows: DataFrame, band: Band) -> DataFrame:
    value = F.col(band.metric)
    return windows.where((value < band.low) | (value > band.high)).select(
        "run",
        "starts_us",
        "ends_us",
        F.lit(band.metric).alias("metric"),
        value.cast("double").alias("value"),
        F.lit(band.low).alias("low"),
        F.lit(band.high).alias("high"),
    )
