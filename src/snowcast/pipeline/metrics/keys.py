"""What runs are: the keys that begin every row about one, and the tables held to their contract."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.metric_tables import KEYS, MetricTable

US_PER_MS = 1_000


def run_keys(runs: DataFrame) -> DataFrame:
    """The keys of each run. Small, and broadcast where it is joined."""
    named = runs.withColumn("variant", F.coalesce("variant", F.lit("")))
    return F.broadcast(named.select([F.col(key.name).cast(key.type) for key in KEYS]))


def with_keys(rows: DataFrame, keys: DataFrame) -> DataFrame:
    """Rows that name a run, with the rest of its keys. Rows of unknown runs are left out."""
    return rows.join(keys, on="run", how="inner")


def held(rows: DataFrame, table: MetricTable) -> DataFrame:
    """Rows as the contract has them: its columns, in order, of its types."""
    return rows.select(
        [F.col(column.name).cast(column.type).alias(column.name) for column in table.columns]
    )


def ms(us: Column | str) -> Column:
    """Microseconds as milliseconds."""
    column = F.col(us) if isinstance(us, str) else us
    return column / US_PER_MS


def ratio(part: str, whole: str) -> Column:
    """A share; null where there is no whole."""
    return F.try_divide(F.col(part).cast("double"), F.col(whole).cast("double"))
