"""How long it took until a share of a message's receivers had it: exact, by nearest rank.

A message has no more deliveries than there are nodes, so their times fit an array; sorting many
small arrays costs less than sorting all rows, and no sketch that Spark has is as quick.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from snowcast.pipeline.metrics.keys import ms

PERCENTILES = {"p50_ms": 50, "p90_ms": 90, "p99_ms": 99}


def percentiles(delays_us: Column) -> dict[str, Column]:
    """The columns, by name, from an array of times in order; null if it is empty or null."""
    count = F.array_size(delays_us)
    return {
        name: ms(F.get(delays_us, (nearest_rank(count, percent) - 1).cast("int")))
        for name, percent in PERCENTILES.items()
    }


def nearest_rank(count: Column, percent: int) -> Column:
    """The rank, from 1, of the least of `count` values that `percent` of them do not exceed."""
    return F.floor((count * percent + 99) / 100)
